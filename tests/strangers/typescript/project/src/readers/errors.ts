import { linesOf } from '../lib/lines.js';
import { Kind } from '../lib/kinds.js';

export function countErrors(path: string): number {
  return linesOf(path, 'latin1').filter((line) => line.includes(Kind.Error)).length;
}
