/** @jsx element */
import fs from 'node:fs';

declare namespace JSX {
  interface IntrinsicElements {
    [name: string]: unknown;
  }
}

type Part = string | { name: string; parts: Part[] };

function element(name: string, _: object | null, ...parts: Part[]): Part {
  return { name, parts };
}

export function asList(path: string): Part[] {
  return fs.readFileSync(path, 'utf8').split('\n').map((line) => <li>{line}</li> as unknown as Part);
}
