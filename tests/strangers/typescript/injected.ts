import * as nodeFs from 'node:fs';

type Files = Pick<typeof nodeFs, 'openSync' | 'fstatSync' | 'readSync' | 'closeSync'>;

export function readWhole(path: string, files: Files = nodeFs, signal?: AbortSignal): Uint8Array {
  const fd = files.openSync(path, 'r');
  try {
    const data = new Uint8Array(files.fstatSync(fd).size);
    for (let at = 0; at < data.length && !signal?.aborted; ) at += files.readSync(fd, data, at, data.length - at, null);
    return data;
  } finally {
    files.closeSync(fd);
  }
}
