// Functions of the user's own, without a host: `node --test harness/own.test.mjs`.
import assert from 'node:assert';
import { exec, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { stat } from 'node:fs/promises';
import readline from 'node:readline';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { held } from './own-forms.mjs';
import { listed, parametersOf, waysOf } from './own-functions.mjs';
import { isNothing, look, within } from './own-guard.mjs';
import { tried } from './own-trial.mjs';

const names = (thing) => parametersOf(thing).map(({ name, needed }) => (needed ? name : `${name}?`)).join(' ');

test('the parameters of functions of every shape', () => {
  const { method, other } = {
    method(path, /* of bytes, (or so) */ size) { return [path, size]; },
    async *other(path, { encoding = ')' } = {}) { yield [path, encoding]; },
  };
  for (const [thing, expected] of [
    [function read(path, done) { return done(path); }, 'path done'],
    [(path) => path, 'path'],
    [path => path, 'path'],
    [async path => path, 'path'],
    [async (path, size = Math.max(1, 2), ...more) => [path, size, more], 'path size? more?'],
    [method, 'path size'],
    [other, 'path ?'],
    [({ path }) => path, ''],
    [function* (a, b = '(,', c = (x, y) => x) { yield [a, b, c]; }, 'a b? c?'],
    [() => 1, ''],
    [class { read() {} }, ''],
    [class { read(a) { return a; } constructor(path, options = {}) { this.path = [path, options]; } }, 'path options?'],
    [Math.max, ' '],
  ]) {
    assert.equal(names(thing), expected, `${thing}`);
  }
});

const FILE = 'read-log';
const ways = (module) => waysOf(module, FILE);

test('functions are called as they are exported, and without a name as their file is', () => {
  const { arrow } = { arrow: (() => (path) => path)() };
  function read(path) { return path; }
  assert.deepEqual(ways({ default: arrow }).map((each) => each.name), [FILE]);
  assert.deepEqual(ways({ default: read, 'module.exports': read }).map((each) => each.name), ['read']);
  assert.deepEqual(ways({ default: { some: read }, some: read, no: 1 }).map((each) => each.name), ['some']);
  assert.equal(listed(ways({ a: read, b: arrow, c: Math.max, d: Math.min })), ', only a(path), b(path), c(…, …), …');
});

test('a path is called so, and what else a function needs is told', () => {
  const named = (thing) => ways({ f: thing })[0].named;
  for (const each of [(path) => path, (fileName) => fileName, (log_file) => log_file, (fname) => fname, (url) => url]) {
    assert.ok(named(each), `${each}`);
  }
  for (const each of [(line) => line, (profile) => profile, (outFile) => outFile, (files) => files, (p) => p]) {
    assert.ok(!named(each), `${each}`);
  }
  assert.equal(ways({ f: () => 1 })[0].wrong, 'f() takes nothing; let it take a path');
  const three = ways({ f: (path, word, other) => [path, word, other] })[0].wrong;
  assert.equal(three, 'f() needs word and other besides a file; give them default values');
  assert.ok(ways({ f: (path, blockSize) => [path, blockSize] })[0].sized);
});

test('methods of a class that is made of a path, of one that is made of nothing, and static ones', async () => {
  class Of { constructor(path) { this.path = path; } size() { return this.path.length; } _own() {} get it() { return 1; } }
  class Plain { read(path, n) { return [path, n]; } static whole(path) { return path; } other() {} }
  class Further extends Of { twice() { return 2 * this.size(); } }
  const found = ways({ Of, Plain, Further });
  assert.deepEqual(found.map((each) => each.name), ['Of.size', 'Plain.whole', 'Plain.read', 'Further.twice']);
  const call = (name) => found.find((each) => each.name === name).call('abc', 5);
  assert.deepEqual([call('Of.size'), call('Plain.whole')], [3, 'abc']);
  assert.match(ways({ C: class { constructor(a, b) { this.a = [a, b]; } go() {} } })[0].wrong, /^C is a class/);
});

test('types say what a parameter is given, and whether it is needed', () => {
  class Log { constructor(source) { this.source = source; } size() { return this.source; } hidden() {} }
  const types = {
    f: [{ form: 'stream' }, { optional: true, form: null }],
    g: [{ form: 'text' }, { form: 'callback' }],
    h: [{ form: 'other' }],
    Log: [{ form: 'path' }],
    'Log.hidden': null,
  };
  const module = { f: (x, y) => [x, y], g: (path, whenDone) => whenDone(null, path), h: (file) => file, Log };
  const some = waysOf(module, FILE, types);
  assert.deepEqual(some.map(({ name, named, callsBack }) => [name, named, callsBack ?? null]), [
    ['f', true, false], ['g', true, true], ['h', false, false], ['Log.size', true, false],
  ]);
  assert.deepEqual(ways({ f: (url) => url, g: (fd) => fd, h: (x, stream) => [x, stream] }).map(({ named }) => named), [true, true, false]);
  assert.equal(waysOf({ default: Object.assign((path) => path, {}) }, FILE, { default: [] })[0].name, FILE);
});

test('a file is opened in the form that a function takes, and closed behind it', async () => {
  const file = fileURLToPath(import.meta.url);
  const size = fs.statSync(file).size;
  const open = () => fs.readdirSync('/proc/self/fd').length;
  const before = open();
  const sizeOf = async (items) => { let all = 0; for await (const each of items) all += each.length; return all; };
  for (const [form, read, expected] of [
    ['descriptor', (fd) => fs.fstatSync(fd).size, size],
    ['descriptor', function* (fd) { yield fs.fstatSync(fd).size; }, [size]],
    ['descriptor', (fd) => { fs.closeSync(fd); return 1; }, 1],
    ['handle', async (handle) => (await handle.stat()).size, size],
    ['handle', async (handle) => { await handle.close(); return 1; }, 1],
    ['stream', sizeOf, size],
    ['stream', async (stream) => { for await (const _ of stream) return 1; return 0; }, 1],
    ['web', sizeOf, size],
    ['lines', sizeOf, fs.readFileSync(file, 'utf8').replaceAll('\n', '').length],
    ['text', (path) => path, file],
  ]) {
    const returned = await held(form, read)(file);
    assert.deepEqual(typeof returned?.next === 'function' ? [...returned] : returned, expected, `${form} ${read}`);
  }
  assert.throws(() => held('descriptor', () => { throw new Error('mine'); })(file), /mine/);
  await assert.rejects(held('handle', async () => { throw new Error('mine'); })(file), /mine/);
  assert.throws(() => held('descriptor', () => 1)(`${file}.no`), /ENOENT/);
  await new Promise((done) => setTimeout(done, 100)); // streams close later
  assert.equal(open(), before);
});

const whole = (path) => fs.readFileSync(path, 'utf8');
const found = async (thing) => (await tried(ways({ [`f${found.number++}`]: thing })))[0];
found.number = 0;

test('what functions return, and whether they read', async () => {
  for (const [thing, kind] of [
    [(p) => fs.readFileSync(p), 'bytes'],
    [whole, 'text'],
    [(p) => whole(p).split('\n'), 'lines'],
    [(p) => whole(p).length, 'anything'],
    [(p) => new Set(whole(p).split('\n')), 'anything'],
    [(p) => fs.promises.readFile(p, 'utf8'), 'text'],
    [(p) => fs.createReadStream(p), 'pieces'],
    [(p) => readline.createInterface({ input: fs.createReadStream(p) }), 'lines'],
    [(p, done) => fs.readFile(p, done), 'bytes'],
    [(p, whatever) => fs.readFile(p, whatever), 'bytes'],
    [(p, callback) => callback(whole(p)), 'text'],
    [(url) => fs.readFileSync(url, 'utf8'), 'text'],
    [(p) => execFileSync('wc', ['-l', p], { encoding: 'utf8' }), 'text'],
    [(p) => new Promise((resolve) => fs.createReadStream(p).on('data', () => {}).on('end', () => resolve(1))), 'anything'],
  ]) {
    const { wrong, ...told } = await found(thing);
    assert.deepEqual(told.way && { kind: told.kind, reads: told.reads, wrong }, { kind, reads: true, wrong: undefined }, `${thing}`);
  }
});

test('functions that read nothing, or fail', async () => {
  for (const thing of [(line) => line.trim() === '', async (p) => (await stat(p)).size]) {
    const { reads, failed } = await found(thing);
    assert.deepEqual([reads, failed], [false, false], `${thing}`);
  }
  const { kind, reads, failed } = await found((p) => JSON.parse(whole(p)));
  assert.deepEqual([kind, reads, failed], ['anything', true, true]);
});

test('a function that changes its file is told, whatever it returns', async () => {
  for (const thing of [
    (path) => fs.appendFileSync(path, 'x'),
    async (path) => { const all = whole(path); await fs.promises.writeFile(path, all); return all; },
    (path) => { const all = whole(path); fs.unlinkSync(path); return all; },
    Object.assign((path) => fs.truncateSync(path), { returns: 'text' }),
  ]) {
    const { wrong, changes } = await found(thing);
    assert.ok(changes, `${thing}`);
    assert.match(wrong, /^f\d+\(\) changes the file that it is given; iogauge measures only what reads$/);
  }
});

test('a limit does not count the time in which the process stood still', async () => {
  const later = (ms) => new Promise((done) => setTimeout(() => done('in time'), ms));
  const standing = within(2500, later(2900));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2800);
  assert.equal(await standing, 'in time');
  await assert.rejects(within(50, later(300)), /it takes longer than 0.05 s/);
});

