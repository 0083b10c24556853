// Past the page cache. O_DIRECT wants aligned memory, and the only aligned memory that Node gives is
// that of WebAssembly: it begins at a page.
import fs from 'node:fs';
import { block, reads, writes } from '../harness/strategy.mjs';
import { makeDurable } from '../harness/writing.mjs';

const SECTOR = 4096; // what O_DIRECT wants of addresses, offsets and lengths, at most
const PAGE = 65536; // of WebAssembly
const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC, O_DSYNC, O_DIRECT } = fs.constants;

function aligned({ parameters }) {
  const size = Math.ceil(parameters.block / SECTOR) * SECTOR;
  const memory = new WebAssembly.Memory({ initial: Math.ceil(size / PAGE) });
  return Buffer.from(memory.buffer, 0, size);
}

function readSync(setup) {
  const data = aligned(setup);
  return (path, tally) => {
    const file = fs.openSync(path, O_RDONLY | O_DIRECT);
    try {
      let offset = 0;
      let count;
      do { // a short read is at the end, from where O_DIRECT does not go on
        count = fs.readSync(file, data, 0, data.length, offset);
        tally.block(data, count, offset);
        offset += count;
      } while (count === data.length);
    } finally {
      fs.closeSync(file);
    }
  };
}

// The last piece is written up to a whole sector, and the file cut off.
function writeSync(setup) {
  const data = aligned(setup);
  const { payload } = setup;
  const how = O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT | (setup.durability === 'dsync' ? O_DSYNC : 0);
  return (path, tally) => {
    const file = fs.openSync(path, how);
    try {
      for (let at = 0; at < payload.length; at += data.length) {
        const copied = payload.copy(data, 0, at, at + data.length);
        const whole = Math.ceil(copied / SECTOR) * SECTOR;
        for (let done = 0; done < whole; ) done += fs.writeSync(file, data, done, whole - done, at + done);
      }
      if (payload.length % SECTOR > 0) {
        fs.ftruncateSync(file, payload.length); // which O_DSYNC does not wait for
        if (setup.durability === 'dsync') fs.fsyncSync(file);
      }
      makeDurable(setup, file);
    } finally {
      fs.closeSync(file);
    }
    tally.moved(payload.length);
  };
}

function piece(call) {
  const { block: declared } = block(`bytes of the memory given to ${call}, rounded up to a multiple of 4096`);
  return { block: { ...declared, default: 1 << 20, min: SECTOR, max: 1 << 26 } };
}

const more = { effort: 4, bypasses_cache: true, unavailable: O_DIRECT === undefined ? 'no O_DIRECT here' : null };
const READS = 'readSync with O_DIRECT, into memory of WebAssembly';
const WRITES = 'writeSync with O_DIRECT, from memory of WebAssembly';

export default [
  reads('read-sync-direct', 'fs.readSync, O_DIRECT', READS, readSync, { ...more, parameters: piece('readSync') }),
  writes('write-sync-direct', 'fs.writeSync, O_DIRECT', WRITES, writeSync, {
    ...more,
    parameters: piece('writeSync'),
    modes: ['truncate'],
  }),
];
