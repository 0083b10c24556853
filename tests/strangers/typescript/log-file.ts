import { readFileSync } from 'node:fs';

export interface Entry {
  date: string;
  level: string;
  text: string;
}

export class LogFile {
  constructor(private readonly path: string, protected encoding: BufferEncoding = 'utf8') {}

  lines(): string[] {
    return readFileSync(this.path, this.encoding).split('\n').slice(0, -1);
  }

  *entries(): Generator<Entry> {
    for (const line of this.lines()) {
      const [date, level, ...words] = line.split(' ');
      yield { date, level, text: words.join(' ') };
    }
  }

  get size(): number {
    return this.lines().length;
  }
}
