// Pieces, one call each.
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import { block, highWaterMark, writes } from '../harness/strategy.mjs';
import { flags, pieces, withFile, writeAll } from '../harness/writing.mjs';

function writeSync(setup) {
  const all = pieces(setup);
  return (path, tally) => {
    withFile(setup, path, (file) => {
      for (const piece of all) writeAll(file, piece);
    });
    tally.moved(setup.payload.length);
  };
}

// It opens and closes the file for each piece.
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

export default [
  writes('write-sync', 'fs.writeSync', 'openSync and writeSync of pieces', writeSync, {
    parameters: block(piece),
  }),
  writes('append-file-sync', 'fs.appendFileSync', 'appendFileSync of each piece', appendSync, {
    parameters: block(piece),
    modes: ['append'],
    durabilities: ['none'],
    effort: 1,
  }),
  writes('file-handle-write', 'FileHandle.write', 'FileHandle.write of pieces', writeHandle, {
    parameters: block(piece, 64),
  }),
  writes('write-stream', 'fs.createWriteStream', 'createWriteStream, write and drain', writeStream, {
    parameters: { ...block(piece, 64), ...highWaterMark(16384) },
  }),
];
