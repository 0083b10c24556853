import fs from 'node:fs';

export class LogReader {
  constructor(path) {
    this.path = path;
    this.errors = 0;
  }

  countErrors() {
    for (const line of fs.readFileSync(this.path, 'utf8').split('\n')) {
      if (line.includes('ERROR')) this.errors += 1;
    }
    return this.errors;
  }
}
