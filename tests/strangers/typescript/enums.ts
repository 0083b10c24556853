import * as fs from 'fs';

enum Level {
  Info = 'INFO',
  Error = 'ERROR',
}

const enum Column {
  Date = 0,
  Level = 1,
}

namespace Text {
  export const words = (line: string): string[] => line.split(' ');
}

export function byLevel(path: fs.PathLike): Record<Level, number> {
  const found: Record<Level, number> = { [Level.Info]: 0, [Level.Error]: 0 };
  for (const line of fs.readFileSync(path, 'utf8').split('\n')) {
    const level = Text.words(line)[Column.Level] as Level;
    if (level in found) found[level]++;
  }
  return found;
}
