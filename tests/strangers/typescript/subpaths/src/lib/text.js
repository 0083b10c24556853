import { readFileSync } from 'node:fs';

export const textOf = (path) => readFileSync(path, 'utf8');
