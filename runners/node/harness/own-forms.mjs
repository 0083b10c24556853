// The file in the form that a function takes, opened as its users would: plainly.
import fs from 'node:fs';
import readline from 'node:readline';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';

// What a path becomes, by form, without anything that is open.
export const given = { url: pathToFileURL, bytes: (path) => Buffer.from(path) };

const quietly = (close) => {
  try {
    close();
  } catch {
    // The function has closed it.
  }
};
const destroyed = (stream, thing = stream) => [thing, () => void stream.destroy()];

// What is opened of a path, with what closes it.
const opened = {
  descriptor: (path) => {
    const fd = fs.openSync(path, 'r');
    return [fd, () => quietly(() => fs.closeSync(fd))];
  },
  handle: async (path) => {
    const handle = await fs.promises.open(path);
    return [handle, () => handle.close()];
  },
  stream: (path) => destroyed(fs.createReadStream(path)),
  web: (path) => {
    const stream = fs.createReadStream(path);
    return destroyed(stream, Readable.toWeb(stream));
  },
  lines: (path) => {
    const stream = fs.createReadStream(path);
    return destroyed(stream, readline.createInterface({ input: stream, crlfDelay: Infinity }));
  },
};
const GOES_ON = new Set(['stream', 'web', 'lines']); // read on behind a function that returned, which is to be seen

// The same call of a path, where it takes what is opened of it. That is closed when all is read.
export function held(form, call) {
  const open = Object.hasOwn(opened, form) && opened[form];
  if (!open) return call;
  const run = ([thing, close], size, called) => {
    const finished = (returned) => {
      if (typeof returned?.next === 'function' || returned?.[Symbol.asyncIterator]) return closing(returned, close);
      const waited = close();
      return waited ? waited.then(() => returned) : returned;
    };
    const failed = (error) => {
      close();
      throw error;
    };
    let returned;
    try {
      returned = call(thing, size, called);
    } catch (error) {
      return failed(error);
    }
    if (typeof returned?.then === 'function') return returned.then(finished, failed);
    return GOES_ON.has(form) ? returned : finished(returned);
  };
  return (path, size, called) => {
    const found = open(path);
    return typeof found.then === 'function' ? found.then((each) => run(each, size, called)) : run(found, size, called);
  };
}

function closing(items, close) {
  return items[Symbol.asyncIterator] ? closingLater(items, close) : closingAtOnce(items, close);
}

function* closingAtOnce(items, close) {
  try {
    yield* items;
  } finally {
    close();
  }
}

async function* closingLater(items, close) {
  try {
    yield* items;
  } finally {
    await close();
  }
}
