import { readFile } from 'node:fs/promises';

const encoding: BufferEncoding = await Promise.resolve('utf8');

export async function words(path: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const word of (await readFile(path, encoding)).split(/\s+/)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
