import { open } from 'node:fs/promises';

export default async (p) => {
  const file = await open(p);
  try {
    let longest = 0;
    for await (const line of file.readLines()) longest = Math.max(longest, line.length);
    return longest;
  } finally {
    await file.close();
  }
};
