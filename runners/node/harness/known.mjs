// The strategies of all files in `strategies/` and those of the user's own, by name.
import fs from 'node:fs';
import { ownStrategies } from './own.mjs';

const folder = new URL('../strategies/', import.meta.url);
const modules = await Promise.all(
  fs.readdirSync(folder).map((file) => import(new URL(file, folder).href)),
);
const found = modules.flatMap((module) => module.default);
let all = null;

// The user's module is loaded when it is asked for: it may print, and it may be wrong. `anew` has functions tried again
// that failed before.
export async function known(anew) {
  if (all === null) {
    const some = [...found, ...(await ownStrategies(anew))];
    some.sort((one, other) => (one.name < other.name ? -1 : 1));
    all = new Map(some.map((each) => [each.name, each]));
  }
  return all;
}
