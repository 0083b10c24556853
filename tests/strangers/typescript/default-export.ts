import { open } from 'node:fs/promises';

export default async (file: string): Promise<number> => {
  const handle = await open(file);
  try {
    let lines = 0;
    for await (const _ of handle.readLines()) lines++;
    return lines;
  } finally {
    await handle.close();
  }
};
