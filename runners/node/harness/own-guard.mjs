// What code of the user's may do beyond its call, and how the runner lives with it and sees it: it may end the program,
// throw when nobody waits for it, never settle its promise, or go on reading after it returned.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const IO = '/proc/self/io';
const QUIET_MS = 1000; // for which it may go on before it is looked at
const TICK_MS = 1000; // after which a clock is looked at again
const WAKES = 40; // bytes at most by which the event loop is woken for one operation, which count as read
const CHILD = 'ProcessWrap';

export class Ended extends Error {} // it called process.exit
export class Unsettled extends Error {} // nothing is left that could settle its promise

let thrown = []; // what was thrown while nobody waited for it
let giveUp = () => {}; // rejects what the runner waits for
let looked = 0; // bytes that looking itself has read
let stood = 0; // ms for which the process stood still

let guarded = false;

// To be called before code of the user's is loaded.
export function guard() {
  if (guarded) return;
  guarded = true;
  void process.stderr; // a pipe, which would be taken for something new when the code prints for the first time
  process.exit = () => {
    throw new Ended();
  };
  process.on('uncaughtException', (error) => {
    thrown.push(error);
    giveUp(error);
  });
  process.on('beforeExit', () => giveUp(new Unsettled()));
  syncBuiltinESMExports(); // of `import { exit } from 'node:process'`
}

// The same promise; but it is rejected, too, with what the code throws in a callback of its own, and where nothing is
// left that could settle it.
export function settled(promise) {
  return new Promise((resolve, reject) => {
    giveUp = reject;
    promise.then(resolve, reject);
  });
}

// The time in ms, of a clock that stands still while the process does, as far as `within` noticed.
export const running = () => performance.now() - stood;

// The same promise, for so many ms at most in which the process ran.
export async function within(ms, promise) {
  const until = running() + ms;
  let [before, timer] = [performance.now(), null];
  const late = new Promise((_, reject) => {
    const tick = () => {
      stood += Math.max(0, performance.now() - before - 2 * TICK_MS);
      before = performance.now();
      if (running() >= until) reject(new Error(`it takes longer than ${ms / 1000} s`));
    };
    timer = setInterval(tick, Math.min(ms, TICK_MS)).unref();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearInterval(timer);
  }
}

// Looks at what the process does from now on. What it returns is to be called when operations are over: it waits until
// all is quiet, and says how many bytes were `read` (null where the system does not tell), whether most of them after
// that (`goesOn`), and what was `thrown` that nobody waited for. A process that was `waited` for may be closing its
// files, which costs the event loop some bytes.
export function look() {
  thrown = [];
  const [idle, before] = [active(), bytesRead()];
  return async (operations, waited) => {
    const then = bytesRead();
    await new Promise((done) => process.nextTick(done)); // streams begin there
    let goesOn = !waited && isBusier(idle); // where nothing better is known
    await quiet(idle);
    if (before === null) return { read: null, goesOn, thrown: thrown[0] };
    const [read, after] = [then - before, bytesRead() - then];
    goesOn = (after > read && after > WAKES * operations) || active()[CHILD] > (idle[CHILD] ?? 0);
    return { read: goesOn ? read + after : read, goesOn, thrown: thrown[0] };
  };
}

// Whether that is nothing of a file of this size. An operation that was waited for may have woken the event loop.
export function isNothing(bytes, waited, size) {
  return bytes !== null && bytes < Math.min(size, waited ? WAKES : 1);
}

// How many things of each kind keep the event loop alive.
function active() {
  const counts = {};
  for (const each of process.getActiveResourcesInfo()) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}

const isBusier = (idle) => Object.entries(active()).some(([kind, count]) => count > (idle[kind] ?? 0));

async function quiet(idle) {
  const until = performance.now() + QUIET_MS;
  while (isBusier(idle) && performance.now() < until) {
    await new Promise((done) => setTimeout(done, 1)); // turning without a pause wakes the event loop, which would count
  }
}

// By all threads of the process, and by children that have ended, without what this function itself has read.
function bytesRead() {
  try {
    const text = fs.readFileSync(IO, 'latin1');
    const bytes = Number(/rchar: (\d+)/.exec(text)[1]) - looked;
    looked += text.length;
    return bytes;
  } catch {
    return null;
  }
}
