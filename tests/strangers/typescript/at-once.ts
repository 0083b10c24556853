import { createReadStream } from 'node:fs';

export function bytes(path: string): void {
  let count = 0;
  createReadStream(path).on('data', (chunk) => (count += chunk.length));
}
