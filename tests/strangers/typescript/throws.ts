import { readFileSync } from 'node:fs';

interface Row {
  amount?: { value: number };
}

const rows = (text: string): Row[] => text.split('\n').map((line) => ({ amount: undefined, line }));

export function total(path: string): number {
  return rows(readFileSync(path, 'utf8')).reduce(
    (sum, row) =>
      sum + row.amount!.value,
    0,
  );
}
