// Lines, each a string.
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import readline from 'node:readline';
import { asynchronous, endedByReadline, highWaterMark, inMemory, lines } from '../harness/strategy.mjs';

// Resolves when all lines were taken and the file is closed. An error of the stream does not reach
// who waits for lines, so it is listened to.
function taken(stream, take) {
  return new Promise((resolve, reject) => {
    const closed = new Promise((done) => stream.once('close', done));
    stream.once('error', reject);
    take().then(() => closed).then(resolve, reject);
  });
}

function forAwait({ parameters }) {
  const options = { highWaterMark: parameters.buffer };
  return (path, tally) => {
    const input = fs.createReadStream(path, options);
    return taken(input, async () => {
      for await (const line of readline.createInterface({ input, crlfDelay: Infinity })) {
        tally.line(line);
      }
    });
  };
}

function onLine({ parameters }) {
  const options = { highWaterMark: parameters.buffer };
  return (path, tally) =>
    new Promise((resolve, reject) => {
      const input = fs.createReadStream(path, options);
      input.once('error', reject).once('close', resolve);
      readline
        .createInterface({ input, crlfDelay: Infinity })
        .on('line', (line) => tally.line(line))
        .on('error', reject);
    });
}

function handleLines({ parameters }) {
  const options = { highWaterMark: parameters.buffer };
  return async (path, tally) => {
    const file = await fsp.open(path);
    const interface_ = file.readLines(options);
    await taken(interface_.input, async () => {
      for await (const line of interface_) tally.line(line);
    });
  };
}

function splitText(text, tally) {
  const all = text.split(/\r?\n/);
  if (all.at(-1) === '') all.pop();
  for (const line of all) tally.line(line);
}

function split() {
  return (path, tally) => splitText(fs.readFileSync(path, 'utf8'), tally);
}

const compute_only = 'node/split-lines';
const streamed = { ...asynchronous, parameters: highWaterMark(65536), compute_only, trips_on: endedByReadline };

export default [
  lines('readline', 'readline, for await', 'createReadStream, readline, for await', forAwait, streamed),
  lines('readline-event', "readline.on('line')", "createReadStream, readline, 'line'", onLine, streamed),
  lines('read-lines', 'FileHandle.readLines', 'FileHandle.readLines, for await', handleLines, streamed),
  lines('split-file', 'fs.readFileSync, split', 'readFileSync as text, split(/\\r?\\n/)', split, {
    effort: 1,
    memory: 6,
    compute_only,
  }),
  inMemory(
    'split-lines',
    'split, in memory',
    'decoding memory, split(/\\r?\\n/)',
    ({ payload }) => (_, tally) => splitText(payload.toString('utf8'), tally),
    { unit: 'line', sums: 'line-utf16', consumes: ['none', 'sum'], memory: 6 },
  ),
  inMemory(
    'decode-text',
    'decoding memory',
    'Buffer.toString of memory',
    ({ payload }) => (_, tally) => tally.text(payload.toString('utf8')),
    { unit: 'file', sums: 'utf16', consumes: ['none', 'sum'], memory: 2 },
  ),
];
