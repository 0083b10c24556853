import { createReadStream } from 'node:fs';

export const checksum = (filename) =>
  new Promise((resolve, reject) => {
    let sum = 0;
    createReadStream(filename)
      .on('data', (chunk) => { for (const byte of chunk) sum = (sum + byte) | 0; })
      .on('error', reject)
      .on('end', () => resolve(sum));
  });
