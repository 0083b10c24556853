import fs = require('fs');

function lineLengths(path: string): number[] {
  return fs.readFileSync(path, 'utf8').split('\n').map((line) => line.length);
}

export = { lineLengths };
