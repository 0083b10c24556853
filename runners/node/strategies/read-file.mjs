// The whole file at once.
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import { allocating, asynchronous, reads, texts } from '../harness/strategy.mjs';

function readSync() {
  return (path, tally) => {
    const data = fs.readFileSync(path);
    tally.block(data, data.length, 0);
  };
}

function readPromised() {
  return async (path, tally) => {
    const data = await fsp.readFile(path);
    tally.block(data, data.length, 0);
  };
}

function textSync() {
  return (path, tally) => tally.text(fs.readFileSync(path, 'utf8'));
}

function textPromised() {
  return async (path, tally) => tally.text(await fsp.readFile(path, 'utf8'));
}

const whole = { ...allocating, unit: 'file', effort: 1 };
const text = { ...whole, memory: 3, compute_only: 'node/decode-text' };

export default [
  reads('read-file-sync', 'fs.readFileSync', 'readFileSync, a new Buffer', readSync, {
    ...whole,
    memory: 1,
  }),
  reads('read-file', 'fs.promises.readFile', 'fs.promises.readFile, a new Buffer', readPromised, {
    ...asynchronous,
    ...whole,
    memory: 2,
  }),
  texts('read-file-sync-text', "fs.readFileSync(…, 'utf8')", 'readFileSync, a string', textSync, text),
  texts(
    'read-file-text',
    "fs.promises.readFile(…, 'utf8')",
    'fs.promises.readFile, a string',
    textPromised,
    { ...asynchronous, ...text },
  ),
];
