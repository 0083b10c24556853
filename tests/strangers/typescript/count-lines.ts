import fs from 'node:fs';
import readline from 'node:readline';

type Counts = { lines: number; errors: number };

export async function countLines(fileName: string): Promise<Counts> {
  const counts: Counts = { lines: 0, errors: 0 };
  const reader = readline.createInterface({ input: fs.createReadStream(fileName), crlfDelay: Infinity });
  for await (const line of reader) {
    counts.lines++;
    if (line.includes('ERROR')) counts.errors++;
  }
  return counts;
}
