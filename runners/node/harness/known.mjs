// The strategies of all files in `strategies/`, by name.
import fs from 'node:fs';

const folder = new URL('../strategies/', import.meta.url);
const modules = await Promise.all(
  fs.readdirSync(folder).map((file) => import(new URL(file, folder).href)),
);
const found = modules.flatMap((module) => module.default);
found.sort((one, other) => (one.name < other.name ? -1 : 1));

export const strategies = new Map(found.map((each) => [each.name, each]));
