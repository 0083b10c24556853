// How files are opened to be written, and made durable.
import fs from 'node:fs';

const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND, O_DSYNC } = fs.constants;

// Flags for fs.open: a string where it says all, as programs have it.
export function flags({ mode, durability }) {
  if (durability !== 'dsync') return mode === 'append' ? 'a' : 'w';
  return O_WRONLY | O_CREAT | O_DSYNC | (mode === 'append' ? O_APPEND : O_TRUNC);
}

export function makeDurable({ durability }, file) {
  if (durability === 'fsync') fs.fsyncSync(file);
  else if (durability === 'fdatasync') fs.fdatasyncSync(file);
}

// Calls `write` with an open file, makes it durable as asked, and closes it.
export function withFile(setup, path, write) {
  const file = fs.openSync(path, flags(setup));
  try {
    write(file);
    makeDurable(setup, file);
  } finally {
    fs.closeSync(file);
  }
}

// The payload in pieces, as the program would have them at hand; made before any operation.
export function pieces({ payload, parameters }) {
  const all = [];
  for (let at = 0; at < payload.length; at += parameters.block) {
    all.push(payload.subarray(at, at + parameters.block));
  }
  return all;
}

export function writeAll(file, data) {
  let done = fs.writeSync(file, data);
  while (done < data.length) done += fs.writeSync(file, data, done);
}
