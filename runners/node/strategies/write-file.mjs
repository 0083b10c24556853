// Everything with one call.
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import { allocating, asynchronous, writes } from '../harness/strategy.mjs';
import { flags } from '../harness/writing.mjs';

function options(setup) {
  return { flag: flags(setup), flush: setup.durability === 'fsync' };
}

function writeSync(setup) {
  const { payload } = setup;
  const how = options(setup);
  return (path, tally) => {
    fs.writeFileSync(path, payload, how);
    tally.moved(payload.length);
  };
}

function writePromised(setup) {
  const { payload } = setup;
  const how = options(setup);
  return async (path, tally) => {
    await fsp.writeFile(path, payload, how);
    tally.moved(payload.length);
  };
}

const whole = { unit: 'file', effort: 1 };

export default [
  writes('write-file-sync', 'fs.writeFileSync', 'writeFileSync of a Buffer', writeSync, whole),
  writes('write-file', 'fs.promises.writeFile', 'fs.promises.writeFile', writePromised, {
    ...asynchronous,
    ...whole,
  }),
  writes('write-file-sync-text', 'fs.writeFileSync, string', 'writeFileSync of a string', writeSync, {
    ...whole,
    ...allocating,
    sums: 'utf16',
    memory: 1,
  }),
];
