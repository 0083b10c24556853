// Ways to read of the user's own: the functions that a module of theirs exports, made into
// strategies. A function takes a path and returns what it read, or a promise of it; the harness
// consumes that inside the timed span, as it does for every other way. Where a function returns a
// result instead (a number, an object), the harness leaves that alone.
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { block, lines, reads, texts } from './strategy.mjs';

const folder = new URL('../own/', import.meta.url);
const tried = fileURLToPath(new URL('./two-lines.txt', import.meta.url)); // to see what a function returns
const OF_A_PATH = /^[^(=]*\(?\s*\w*(path|file|filename|fname)\b/i; // a function of such a parameter
const LONGEST = { call: 34, title: 60 };

const isClass = (thing) => /^class\b/.test(thing.toString());
const isSmall = (thing) => typeof thing !== 'object' || (Array.isArray(thing) && thing.length <= 100);
const isBytes = (thing) => ArrayBuffer.isView(thing);
const isText = (thing) => typeof thing === 'string';
const isWhole = (thing) => thing instanceof Map || thing instanceof Set; // and not one line after the other
const isSeveral = (thing) => !isWhole(thing) && (thing?.[Symbol.iterator] || thing?.[Symbol.asyncIterator]);
const bytesOf = (view) =>
  view instanceof Uint8Array ? view : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
const withoutEnd = (line) => line.replace(/\r?\n$/, '');

const takes = {
  bytes(data, tally) {
    const bytes = bytesOf(data);
    tally.block(bytes, bytes.length, 0);
  },
  text: (text, tally) => tally.text(text),
  async pieces(pieces, tally) {
    const before = tally.count;
    for await (const each of pieces) tally.block(bytesOf(each), each.byteLength, tally.count - before);
  },
  lines(all, tally) {
    if (!all[Symbol.iterator]) return eachLine(all, tally);
    for (const line of all) tally.line(withoutEnd(line));
  },
  anything(returned, tally) {
    tally.result = isSmall(returned) ? returned : null; // a large one would be in the way of the next operation
    // Whatever it made of the file stays its own; an iterator is run to its end.
    if (returned?.[Symbol.asyncIterator]) return toTheEnd(returned);
    if (typeof returned?.next === 'function') for (const _ of returned);
  },
};

async function toTheEnd(items) {
  for await (const _ of items);
}

async function eachLine(all, tally) {
  for await (const line of all) tally.line(withoutEnd(line));
}

const nothing = { sums: 'nothing', consumes: ['none'] };
const declared = {
  bytes: [reads, { unit: 'file', memory: 1 }],
  pieces: [reads, {}],
  text: [texts, { unit: 'file', memory: 3 }],
  lines: [lines, {}],
  anything: [reads, { ...nothing, unit: 'file' }],
};

// The strategies in the user's module; none where there is no such file.
export async function ownStrategies() {
  const file = fs.existsSync(folder) && fs.readdirSync(folder).find((each) => each.startsWith('code.'));
  if (!file) return [];
  const module = await import(new URL(file, folder).href).catch((error) => {
    throw new Error(told(error));
  });
  const found = Object.entries(module.default ?? {}).concat(Object.entries(module));
  const functions = new Map(
    found.filter(([, each]) => typeof each === 'function').map(([name, each]) => [each, name]),
  );
  if (functions.size === 0) throw new Error('it exports no function; write export function read(path)');
  return Promise.all(measured([...functions]).map(([each, name]) => ownStrategy(each, name)));
}

// Those that call their first parameter as paths are called; where none does, those that can be given
// a path; where there is none either, all, which says what is wrong with the first.
function measured(functions) {
  const able = functions.filter(([each]) => !isClass(each) && each.length >= 1 && each.length <= 2);
  const named = able.filter(([each]) => OF_A_PATH.test(each.toString()));
  return [named, able, functions].find((some) => some.length > 0);
}

// What was thrown, and in which line of the user's code.
function told(error) {
  const [, line] = /code\.[cm]?js:(\d+)/.exec(error?.stack ?? '') ?? [];
  const [message] = `${error?.message ?? error}`.replaceAll(fileURLToPath(folder), '').split(' imported from ');
  return `${line ? `line ${line}: ` : ''}${error?.name ?? 'it throws'}: ${message}`;
}

async function ownStrategy(way, exported) {
  const name = exported === 'default' ? way.name : exported;
  if (isClass(way)) throw new Error(`${name} is a class; export a function of a path`);
  if (way.length < 1 || way.length > 2) {
    throw new Error(`${name}() takes ${way.length} arguments; it can take a path, and a block size`);
  }
  const sized = way.length === 2;
  const kind = await kindOf(name, way);
  const [make, more] = declared[kind];
  const call = sized ? `${name}(path, n)` : `${name}(path)`;
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase().match(/[a-z0-9]+/g);
  return make(
    `own-${words.join('-')}`,
    call.slice(0, LONGEST.call),
    `${call}, of your own`.slice(0, LONGEST.title),
    opening(way, takes[kind], sized),
    {
      ...more,
      effort: 1,
      compute_only: null,
      buffer: 'new', // as far as anybody knows
      data: 'copied',
      opens: 'each',
      uncounted: "the event loop's own calls may be counted with them",
      parameters: sized ? block('bytes, as your function takes them') : {},
    },
  );
}

function opening(way, take, sized) {
  return ({ parameters }) => {
    const size = sized ? [parameters.block] : [];
    const failed = (error) => {
      throw new Error(told(error));
    };
    return (file, tally) => {
      try {
        const returned = way(file, ...size);
        if (typeof returned?.then === 'function') return returned.then((value) => take(value, tally)).catch(failed);
        return take(returned, tally)?.catch(failed);
      } catch (error) {
        failed(error);
      }
    };
  };
}

// What the function returns: as the user says, or as it does on a small file of two lines. One that
// cannot read that may return anything.
async function kindOf(name, way) {
  if (way.returns !== undefined) {
    if (Object.hasOwn(takes, way.returns)) return way.returns;
    throw new Error(`${name}.returns = ${JSON.stringify(way.returns)}: allowed: ${Object.keys(takes).join(', ')}`);
  }
  let returned;
  const items = [];
  try {
    returned = await way(tried, ...(way.length === 2 ? [4096] : []));
    if (isSeveral(returned) && !isText(returned) && !isBytes(returned)) {
      for await (const each of returned) items.push(each);
    }
  } catch {
    return 'anything';
  }
  if (isBytes(returned)) return 'bytes';
  if (isText(returned)) return 'text';
  if (items.length > 0 && items.every(isBytes)) return 'pieces';
  if (items.length > 0 && items.every(isText)) return 'lines';
  return 'anything';
}
