// Files that gzip packed: their data, unpacked while they are read.
import fs from 'node:fs';
import readline from 'node:readline';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import { allocating, asynchronous, endedByReadline, highWaterMark, lines, reads } from '../harness/strategy.mjs';

function atOnce() {
  return (path, tally) => {
    const data = zlib.gunzipSync(fs.readFileSync(path));
    tally.block(data, data.length, 0);
  };
}

function piped({ parameters }) {
  const options = { highWaterMark: parameters.buffer };
  return (path, tally) => {
    let offset = 0;
    return pipeline(fs.createReadStream(path, options), zlib.createGunzip(), async (chunks) => {
      for await (const chunk of chunks) {
        tally.block(chunk, chunk.length, offset);
        offset += chunk.length;
      }
    });
  };
}

function byLine({ parameters }) {
  const options = { highWaterMark: parameters.buffer };
  return (path, tally) =>
    pipeline(fs.createReadStream(path, options), zlib.createGunzip(), async (input) => {
      let failed;
      input.once('error', (error) => (failed = error)); // does not reach who waits for lines
      for await (const line of readline.createInterface({ input, crlfDelay: Infinity })) {
        tally.line(line);
      }
      if (failed) throw failed;
    });
}

// Zeros behind the last member are skipped; all else is taken for another one.
const gunzips = { format: 'gzip', trips_on: ['trailing-data'] };
const streamed = { ...gunzips, ...asynchronous, parameters: highWaterMark(65536) };

export default [
  reads('gunzip-sync', 'zlib.gunzipSync', 'gunzipSync of readFileSync, all at once', atOnce, {
    ...gunzips,
    ...allocating,
    unit: 'file',
    effort: 1,
    memory: 3, // its parts and the whole, and what is packed
  }),
  reads('gunzip-stream', 'createReadStream, createGunzip', 'createReadStream, createGunzip, for await', piped, {
    ...streamed,
    ...allocating,
  }),
  lines('gunzip-readline', 'createGunzip, readline', 'createReadStream, createGunzip, readline', byLine, {
    ...streamed,
    compute_only: 'node/split-lines',
    trips_on: [...gunzips.trips_on, ...endedByReadline],
  }),
];
