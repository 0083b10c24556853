// fs.createReadStream: a new Buffer for each chunk.
import fs from 'node:fs';
import { allocating, asynchronous, highWaterMark, reads } from '../harness/strategy.mjs';

function onData({ parameters }) {
  const options = { highWaterMark: parameters.buffer };
  return (path, tally) =>
    new Promise((resolve, reject) => {
      let offset = 0;
      fs.createReadStream(path, options)
        .on('data', (chunk) => {
          tally.block(chunk, chunk.length, offset);
          offset += chunk.length;
        })
        .on('error', reject)
        .on('close', resolve);
    });
}

function forAwait({ parameters }) {
  const options = { highWaterMark: parameters.buffer };
  return async (path, tally) => {
    let offset = 0;
    const stream = fs.createReadStream(path, options);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    for await (const chunk of stream) {
      tally.block(chunk, chunk.length, offset);
      offset += chunk.length;
    }
    await closed;
  };
}

const parameters = highWaterMark(65536);

export default [
  reads('read-stream', 'createReadStream, for await', 'createReadStream, for await', forAwait, {
    ...asynchronous,
    ...allocating,
    parameters,
  }),
  reads('read-stream-data', "createReadStream.on('data')", "createReadStream, 'data' events", onData, {
    ...asynchronous,
    ...allocating,
    parameters,
  }),
];
