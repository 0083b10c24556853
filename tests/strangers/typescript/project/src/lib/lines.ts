import { readFileSync } from 'node:fs';

export const linesOf = (path: string, encoding: BufferEncoding): string[] =>
  readFileSync(path, encoding).split('\n');
