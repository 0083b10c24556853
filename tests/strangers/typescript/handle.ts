import * as fsp from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

export async function longestLine(file: FileHandle): Promise<string> {
  let longest = '';
  for await (const line of file.readLines()) if (line.length > longest.length) longest = line;
  return longest;
}

export async function head(handle: fsp.FileHandle, bytes = 65536): Promise<number> {
  const { bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
  return bytesRead;
}
