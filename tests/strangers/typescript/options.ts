import { createReadStream, readFileSync } from 'fs';
import { createInterface } from 'readline';

export interface CsvOptions {
  delimiter?: string;
  header?: boolean;
}

export function readCsv(file: string, { delimiter = ',', header = true }: CsvOptions = {}): string[][] {
  const rows = readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => line.split(delimiter));
  return header ? rows.slice(1) : rows;
}

export async function sumColumn(csvPath: string, column?: number, given?: CsvOptions): Promise<number> {
  let total = 0;
  for await (const line of createInterface({ input: createReadStream(csvPath) })) {
    total += Number(line.split(given?.delimiter ?? ',')[column ?? 1]) || 0;
  }
  return total;
}
