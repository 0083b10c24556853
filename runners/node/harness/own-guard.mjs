// What code of the user's may do beyond its call, and how the runner lives with it and sees it: it may end the program,
// throw when nobody waits for it, never settle its promise, or go on reading after it returned.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Readable } from 'node:stream';

const IO = '/proc/self/io';
const QUIET_MS = 1000; // for which it may go on before it is looked at
const WAKES = 40; // bytes at most by which the event loop is woken for one operation, which count as read
const CHILD = 'ProcessWrap';

export class Ended extends Error {} // it called process.exit
export class Unsettled extends Error {} // nothing is left that could settle its promise

let thrown = []; // what was thrown while nobody waited for it
let giveUp = () => {}; // rejects what the runner waits for
let looked = 0; // bytes that looking itself has read

let guarded = false;

// To be called before code of the user's is loaded.
export function guard() {
  if (guarded) return;
  guarded = true;
  process.exit = () => {
    throw new Ended();
  };
  process.on('uncaughtException', (error) => {
    thrown.push(error);
    giveUp(error);
  });
  process.on('beforeExit', () => giveUp(new Unsettled()));
  const nothing = Readable.from([]); // the real one is the channel
  Object.defineProperty(process, 'stdin', { get: () => nothing });
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

// The same promise, for so many ms at most.
export function within(ms, promise) {
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`it takes longer than ${ms / 1000} s`)), ms).unref();
  });
  return Promise.race([promise, late]);
}

// Looks at what the process does from now on. What it returns is to be called when operations are over: it waits until
// all is quiet, and says how many bytes were `read` (null where the system does not tell), whether most of them after
// that (`goesOn`), and what was `thrown` that nobody waited for. A process that was `waited` for may be closing its
// files, which costs the event loop some bytes.
export function look() {
  thrown = [];
  const [idle, children, before] = [active().length, childrenOf(active()), bytesRead()];
  return async (operations, waited) => {
    const then = bytesRead();
    await new Promise((done) => process.nextTick(done)); // streams begin there
    let goesOn = before === null && !waited && active().length > idle;
    if (active().length > idle) await quiet(idle);
    const now = bytesRead();
    if (now !== null) {
      const after = now - then;
      goesOn = (after > then - before && after > WAKES * operations) || childrenOf(active()) > children;
    }
    return { read: now === null ? null : now - before, goesOn, thrown: thrown[0] };
  };
}

// Whether that is nothing of a file of this size. An operation that was waited for may have woken the event loop.
export function isNothing(bytes, waited, size) {
  return bytes !== null && bytes < Math.min(size, waited ? WAKES : 1);
}

const active = () => process.getActiveResourcesInfo();
const childrenOf = (resources) => resources.filter((each) => each === CHILD).length;

async function quiet(idle) {
  const until = performance.now() + QUIET_MS;
  while (active().length > idle && performance.now() < until) {
    await new Promise((done) => setImmediate(done));
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
