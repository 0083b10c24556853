// JSON lines: a value in each line, parsed by itself.
import fs from 'node:fs';
import readline from 'node:readline';
import { asynchronous, endedByReadline, highWaterMark, lines } from '../harness/strategy.mjs';

function byLine({ parameters }) {
  const options = { highWaterMark: parameters.buffer };
  return (path, tally) =>
    new Promise((resolve, reject) => {
      const input = fs.createReadStream(path, options);
      const closed = new Promise((done) => input.once('close', done));
      input.once('error', reject);
      const take = async () => {
        for await (const line of readline.createInterface({ input, crlfDelay: Infinity })) {
          JSON.parse(line);
          tally.line(line);
        }
      };
      take().then(() => closed).then(resolve, reject);
    });
}

export default [
  lines('json-lines', 'readline, JSON.parse', 'createReadStream, readline, JSON.parse', byLine, {
    ...asynchronous,
    format: 'json-lines',
    parameters: highWaterMark(65536),
    compute_only: 'node/split-lines',
    trips_on: endedByReadline,
  }),
];
