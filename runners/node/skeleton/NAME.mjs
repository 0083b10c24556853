// Ways to read a file, to be measured: iogauge FILE --own NAME.mjs
import fs from 'node:fs';

// Returns the bytes that it read; or text, or an array or a stream of pieces or lines; or what it made of them.
export function readAll(path) {
  return fs.readFileSync(path);
}
