import { readFileSync } from 'node:fs';
import { splitLines } from '@mono/text';

export const countLines = (path: string): number => splitLines(readFileSync(path, 'utf8')).length;
