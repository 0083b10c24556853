// One file copied into another one.
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { allocating, asynchronous, block, copies, highWaterMark } from '../harness/strategy.mjs';
import { writeAll } from '../harness/writing.mjs';

// The calls that copy a whole file do not say how much that was.
const sizeOf = (path) => fs.statSync(path).size;

function copySync({ payload }) {
  const size = sizeOf(payload);
  return (path, tally) => {
    fs.copyFileSync(payload, path);
    tally.moved(size);
  };
}

function copyPromised({ payload }) {
  const size = sizeOf(payload);
  return async (path, tally) => {
    await fsp.copyFile(payload, path);
    tally.moved(size);
  };
}

function piped({ payload, parameters }) {
  const options = { highWaterMark: parameters.buffer };
  return async (path, tally) => {
    const to = fs.createWriteStream(path);
    const closed = new Promise((resolve) => to.once('close', resolve));
    const from = fs.createReadStream(payload, options);
    await pipeline(from, to);
    await closed;
    tally.moved(to.bytesWritten);
  };
}

function blocks({ payload, parameters }) {
  const data = Buffer.allocUnsafeSlow(parameters.block);
  return (path, tally) => {
    const from = fs.openSync(payload);
    try {
      const to = fs.openSync(path, 'w');
      try {
        let count;
        while ((count = fs.readSync(from, data, 0, data.length, null)) > 0) {
          writeAll(to, count < data.length ? data.subarray(0, count) : data);
          tally.moved(count);
        }
      } finally {
        fs.closeSync(to);
      }
    } finally {
      fs.closeSync(from);
    }
  };
}

const byKernel = { buffer: 'none' };

export default [
  copies('copy-file-sync', 'fs.copyFileSync', 'copyFileSync', copySync, { ...byKernel, effort: 1 }),
  copies('copy-file', 'fs.promises.copyFile', 'fs.promises.copyFile', copyPromised, {
    ...asynchronous,
    ...byKernel,
    effort: 1,
  }),
  copies('copy-pipeline', 'stream.pipeline', 'createReadStream, pipeline, createWriteStream', piped, {
    ...asynchronous,
    ...allocating,
    unit: 'block',
    parameters: highWaterMark(65536),
  }),
  copies('copy-blocks', 'fs.readSync and fs.writeSync', 'readSync and writeSync, Buffer reused', blocks, {
    unit: 'block',
    parameters: block('bytes of the Buffer given to both'),
  }),
];
