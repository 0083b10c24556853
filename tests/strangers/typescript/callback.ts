import { readFile } from 'node:fs';

type Done = (error: Error | null, lines?: number) => void;

export function countLines(path: string, whenCounted: Done): void {
  readFile(path, (error, data) => {
    if (error) return whenCounted(error);
    let lines = 0;
    for (const byte of data) if (byte === 10) lines++;
    whenCounted(null, lines);
  });
}
