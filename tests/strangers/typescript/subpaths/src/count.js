import { createRequire } from 'node:module';
import { textOf } from '#lib/text';
import { textOf as again } from 'subpaths/lib/text';

const { word } = createRequire(import.meta.url)('./settings.json');

export const countWords = (path) => (again === textOf ? textOf(path).split(word).length - 1 : null);
