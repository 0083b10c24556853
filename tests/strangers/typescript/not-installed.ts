import { parse } from 'a-package-nobody-has-installed';
import { readFileSync } from 'node:fs';

export const rows = (path: string): unknown[] => parse(readFileSync(path, 'utf8'));
