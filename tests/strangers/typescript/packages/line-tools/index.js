export { countLines } from './count.js';
export const columns = (line) => line.split(' ');
