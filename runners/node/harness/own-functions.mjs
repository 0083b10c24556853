// The functions of a module that may be given a path: those that it or its default object exports, static methods of
// its classes, and methods of objects of them. A way that is made of one has
// - `name`, and how it is `shown` where it is listed: with what it takes
// - `call`, a function of a path and a block size, which returns what the function returns or calls back with; and of
//   what is to be called each time that it calls back
// - `named`: its first parameter is called as paths are; `sized`: it takes a block size; `callsBack`, and whether that
//   is only `guessed`; `method`: it is one of an object that is made of a path, which need not read anything
// - `returns`: what the user says that it returns
// - `wrong`: why it cannot be given a path
// Where its source has types, these say what a parameter takes, and whether a call may leave it out.
import { given, held } from './own-forms.mjs';

const PATH = /(path|(?<!pro)file|filename|fname|fpath|ur[il])$|^(path|file)(or|to)/i;
const WRITTEN = /^(out|dest|target|dir|folder|to)/i; // paths to which a function writes, or of folders
const CALLBACK = /^(callback|cb|done|next|fn|func|handler|resolve|on[A-Z]\w*|when[A-Z]\w*)$/;
const SIZE = /^(n|block|chunk|buffer|buf|size|length|len|bytes|hwm|highWaterMark)$|^(block|chunk|buffer|buf)_?(size|length|len|bytes)$/i;
const NOT_NEEDED = /^(\w*opts?|\w*options|config|settings|encoding|enc|charset|flags?)$/i;
const UNNAMED = new Set(['', 'default', 'module.exports']);
const MADE = /_default$/; // what esbuild calls one that has no name
const NATIVE = /\{\s*\[native code\]\s*\}$/;
const LISTED = 3;
const SURE = new Set(['path', 'url', 'descriptor', 'handle', 'stream', 'web', 'lines']);
const NO_FILE = new Set(['callback', 'other']);
const FORMS = [ // where no type says so
  ['url', /ur[il]$/i],
  ['descriptor', /^(fd|(file)?descriptor)$/i],
  ['handle', /^(file)?handle$/i],
  ['stream', /^(readable|(in(put)?|read|file)?stream)$/i],
];

// The ways of a module; a function without a name is called as the file is.
export function waysOf(module, fileName, types = {}) {
  const found = new Map();
  for (const holder of [module, isClass(module.default) ? null : module.default]) {
    for (const [name, thing] of Object.entries(holder ?? {})) {
      if (typeof thing === 'function') found.set(thing, [...(found.get(thing) ?? []), [name, holder]]);
    }
  }
  return [...found].flatMap(([thing, places]) => {
    const [own, holder] = places.find(([name]) => !UNNAMED.has(name)) ?? places[0];
    const isNamed = (name) => !UNNAMED.has(name) && !(Object.hasOwn(types, 'default') && MADE.test(name));
    const name = [own, thing.name].find(isNamed) ?? fileName;
    const written = [name, thing.name, own].find((each) => Object.keys(types).some((one) => one.split('.')[0] === each));
    if (isClass(thing)) return ofClass(name, thing, (method) => types[method ? `${written}.${method}` : written]);
    return [made(name, typed(thing, types[written]), thing, bound(thing, holder))];
  });
}

// A few of these functions, to choose from.
export function listed(ways) {
  if (ways.length === 0) return '; write export function read(path)';
  const names = ways.slice(0, LISTED).map((each) => each.shown);
  return `, only ${names.join(', ')}${ways.length > LISTED ? ', …' : ''}`;
}

const isClass = (thing) =>
  typeof thing === 'function' && (/^class\b/.test(`${thing}`) || Object.keys(thing.prototype ?? {}).length > 0);
const bound = (thing, holder) => (...given) => thing.apply(holder, given);
const isFile = ({ name, form }) => SURE.has(form) || (!NO_FILE.has(form) && PATH.test(name) && !WRITTEN.test(name));

// `told` has what the types say of a method, null of one that is not public; without a name, of what makes an object.
function ofClass(name, type, told) {
  const taken = typed(constructorOf(type), told());
  const needed = taken.filter((each, at) => each.needed && (at === 0 || roleOf(each, false))).length;
  const publicOf = (of) => methods(of).filter(([own]) => told(own) !== null);
  const ways = publicOf(type).map(([own, each]) => made(`${name}.${own}`, typed(each, told(own)), each, bound(each, type)));
  for (const [own, each] of publicOf(type.prototype)) {
    const parameters = typed(each, told(own));
    if (parameters.some((one) => one.needed)) {
      if (needed === 0) ways.push(made(`${name}.${own}`, parameters, each, (...given) => new type()[own](...given)));
    } else if (taken.length > 0 && needed <= 1) {
      ways.push({ ...made(`${name}.${own}`, taken.slice(0, 1), each, (path) => new type(path)[own]()), method: true });
    }
  }
  const why = `${name} is a class without a method for it; export a function of a path`;
  return ways.length > 0 ? ways : [{ name, shown: name, wrong: why }];
}

