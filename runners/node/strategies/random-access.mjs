// Pieces at offsets that come in no order.
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import { allocating, asyncBlock, asynchronous, block, concurrent, randomReads } from '../harness/strategy.mjs';

function readSync({ parameters, offsets }) {
  const data = Buffer.allocUnsafeSlow(parameters.block);
  return (path, tally) => {
    const file = fs.openSync(path);
    try {
      for (const offset of offsets) {
        tally.block(data, fs.readSync(file, data, 0, data.length, offset), offset);
      }
    } finally {
      fs.closeSync(file);
    }
  };
}

function readSyncNew({ parameters, offsets }) {
  const size = parameters.block;
  return (path, tally) => {
    const file = fs.openSync(path);
    try {
      for (const offset of offsets) {
        const data = Buffer.alloc(size);
        tally.block(data, fs.readSync(file, data, 0, size, offset), offset);
      }
    } finally {
      fs.closeSync(file);
    }
  };
}

function readHandle({ parameters, offsets }) {
  const data = Buffer.allocUnsafeSlow(parameters.block);
  return async (path, tally) => {
    const file = await fsp.open(path);
    try {
      for (const offset of offsets) {
        const { bytesRead } = await file.read(data, 0, data.length, offset);
        tally.block(data, bytesRead, offset);
      }
    } finally {
      await file.close();
    }
  };
}

// The readers take the next offset in turn, each into a buffer of its own.
function readConcurrent({ parameters, offsets }) {
  const size = parameters.block;
  const buffers = Array.from({ length: parameters.concurrent }, () => Buffer.allocUnsafeSlow(size));
  return async (path, tally) => {
    const file = await fsp.open(path);
    let next = 0;
    const reader = async (data) => {
      while (next < offsets.length) {
        const offset = offsets[next++];
        const { bytesRead } = await file.read(data, 0, size, offset);
        tally.block(data, bytesRead, offset);
      }
    };
    const ended = await Promise.allSettled(buffers.map(reader));
    await file.close();
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  };
}

const says = 'bytes read at each offset';
const piece = block(says);
const asyncPiece = asyncBlock(says);

export default [
  randomReads('read-sync-random', 'fs.readSync', 'readSync at a position, Buffer reused', readSync, {
    parameters: piece,
  }),
  randomReads(
    'read-sync-random-new',
    'fs.readSync, new Buffer',
    'readSync at a position, a new Buffer each',
    readSyncNew,
    { ...allocating, parameters: piece },
  ),
  randomReads(
    'file-handle-read-random',
    'FileHandle.read',
    'FileHandle.read at a position, Buffer reused',
    readHandle,
    { ...asynchronous, parameters: asyncPiece },
  ),
  randomReads(
    'file-handle-read-random-concurrent',
    'FileHandle.read, concurrent',
    'FileHandle.read at positions, several in flight',
    readConcurrent,
    { ...asynchronous, parameters: { ...asyncPiece, ...concurrent }, effort: 3 },
  ),
];
