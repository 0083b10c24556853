import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

function isError(line: string): boolean {
  return line.includes(' ERROR ');
}

function countErrors(path: string): number {
  return readFileSync(path, 'utf8').split('\n').filter(isError).length;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(countErrors(process.argv[2]!));
}
