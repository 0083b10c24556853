import { readSync } from 'node:fs';

export async function totalOf(stream) {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return bytes;
}

export function blocksOf(fd) {
  const block = new Uint8Array(1 << 16);
  let blocks = 0;
  while (readSync(fd, block) > 0) blocks++;
  return blocks;
}
