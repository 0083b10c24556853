import { readFileSync } from 'node:fs';

export function occurrences(path: string, word: string): number {
  return readFileSync(path, 'utf8').split(word).length - 1;
}