// Its own public ones. Getters are not called.
function methods(of) {
  const found = Object.entries(Object.getOwnPropertyDescriptors(of)).map(([name, { value }]) => [name, value]);
  return found.filter(([name, value]) => typeof value === 'function' && name !== 'constructor' && !name.startsWith('_'));
}

// What has the parameters of a class: its own constructor, or that of the class that it extends.
function constructorOf(type) {
  const has = !/^class\b/.test(`${type}`) || /\bconstructor\s*\(/.test(`${type}`);
  const above = Object.getPrototypeOf(type);
  return has || above === Function.prototype || above === null ? type : constructorOf(above);
}

function made(name, parameters, thing, run) {
  const [first, ...others] = parameters;
  const shown = `${name}(${parameters.map((each) => each.name || '…').join(', ')})`;
  const { returns } = thing;
  if (!first) return { name, shown, returns, wrong: `${name}() takes nothing; let it take a path` };
  const way = { name, shown, returns, named: isFile(first) || returns !== undefined };
  const roles = others.map((each, at) => roleOf(each, at === others.length - 1));
  const unknown = others.filter((_, at) => roles[at] === 'unknown').map((each) => each.name || '{…}');
  const guessed = unknown.length === 1 && roles.at(-1) === 'unknown';
  const value = unknown.length > 1 ? 'them default values' : `${unknown[0]} a default value`;
  const needs = `${name}() needs ${unknown.join(' and ')} besides a file; give ${value}`;
  if (unknown.length > 0 && !guessed) return { ...way, wrong: needs };
  const callsBack = guessed || roles.at(-1) === 'callback';
  const between = roles.slice(0, callsBack ? -1 : roles.lastIndexOf('size') + 1).map((role) => role === 'size');
  return {
    ...way,
    sized: between.includes(true),
    callsBack,
    guessed: guessed ? needs : null,
    call: held(first.form, calling(run, given[first.form], between, callsBack)),
  };
}

function roleOf({ name, needed, form }, last) {
  if (last && (CALLBACK.test(name) || (needed && form === 'callback'))) return 'callback';
  if (!needed || NOT_NEEDED.test(name)) return null;
  return SIZE.test(name) ? 'size' : 'unknown';
}

// `between` says of each parameter behind the path whether it is the size, up to the last that is given.
function calling(run, as, between, callsBack) {
  const given = (path, size) => [as ? as(path) : path, ...between.map((isSize) => (isSize ? size : undefined))];
  if (callsBack) {
    return (path, size, called) =>
      new Promise((resolve, reject) => {
        run(...given(path, size), (...told) => {
          called?.();
          const [error, data] = told;
          const alone = told.length === 1 && error !== null && error !== undefined && !(error instanceof Error);
          if (alone) resolve(error);
          else if (error) reject(error);
          else resolve(data);
        });
      });
  }
  return between.length > 0 || as ? (path, size) => run(...given(path, size)) : (path) => run(path);
}

// The parameters of a function, with what its types say of each; or its name, where there are none.
function typed(thing, told) {
  return parametersOf(thing).map(({ name, needed }, at) => {
    const { form = null, optional = false } = told?.[at] ?? {};
    const [named] = told ? [] : (FORMS.find(([, pattern]) => pattern.test(name)) ?? []);
    return { name, needed: needed && !optional, form: form ?? named ?? null };
  });
}

// The parameters of a function as its text has them: their names, '' of one that is taken apart, and whether they are
// needed. Of a function whose text nobody has, as many as it says.
export function parametersOf(thing) {
  const text = `${thing}`;
  if (NATIVE.test(text)) return Array.from({ length: thing.length }, () => ({ name: '', needed: true }));
  const [, lone] = /^(?:async\s+)?([\w$]+)\s*=>/.exec(text) ?? [];
  if (lone) return [{ name: lone, needed: true }];
  const [head] = /^class\b[^]*?\bconstructor\s*\(|^[^(]*\(/.exec(text) ?? [];
  if (head === undefined || (/^class\b/.test(text) && !/constructor\s*\($/.test(head))) return [];
  return parts(text, head.length).map((part) => ({
    name: /^(?:\.\.\.)?([\w$]+)/.exec(part)?.[1] ?? '',
    needed: !/^(\.\.\.|[\w$]+\s*=|\{[^]*\}\s*=|\[[^]*\]\s*=)/.test(part),
  }));
}

const SKIPPED = /\/\*[^]*?\*\/|\/\/.*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/y; // comments and texts

// What stands between commas from here to the parenthesis that closes, without comments.
function parts(text, at) {
  const found = [''];
  for (let depth = 0; at < text.length; ) {
    SKIPPED.lastIndex = at;
    const [skipped] = SKIPPED.exec(text) ?? [];
    const each = skipped ?? text[at];
    if (depth === 0 && each === ')') break;
    depth += '([{'.includes(each) ? 1 : ')]}'.includes(each) ? -1 : 0;
    if (depth === 0 && each === ',') found.push('');
    else if (!/^\/[/*]/.test(each)) found[found.length - 1] += each;
    at += each.length;
  }
  return found.map((each) => each.trim()).filter((each) => each !== '');
}
