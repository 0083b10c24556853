import { linesOf } from './lib/lines.js';
import { Kind } from '@lib/kinds';
import settings from './settings.json';

export { countErrors } from './readers/errors';

export function countInfo(path: string): number {
  return linesOf(path, settings.encoding as BufferEncoding).filter((line) => line.includes(Kind.Info)).length;
}
