// Pieces, one call each.
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import { asyncBlock, asynchronous, block, highWaterMark, writes } from '../harness/strategy.mjs';
import { flags, makeDurable, pieces, withFile, writeAll } from '../harness/writing.mjs';

// `before` is given the open file and the size.
function writeSync(setup, before) {
  const all = pieces(setup);
  return (path, tally) => {
    withFile(setup, path, (file) => {
      if (before) before(file, setup.payload.length);
      for (const piece of all) writeAll(file, piece);
    });
    tally.moved(setup.payload.length);
  };
}

// Node has no call that gives a file blocks.
function writeSparse(setup) {
  return writeSync(setup, fs.ftruncateSync);
}

// Over what is there; a longer file is cut off at the end.
function overwriteSync(setup) {
  const all = pieces(setup);
  return (path, tally) => {
    const file = fs.openSync(path, O_WRONLY | O_CREAT);
    try {
      for (const piece of all) writeAll(file, piece);
      fs.ftruncateSync(file, setup.payload.length);
      makeDurable(setup, file);
    } finally {
      fs.closeSync(file);
    }
    tally.moved(setup.payload.length);
  };
}

// It opens and closes the file for each piece.
function appendPromised(setup) {
  const all = pieces(setup);
  if (all.length === 0) all.push(setup.payload);
  return async (path, tally) => {
    for (const piece of all) await fsp.appendFile(path, piece);
    tally.moved(setup.payload.length);
  };
}

// The same without promises.
function appendSync(setup) {
  const all = pieces(setup);
  if (all.length === 0) all.push(setup.payload);
  return (path, tally) => {
    for (const piece of all) fs.appendFileSync(path, piece);
    tally.moved(setup.payload.length);
  };
}

function writeHandle(setup) {
  const all = pieces(setup);
  const how = flags(setup);
  return async (path, tally) => {
    const file = await fsp.open(path, how);
    try {
      for (const piece of all) {
        for (let done = 0; done < piece.length; ) {
          done += (await file.write(piece, done)).bytesWritten;
        }
      }
      if (setup.durability === 'fsync') await file.sync();
      else if (setup.durability === 'fdatasync') await file.datasync();
    } finally {
      await file.close();
    }
    tally.moved(setup.payload.length);
  };
}

// Waits for `drain` whenever write says so: else the stream would hold the whole payload.
function writeStream(setup) {
  const all = pieces(setup);
  const options = {
    flags: flags(setup),
    highWaterMark: setup.parameters.buffer,
    flush: setup.durability === 'fsync',
  };
  return (path, tally) =>
    new Promise((resolve, reject) => {
      const stream = fs.createWriteStream(path, options);
      let next = 0;
      const more = () => {
        while (next < all.length) if (!stream.write(all[next++])) return;
        stream.end();
      };
      stream.on('drain', more).on('error', reject);
      stream.on('close', () => {
        tally.moved(setup.payload.length);
        resolve();
      });
      more();
    });
}

const piece = 'bytes of each piece';
const EVERY = ['none', 'fsync', 'fdatasync', 'dsync'];
const OVERWRITE = 'writeSync over what is there, then ftruncateSync';
const SPARSE = 'writeSync after ftruncateSync, a sparse file';
const { O_WRONLY, O_CREAT } = fs.constants;

export default [
  writes('write-sync', 'fs.writeSync', 'openSync and writeSync of pieces', writeSync, {
    parameters: block(piece),
    durabilities: EVERY,
  }),
  writes('write-sync-ftruncate', 'fs.writeSync after ftruncateSync', SPARSE, writeSparse, {
    parameters: block(piece),
    modes: ['truncate'],
    durabilities: EVERY,
    effort: 3,
  }),
  writes('overwrite-sync', 'fs.writeSync, overwriting', OVERWRITE, overwriteSync, {
    parameters: block(piece),
    modes: ['truncate'],
    durabilities: ['none', 'fsync', 'fdatasync'], // O_DSYNC says nothing of the end that is cut off
    effort: 3,
  }),
  writes('append-file', 'fs.promises.appendFile', 'fs.promises.appendFile of each piece', appendPromised, {
    ...asynchronous,
    parameters: asyncBlock(piece),
    modes: ['append'],
    durabilities: ['none'],
    effort: 1,
  }),
  writes('append-file-sync', 'fs.appendFileSync', 'appendFileSync of each piece', appendSync, {
    parameters: block(piece),
    modes: ['append'],
    durabilities: ['none'],
    effort: 1,
  }),
  writes('file-handle-write', 'FileHandle.write', 'FileHandle.write of pieces', writeHandle, {
    ...asynchronous,
    parameters: asyncBlock(piece),
    durabilities: EVERY,
  }),
  writes('write-stream', 'fs.createWriteStream', 'createWriteStream, write and drain', writeStream, {
    ...asynchronous,
    parameters: { ...block(piece), ...highWaterMark(16384) },
  }),
];
