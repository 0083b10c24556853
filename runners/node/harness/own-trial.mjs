// What functions do with a small file of their own: what they return, whether they read it at all, and what makes them
// useless here. Each is tried once for a build and a version of Node; forks take what was found.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ended, isNothing, look, running, settled, Unsettled, within } from './own-guard.mjs';

const folder = new URL('../own/', import.meta.url);
// The host takes no file that is called so for a part of the build.
const kept = new URL(`tried-${process.version}.json`, folder);
const TWO_LINES = '2026-01-01 00:00:01 INFO one of the two lines with which iogauge tries what a function returns\n'
  + '2026-01-01 00:00:02 ERROR the other one of these two lines, which is a little longer than the first is\n';
const LONG_AGO = 1_000_000_000; // when the file was changed last, in seconds, as its function sees it
const MARK = '.trying'; // ends the name of a file that says what is tried
const SIZE = 4096;
const LIMIT_MS = 10_000; // for one function
const ALL_MS = 20_000; // for all of them: the host waits for the list
const MOST_ITEMS = 1000; // two lines are no more

export const isBytes = (thing) => ArrayBuffer.isView(thing);
export const isText = (thing) => typeof thing === 'string';
const isWhole = (thing) => thing instanceof Map || thing instanceof Set; // and not one line after the other
export const isSeveral = (thing) => !isWhole(thing) && (thing?.[Symbol.iterator] || thing?.[Symbol.asyncIterator]);

// Each way with what was found: `kind` (what it returns: a key of what strategies take), `reads` (null where nobody can
// tell), whether it `failed`, or why it is `wrong`; and whether it `changes` what it is given. Ways that failed before
// are tried `anew` if that is asked for.
export async function tried(ways, anew) {
  const known = read();
  const until = running() + ALL_MS;
  const untried = ways.filter(({ name }) => !Object.hasOwn(known, name) || (anew && known[name].failed));
  const deadly = leftByTheDead();
  const mark = new URL(`tried-${process.pid}${MARK}`, folder);
  for (const way of untried) {
    if (deadly.has(way.name)) {
      known[way.name] = { wrong: ends(way), failed: true, reads: null, dies: true };
      continue;
    }
    written(mark, way.name);
    known[way.name] = await outcome(way, until - running()); // one after the other: what is read meanwhile is theirs
  }
  fs.rmSync(mark, { force: true });
  if (untried.length > 0) keep(known);
  return ways.map((way) => ({ way, ...known[way.name] }));
}

export function early(way) {
  return `${way.name}() ${way.callsBack ? 'calls back' : 'returns'} before it has read: return a promise`;
}

async function outcome(way, left) {
  if (way.wrong) return { wrong: way.wrong };
  if (left <= 0) return { kind: 'anything', reads: null, failed: true };
  const file = trialFile();
  try {
    const found = await seen(way, file, Math.min(LIMIT_MS, left));
    if (!isChanged(file)) return found;
    const wrong = `${way.name}() changes the file that it is given; iogauge measures only what reads`;
    return { ...found, changes: true, wrong };
  } finally {
    fs.rmSync(file, { force: true });
  }
}

// The functions that were tried when a process ended: which these are, the host has asked just now, and it removes what
// says so. Small files that are left of it are removed.
function leftByTheDead() {
  const found = new Set();
  for (const each of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const [, pid, end] = /^tried-(\d+)(?:-\d+)?(\.\w+)$/.exec(each) ?? [];
    if (!pid || fs.existsSync(`/proc/${pid}`)) continue;
    if (end === MARK) found.add(fs.readFileSync(new URL(each, folder), 'utf8'));
    else fs.rmSync(new URL(each, folder), { force: true });
  }
  return found;
}

const ends = (way) => `${way.name}() ends the program; let it return, or throw an error`;

// Where it cannot be written, nobody will know.
function written(mark, name) {
  try {
    fs.writeFileSync(mark, name);
  } catch {
    // a build that is read-only
  }
}

// In the build, or where that is read-only in the folder for temporary files.
function trialFile() {
  const name = `tried-${process.pid}-${Date.now()}.txt`;
  const inside = fileURLToPath(new URL(name, folder));
  try {
    return fresh(inside);
  } catch {
    return fresh(path.join(os.tmpdir(), `iogauge-${name}`));
  }
}

function fresh(file) {
  fs.writeFileSync(file, TWO_LINES);
  fs.utimesSync(file, LONG_AGO, LONG_AGO);
  return file;
}

// Whether the file was written to, with the same text too, or is gone.
function isChanged(file) {
  try {
    return fs.statSync(file).mtimeMs !== LONG_AGO * 1000 || fs.readFileSync(file, 'utf8') !== TWO_LINES;
  } catch {
    return true;
  }
}

async function seen(way, file, limit) {
  const looked = look();
  let [kind, failure, calls] = ['anything', null, 0];
  try {
    kind = await within(limit, settled(kindOf(way, file, () => calls++)));
  } catch (error) {
    failure = error;
  }
  const { read: bytes, goesOn, thrown } = await looked(1, true);
  const reads = bytes === null ? null : !isNothing(bytes, true, TWO_LINES.length);
  const failed = Boolean(failure ?? thrown);
  const wrong = whyWrong(way, failure, calls, goesOn, thrown);
  return wrong ? { reads, failed, wrong } : { kind: failure ? 'anything' : kind, reads, failed };
}

function whyWrong(way, failure, calls, goesOn, thrown) {
  if (failure instanceof Ended || thrown instanceof Ended) return `${way.name}() ends the program`;
  if (way.guessed && failure) return way.guessed;
  if (failure instanceof Unsettled) return unsettled(way);
  if (calls > 1) return `${way.name}() calls back ${calls} times: return a promise`;
  return goesOn && !failure ? early(way) : null;
}

export function unsettled(way) {
  return `${way.name}() ${way.callsBack ? 'never calls back' : 'returns a promise that is never settled'}`;
}

async function kindOf(way, file, called) {
  const returned = await way.call(file, SIZE, called);
  const items = [];
  if (isSeveral(returned) && !isText(returned) && !isBytes(returned)) {
    for await (const each of returned) {
      if (items.push(each) > MOST_ITEMS) break;
    }
  }
  if (isBytes(returned)) return 'bytes';
  if (isText(returned)) return 'text';
  if (items.length > 0 && items.every(isBytes)) return 'pieces';
  if (items.length > 0 && items.every(isText)) return 'lines';
  return 'anything';
}

function read() {
  try {
    return JSON.parse(fs.readFileSync(kept, 'utf8'));
  } catch {
    return {};
  }
}

// Written as a whole, so that no fork reads half of it. Where it cannot be written, forks try again.
function keep(known) {
  const partial = fileURLToPath(kept) + `.${process.pid}`;
  try {
    fs.writeFileSync(partial, JSON.stringify(known));
    fs.renameSync(partial, kept);
  } catch {
    fs.rmSync(partial, { force: true });
  }
}
