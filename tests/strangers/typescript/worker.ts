import { Worker } from 'node:worker_threads';

const CODE = `
  const { parentPort, workerData } = require('node:worker_threads');
  const text = require('node:fs').readFileSync(workerData, 'latin1');
  parentPort.postMessage(text.split('ERROR').length - 1);
`;

export function countErrors(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(CODE, { eval: true, workerData: path });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
