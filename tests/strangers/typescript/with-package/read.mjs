import fs from 'node:fs';
import { columns } from 'line-tools';
import { countLines } from 'line-tools/count';

export const lines = (path) => countLines(fs.readFileSync(path, 'utf8'));

export function levels(path) {
  const all = fs.readFileSync(path, 'utf8').split('\n');
  return [...new Set(all.map((line) => columns(line)[1]))];
}
