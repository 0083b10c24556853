import { readFileSync } from 'node:fs';

export function size(path: string): number {
  return readFileSync(path)..length;
}
