// What the host says of the user's code, and where in that something is wrong: in the file that they wrote, though another
// one was made of it.
import fs from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const build = fileURLToPath(new URL('../', import.meta.url));
const CODE = path.join(build, 'own/p/');

// See src/iogauge/sources/languages/node.py; null where the runner has no code of the user's.
export const given = read(path.join(build, 'own/given.json'));

export const fileOf = (place) => path.join(build, place);

export function withoutPlaces(text) {
  return [pathToFileURL(CODE).href, CODE, path.join(build, 'own/')].reduce((left, each) => left.replaceAll(each, ''), text);
}

// `line 3: ` of the file that they name, `lib/text.ts:3: ` of another; nothing where the stack has none of theirs.
export function placeOf(error) {
  for (const each of `${error?.stack ?? ''}`.split('\n')) {
    const [, file, line, column] = /^(.*?):(\d+)(?::(\d+))?\)?$/.exec(behind(each)) ?? [];
    if (!file) continue;
    const [named, at] = written(path.join(CODE, file), Number(line), Number(column ?? 1));
    if (named === fileOf(given.entry)) return `line ${at}: `;
    return `${named.startsWith(CODE) ? path.relative(CODE, named) : path.basename(named)}:${at}: `;
  }
  return '';
}

// What a line of a stack has behind the folder of the code.
function behind(line) {
  for (const each of [pathToFileURL(CODE).href, CODE]) {
    const at = line.indexOf(each);
    if (at >= 0) return line.slice(at + each.length);
  }
  return '';
}

// The file and line as they were written. Node itself would look that up only with an option that changes what is
// measured.
function written(file, line, column) {
  const map = read(`${file}.map`);
  const { originalSource, originalLine } = map ? new SourceMap(map).findEntry(line - 1, column - 1) : {};
  return originalSource ? [path.resolve(path.dirname(file), originalSource), originalLine + 1] : [file, line];
}

function read(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null;
}
