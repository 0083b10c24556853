import { readFileSync } from 'fs';

export function slurp(path: string): Buffer;
export function slurp(path: string, encoding: BufferEncoding): string;
export function slurp(path: string, encoding?: BufferEncoding): string | Buffer {
  return encoding ? readFileSync(path, encoding) : readFileSync(path);
}
