import { readFileSync } from 'node:fs';

export class FormatError extends Error {
  constructor(readonly line: number, message: string) {
    super(`${message} in line ${line}`);
    this.name = 'FormatError';
  }
}

export function amounts(path: string): number[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n').map((line, at) => {
    const comma = line.indexOf(',');
    if (comma < 0) throw new FormatError(at + 1, 'no comma');
    return Number(line.slice(comma + 1));
  });
}
