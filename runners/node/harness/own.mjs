// Ways to read of the user's own: the functions that a module of theirs exports, made into
// strategies. A function takes a path and returns what it read, or a promise of it; the harness
// consumes that inside the timed span, as it does for every other way. Where a function returns a
// result instead (a number, an object), the harness leaves that alone.
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { listed, waysOf } from './own-functions.mjs';
import { Ended, guard, isNothing, look, settled, Unsettled, within } from './own-guard.mjs';
import { fileOf, given, placeOf, withoutPlaces } from './own-places.mjs';
import { early, isBytes, isSeveral, isText, tried, unsettled } from './own-trial.mjs';
import { block, lines, reads, texts } from './strategy.mjs';

const LONGEST = { call: 34, title: 60, reason: 160 };
const LOADING_MS = 10_000;
const ENDING = '-as-result'; // of strategies that take what a function returns for its own result

const isSmall = (thing) => typeof thing !== 'object' || (Array.isArray(thing) && thing.length <= 100);
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

// Whether that is what a function returned when it was tried. With a file of the user's it may be something else.
const isKind = {
  bytes: isBytes,
  text: isText,
  pieces: isSeveral,
  lines: isSeveral,
  anything: () => true,
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

// The strategies in the user's module; none where there is no such file. Functions that failed as they were tried
// before are tried `anew` if that is asked for.
export async function ownStrategies(anew) {
  if (given === null) return [];
  guard();
  const ways = waysOf(await loaded(), given.name || 'default', given.types);
  if (ways.length === 0) throw new Error('it exports no function; write export function read(path)');
  const all = await chosen(ways, given.function.replaceAll('#', '.') || null, anew);
  const names = all.map((each) => each.way.name);
  const twice = names.find((each, at) => names.indexOf(each) < at);
  if (twice) throw new Error(`two of its functions are both called ${twice}; rename one`);
  const taken = new Set();
  return all.flatMap((each) => strategiesOf(each, unlike(wordsOf(each.way.name), taken)));
}

async function loaded() {
  const isTaken = given.made || given.typed.length === 0;
  const tools = /\.[cm]?tsx?$/.test(given.entry) ? 'esbuild or typescript' : 'esbuild';
  const tool = `${tools} in the project (npm install --save-dev esbuild)`;
  if (!isTaken && /x$/.test(given.entry)) throw new Error(`JSX needs ${tool}`);
  if (!isTaken && !process.features.typescript) throw new Error(`TypeScript needs Node 22.18 or newer, or ${tool}`);
  const file = fileOf(given.made ?? given.entry);
  try {
    return await within(LOADING_MS, settled(import(pathToFileURL(file).href)));
  } catch (error) {
    const exports = !given.appended && /\bexports?\b/.test(fs.readFileSync(file, 'utf8'));
    const isNew = error instanceof SyntaxError && error.code !== 'ERR_INVALID_TYPESCRIPT_SYNTAX';
    const further = (!isTaken && isNew) || (!given.made && !given.plain) ? `; it may need ${tool}` : '';
    throw new Error(`${exports ? '' : 'it exports no function, and fails by itself: '}${why(error)}${further}`);
  }
}

// The ways that are measured, as they turned out when they were tried: the one that the user asks for; else those whose
// first parameter is called as paths are; where none of these reads, those that read the file that they are given.
async function chosen(ways, asked, anew) {
  const outcomes = (some) => tried(some, anew);
  if (asked !== null) {
    const found = await outcomes(ways.filter(({ name }) => name === asked || name.startsWith(`${asked}.`)));
    if (found.length === 0) throw new Error(`no function ${asked} in it; there are: ${ways.map((each) => each.name).join(', ')}`);
    return found.some(isGood) ? found.filter(isGood) : allOrReason(found);
  }
  const named = await outcomes(ways.filter((each) => each.named));
  if (named.some(isGood)) return named.filter((each) => isGood(each) || (each.wrong && !each.way.method));
  const others = await outcomes(ways.filter((each) => !each.named));
  const good = others.filter(isGood);
  if (good.length > 0) return good;
  const left = named.filter((each) => !each.way.method);
  const isTold = ({ wrong, reads, changes, dies }) => wrong && (reads || changes || dies || ways.length === 1);
  const wrong = [...named, ...others].filter(isTold);
  if (left.length > 0 || wrong.length > 0) return allOrReason(left.length > 0 ? left : wrong);
  throw new Error(`no function of a path in it${listed(ways)}; call the first parameter of the one to measure: path`);
}

// Those that can be measured, or what is wrong with the first.
function allOrReason(found) {
  const [first] = found;
  if (found.every((each) => each.wrong)) throw new Error(first.wrong);
  return found;
}

// Whether it may be measured: it reads what it is given; or it is called so, and may read only files of its kind.
function isGood({ way, wrong, reads: has, failed }) {
  if (wrong) return false;
  return has === true || (way.named && !way.method && (failed || has === null)) || (has === null && !failed);
}

// What was thrown, and in which line of the user's code.
function why(error, way) {
  if (error instanceof Ended) return way ? `${way.name}() ends the program` : 'it ends the program';
  if (error instanceof Unsettled) return way ? unsettled(way) : 'it waits for what never comes';
  const [message] = withoutPlaces(`${error?.message ?? error}`).split(/ imported from |\n/);
  const cut = message.length > LONGEST.reason ? `${message.slice(0, LONGEST.reason)}…` : message;
  return `${placeOf(error)}${error?.name ?? 'it throws'}: ${cut}`;
}

const wordsOf = (name) =>
  (name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase().match(/[a-z0-9]+/g) ?? ['way']).join('-');

// These words; with a number behind them where another function is called so.
function unlike(words, taken) {
  for (let number = 1; ; number++) {
    const name = number > 1 ? `${words}-${number}` : words;
    const both = [name, `${name}${ENDING}`];
    if (both.some((each) => taken.has(each))) continue;
    for (const each of both) taken.add(each);
    return name;
  }
}

// One that declares what it returns is what it says. Of one that was tried, both: that what it returns is the file's,
// which the host finds out, and that it is a result of its own.
function strategiesOf({ way, wrong, kind = 'anything' }, words) {
  const { returns } = way;
  if (returns !== undefined && !Object.hasOwn(takes, returns)) {
    throw new Error(`${way.name}.returns = ${JSON.stringify(returns)}: allowed: ${Object.keys(takes).join(', ')}`);
  }
  const name = `own-${words}`;
  if (wrong) return [strategyOf(way, name, 'anything', { unavailable: wrong })];
  const first = strategyOf(way, name, returns ?? kind);
  if (returns !== undefined || kind === 'anything') return [first];
  return [first, strategyOf(way, `${name}${ENDING}`, 'anything', { instead_of: first.name })];
}

function strategyOf(way, name, kind, others = {}) {
  const { name: called, sized } = way;
  const [make, more] = declared[kind];
  const call = sized ? `${called}(path, n)` : `${called}(path)`;
  return make(
    name,
    call.slice(0, LONGEST.call),
    `${call}, of your own`.slice(0, LONGEST.title),
    opening(way, kind),
    {
      ...more,
      effort: 1,
      compute_only: null,
      buffer: 'new', // as far as anybody knows
      data: 'copied',
      opens: 'each',
      uncounted: "the event loop's own calls may be counted with them",
      parameters: sized ? block('bytes, as your function takes them') : {},
      ...others,
    },
  );
}

function opening(way, kind) {
  return ({ parameters }) => {
    const { call } = way;
    const size = parameters.block;
    let waited = false; // whether an operation returned a promise
    let once = false; // whether one read
    const failed = (error) => {
      throw new Error(why(error, way));
    };
    const take = (returned, tally) => {
      if (isKind[kind](returned)) return takes[kind](returned, tally);
      throw new TypeError(`${way.name}() returned ${shownType(returned)}, not ${kind}`);
    };
    const operation = (file, tally) => {
      try {
        const returned = call(file, size);
        const taken = isPromise(returned) ? returned.then((data) => take(data, tally)) : take(returned, tally);
        if (taken === undefined) return undefined;
        waited = true;
        return settled(taken).catch(failed);
      } catch (error) {
        return failed(error);
      }
    };
    // Around operations, untimed: no number where nothing was read.
    operation.watched = (file, operations) => {
      const looked = look();
      return async () => {
        const { read, goesOn, thrown } = await looked(operations, waited);
        if (goesOn) throw new Error(early(way));
        if (thrown !== undefined) failed(thrown);
        if (way.returns === undefined && isNothing(read, waited, fs.statSync(file).size)) {
          const kept = once ? '; it may keep the result of an earlier call' : '';
          throw new Error(`${way.name}() reads nothing of the file${kept}`);
        }
        once = true;
      };
    };
    return operation;
  };
}

const isPromise = (thing) => typeof thing?.then === 'function';

function shownType(thing) {
  return thing === null || thing === undefined ? `${thing}` : (thing.constructor?.name ?? typeof thing);
}
