import fs from 'node:fs';

export async function* errors(path) {
  for await (const line of (await fs.promises.open(path)).readLines()) if (line.includes('ERROR')) yield line;
}
