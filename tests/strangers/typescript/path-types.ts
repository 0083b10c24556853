import { readFileSync, type PathLike } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ofAny = (file: PathLike): number => readFileSync(file).length;
export const ofUrl = (location: URL): number => readFileSync(fileURLToPath(location)).length;
export const ofTextOrUrl = (path: string | URL): number => readFileSync(path, 'latin1').length;
export const ofBytes = (path: Buffer): number => readFileSync(Buffer.concat([path])).length;
