// What the files in `strategies/` declare. A strategy has the keys of docs/wire.md, and `open`: that
// takes a setup and returns the operation, a function of a path and a tally that does the whole work
// on one file. An asynchronous operation returns a promise; when it is settled, all is done and closed.
//
// The setup holds `parameters`, `consume`, `mode`, `durability`, `payload` (bytes, a string where text
// is written, the path of the source where a file is copied) and `offsets`.

const MOST = 2 ** 30;
const ASYNC_LEAST = 512;

function strategy(defaults) {
  return (name, call, title, open, more = {}) => {
    const { memory = 0, ...others } = more;
    return {
      name: `node/${name}`,
      title,
      call,
      operation: 'read',
      unit: 'block',
      medium: 'file',
      access: 'sequential',
      sums: 'byte',
      consumes: ['none', 'touch', 'sum'],
      modes: [],
      durabilities: [],
      format: 'plain',
      parameters: {},
      effort: 2,
      role: 'contestant',
      buffer: null,
      data: null,
      opens: null,
      compute_only: null,
      uncounted: null,
      trips_on: [],
      unavailable: null,
      ...defaults,
      ...others,
      needs: { memory_per_file_byte: memory, runtime: null },
      open,
    };
  };
}

// What nearly all do: the Buffer is there before, the file is opened by each operation.
const handling = { buffer: 'reused', opens: 'each' };
const reading = { ...handling, data: 'copied' };

// Each operation has Node allocate a Buffer or a string.
export const allocating = { buffer: 'new' };

export const reads = strategy({ ...reading, compute_only: 'node/consume-array' });
export const randomReads = strategy({ ...reading, access: 'random', compute_only: 'node/consume-array' });
export const texts = strategy({ ...reading, ...allocating, sums: 'utf16', consumes: ['none', 'sum'] });
export const lines = strategy({
  ...reading,
  ...allocating,
  unit: 'line',
  sums: 'line-utf16',
  consumes: ['none', 'sum'],
});
export const inMemory = strategy({ medium: 'memory', role: 'compute_only' });
export const writes = strategy({
  ...handling,
  operation: 'write',
  consumes: ['none'],
  modes: ['truncate', 'append'],
  durabilities: ['none', 'fsync', 'dsync'],
});
export const copies = strategy({
  ...handling,
  operation: 'copy',
  unit: 'file',
  consumes: ['none'],
  modes: ['truncate'],
  durabilities: ['none'],
});

function number(says, unit, role, initial, min, max) {
  return { default: initial, min, max, unit, role, says };
}

// Bytes that the program moves with one call.
export function block(says) {
  return { block: number(says, 'bytes', 'piece', 65536, 1, MOST) };
}

// The same where each piece costs a journey to a thread: a few bytes are no offer.
export function asyncBlock(says) {
  return { block: number(says, 'bytes', 'piece', 65536, ASYNC_LEAST, MOST) };
}

// Bytes of the library's own buffer, which costs a journey too.
export function highWaterMark(initial) {
  return { buffer: number('bytes of highWaterMark', 'bytes', 'buffer', initial, ASYNC_LEAST, MOST) };
}

export const concurrent = {
  concurrent: number('reads of one file that are in flight at a time', 'count', 'depth', 4, 1, 64),
};

// Of strategies whose calls other threads make: they wake the event loop by reads and writes.
export const asynchronous = { uncounted: "the event loop's own calls are counted with them" };

// Readline also ends a line at a lone carriage return and, since Node 24, at U+2028 and U+2029.
export const endedByReadline = ['lone-cr'];
if (Number.parseInt(process.versions.node) >= 24) endedByReadline.push('line-separator');

export function takesPayload({ operation, medium }) {
  return operation !== 'read' || medium === 'memory';
}

// As a program of the language would have its data: as a string where it reads or writes text.
export function takesText({ operation, sums }) {
  return operation === 'write' && sums !== 'byte';
}