test('functions that return before they have read', async () => {
  for (const thing of [
    function (path) { fs.createReadStream(path).on('data', () => {}); },
    function (path) { readline.createInterface({ input: fs.createReadStream(path) }).on('line', () => {}); },
    async (path) => { fs.createReadStream(path).on('data', () => {}); },
    function (path) { fs.promises.readFile(path); },
    function (path) { fs.readFile(path, () => {}); },
    function (path) { setTimeout(() => whole(path), 5); },
    function (path) { exec(`wc -l ${path}`, () => {}); },
  ]) {
    const { wrong } = await found(thing);
    assert.match(wrong ?? '', /^f\d+\(\) returns before it has read: return a promise$/, `${thing}`);
  }
  const { wrong } = await found((path, callback) => whole(path).split('\n').forEach((line) => callback(line)));
  assert.match(wrong, /calls back 3 times: return a promise$/);
});

test('a look tells what was read, and after what', async () => {
  const file = new URL(import.meta.url);
  const { size } = fs.statSync(file);
  let looked = look();
  fs.readFileSync(file);
  assert.equal((await looked(1, false)).read, size);
  looked = look();
  assert.ok(isNothing((await looked(1, false)).read, false, size));
  looked = look();
  fs.readFile(file, () => {});
  assert.ok((await looked(1, false)).goesOn);
  looked = look();
  await promisify(fs.readFile)(file);
  const { read, goesOn } = await looked(1, true);
  assert.ok(read >= size && !goesOn && !isNothing(read, true, size));
});
