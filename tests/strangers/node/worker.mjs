import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

if (!isMainThread && workerData?.count) {
  parentPort.postMessage(readFileSync(workerData.count).length);
}

export function countInWorker(path) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { count: path } });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
