// Blocks into a buffer that is used again.
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import { asyncBlock, asynchronous, block, concurrent, reads } from '../harness/strategy.mjs';

function readSync({ parameters }) {
  const data = Buffer.allocUnsafeSlow(parameters.block);
  return (path, tally) => {
    const file = fs.openSync(path);
    try {
      let offset = 0;
      let count;
      while ((count = fs.readSync(file, data, 0, data.length, null)) > 0) {
        tally.block(data, count, offset);
        offset += count;
      }
    } finally {
      fs.closeSync(file);
    }
  };
}

function readCallback({ parameters }) {
  const data = Buffer.allocUnsafeSlow(parameters.block);
  return (path, tally) =>
    new Promise((resolve, reject) => {
      fs.open(path, (failed, file) => {
        if (failed) return reject(failed);
        let offset = 0;
        const end = (error) => fs.close(file, (late) => (error || late ? reject(error || late) : resolve()));
        const next = () => fs.read(file, data, 0, data.length, null, took);
        const took = (error, count) => {
          if (error || count === 0) return end(error);
          tally.block(data, count, offset);
          offset += count;
          next();
        };
        next();
      });
    });
}

function readHandle({ parameters }) {
  const data = Buffer.allocUnsafeSlow(parameters.block);
  return async (path, tally) => {
    const file = await fsp.open(path);
    try {
      for (let offset = 0; ; ) {
        const { bytesRead } = await file.read(data, 0, data.length, null);
        if (bytesRead === 0) return;
        tally.block(data, bytesRead, offset);
        offset += bytesRead;
      }
    } finally {
      await file.close();
    }
  };
}

// Each reader takes the next piece of the file that nobody has taken, into a buffer of its own.
function readConcurrent({ parameters }) {
  const size = parameters.block;
  const buffers = Array.from({ length: parameters.concurrent }, () => Buffer.allocUnsafeSlow(size));
  return async (path, tally) => {
    const file = await fsp.open(path);
    let next = 0;
    let atEnd = false;
    const reader = async (data) => {
      while (!atEnd) {
        const offset = next;
        next += size;
        for (let done = 0; done < size; ) {
          const { bytesRead } = await file.read(data, 0, size - done, offset + done);
          if (bytesRead === 0) {
            atEnd = true;
            return;
          }
          tally.block(data, bytesRead, offset + done);
          done += bytesRead;
        }
      }
    };
    const ended = await Promise.allSettled(buffers.map(reader));
    await file.close();
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  };
}

const piece = 'bytes of the Buffer given to read';

export default [
  reads('read-sync', 'fs.readSync', 'openSync and readSync, Buffer reused', readSync, {
    parameters: block('bytes of the Buffer given to readSync'),
  }),
  reads('read', 'fs.read', 'fs.open and fs.read with callbacks, Buffer reused', readCallback, {
    ...asynchronous,
    parameters: asyncBlock(piece),
    effort: 3,
  }),
  reads('file-handle-read', 'FileHandle.read', 'FileHandle.read, Buffer reused', readHandle, {
    ...asynchronous,
    parameters: asyncBlock(piece),
  }),
  reads(
    'file-handle-read-concurrent',
    'FileHandle.read, concurrent',
    'FileHandle.read at positions, several in flight',
    readConcurrent,
    { ...asynchronous, parameters: { ...asyncBlock(piece), ...concurrent }, effort: 3 },
  ),
];
