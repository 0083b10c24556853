import { readFileSync, type PathLike } from 'node:fs';

type Guard<T> = (value: unknown) => value is T;

export function parseJsonLines<T extends { id: number }>(path: PathLike, guard?: Guard<T>): T[] {
  const found: T[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    const value: unknown = JSON.parse(line);
    if (!guard || guard(value)) found.push(value as T);
  }
  return found;
}

export const largestId = <T extends { id: number }>(path: PathLike): number =>
  parseJsonLines<T>(path).reduce((most, each) => Math.max(most, each.id), 0);
