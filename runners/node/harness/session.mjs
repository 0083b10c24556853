// The verbs of docs/wire.md.
import crypto from 'node:crypto';
import fs from 'node:fs';
import { known } from './known.mjs';
import { takesPayload, takesText } from './strategy.mjs';
import { Tally } from './tally.mjs';

const MOST_PADDING = 65536;

export class Session {
  #opened = null; // what `open` prepared

  async reply(request) {
    const verb = request?.verb;
    switch (verb) {
      case 'hello':
        return { verb, ...hello() };
      case 'list':
        return { verb, strategies: [...(await known(true)).values()].map(declaration) };
      case 'open':
        this.#opened = null;
        this.#opened = opened(await known(), request);
        return { verb };
      case 'sample':
        return { verb, ...(await this.#sample(request)) };
      case 'release': // every operation has closed what it used
        return { verb };
    }
    throw new Error(`unknown verb: ${JSON.stringify(verb)}`);
  }

  async #sample({ operations, spans, paths }) {
    if (this.#opened === null) throw new Error('no strategy is open');
    atLeastOne('operations', operations);
    atLeastOne('spans', spans);
    if (!Array.isArray(paths) || ![1, operations * spans].includes(paths.length)) {
      throw new Error('paths: neither one path nor one for each operation');
    }
    const { strategy, setup, operation } = this.#opened;
    const finished = operation.watched?.(paths[0], operations * spans);
    const [ns, count, sum] = [0, 1, 2].map(() => new Array(spans).fill(0));
    const tally = new Tally(setup.consume);
    for (let span = 0; span < spans; span++) {
      tally.reset();
      const first = paths.length > 1 ? span * operations : 0;
      ns[span] = await timed(operation, operations, paths, first, tally);
      count[span] = tally.count;
      sum[span] = tally.sum;
    }
    await finished?.();
    const told = strategy.sums === 'nothing' ? numberOf(tally.result) : null;
    const summed = strategy.operation === 'read' && setup.consume !== 'none';
    return {
      ns,
      operations: new Array(spans).fill(operations),
      count,
      sum: summed ? sum : told === null ? null : sum.fill(told),
      counters: { allocated_bytes: null, gc_ns: null, gc_count: null },
    };
  }
}

// A number that is the same for the same result; null of what cannot be compared.
function numberOf(result) {
  const plain = (thing) => typeof thing === 'number' || typeof thing === 'string' || typeof thing === 'boolean';
  const several = Array.isArray(result) && result.every(plain);
  if (!plain(result) && !several) return null;
  const text = JSON.stringify(typeof result === 'number' ? Number(result.toPrecision(9)) : result);
  return parseInt(crypto.createHash('sha256').update(text).digest('hex').slice(0, 12), 16);
}

// The time in ns of a span. One loop serves all: what returns no promise is not waited for, so that
// it costs no turn of the queue of promises.
async function timed(operation, operations, paths, at, tally) {
  const step = paths.length > 1 ? 1 : 0;
  let path = paths[at];
  try {
    const began = process.hrtime.bigint();
    for (let left = operations; left > 0; left--) {
      path = paths[at];
      at += step;
      const promise = operation(path, tally);
      if (promise !== undefined) await promise;
    }
    return Number(process.hrtime.bigint() - began);
  } catch (error) {
    throw new Error(`${path}: ${error.message}`);
  }
}

function hello() {
  const version = process.versions.node;
  return {
    wire: 3,
    runner: 'node',
    runtime: `node-${version}`,
    name: `Node.js, V8 ${process.versions.v8}`,
    version,
    flags: process.execArgv,
    clock_resolution_ns: Math.min(...Array.from({ length: 100 }, clockStep)),
  };
}

function clockStep() {
  const began = process.hrtime.bigint();
  let now = began;
  while (now === began) now = process.hrtime.bigint();
  return Number(now - began);
}

function declaration({ open, ...declared }) {
  return declared;
}

function opened(strategies, { strategy: name, parameters, workload, payload, offsets, padding }) {
  const strategy = strategies.get(name);
  if (strategy === undefined) throw new Error(`unknown strategy: ${JSON.stringify(name)}`);
  if (strategy.unavailable) throw new Error(`${name}: ${strategy.unavailable}`);
  try {
    const { operation, consume, mode, durability } = workload ?? {};
    oneOf('operation', operation, [strategy.operation]);
    const setup = {
      parameters: inRange(strategy.parameters, parameters ?? {}),
      consume: oneOf('consume', consume, strategy.consumes),
      mode: oneOf('mode', mode ?? null, strategy.modes),
      durability: oneOf('durability', durability ?? null, strategy.durabilities),
    };
    const size = padding ?? 0;
    if (!Number.isInteger(size) || size < 0 || size > MOST_PADDING) {
      throw new Error(`padding ${size}: no number from 0 to ${MOST_PADDING}`);
    }
    const held = Buffer.allocUnsafeSlow(size);
    if (takesPayload(strategy)) setup.payload = payloadOf(strategy, payload);
    if (strategy.access === 'random') setup.offsets = offsetsOf(offsets);
    return { strategy, setup, held, operation: strategy.open(setup) };
  } catch (error) {
    throw new Error(`${name}: ${error.message}`);
  }
}

function inRange(declared, given) {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(declared, name)) throw new Error(`unknown parameter ${name}`);
  }
  for (const [name, { min, max }] of Object.entries(declared)) {
    const value = given[name];
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new Error(`${name} ${JSON.stringify(value)}: no number from ${min} to ${max}`);
    }
  }
  return given;
}

function oneOf(what, value, declared) {
  const allowed = declared.length > 0 ? declared : [null];
  if (!allowed.includes(value)) {
    throw new Error(`${what} ${JSON.stringify(value)}: this strategy has ${allowed.join(', ')}`);
  }
  return value;
}

function payloadOf(strategy, path) {
  if (strategy.operation === 'copy') {
    prepared('payload', path, firstByte);
    return path;
  }
  const data = prepared('payload', path, fs.readFileSync);
  return takesText(strategy) ? data.toString('utf8') : data;
}

// Fails where a copy would.
function firstByte(path) {
  const file = fs.openSync(path);
  try {
    fs.readSync(file, Buffer.alloc(1));
  } finally {
    fs.closeSync(file);
  }
}

function offsetsOf(path) {
  const data = prepared('offsets', path, fs.readFileSync);
  return Array.from({ length: data.length / 8 }, (_, i) => Number(data.readBigInt64LE(8 * i)));
}

function prepared(what, path, read) {
  if (typeof path !== 'string') throw new Error(`${what} is missing: the path of a file`);
  try {
    return read(path);
  } catch (error) {
    throw new Error(`${what} ${path}: ${error.message}`);
  }
}

function atLeastOne(what, value) {
  if (!Number.isInteger(value) || value < 1) {
    throw new Error(`${what} ${JSON.stringify(value)}: no number of at least 1`);
  }
}
