import { createHash } from 'node:crypto';
import type { ReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export async function countBytes(source: Readable): Promise<number> {
  let count = 0;
  for await (const chunk of source) count += (chunk as Buffer).length;
  return count;
}

export async function checksum(data: ReadStream): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(data, hash);
  return hash.digest('hex');
}

export async function newlines(from: NodeJS.ReadableStream): Promise<number> {
  let found = 0;
  from.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) found++;
  });
  await new Promise((resolve, reject) => from.on('end', resolve).on('error', reject));
  return found;
}
