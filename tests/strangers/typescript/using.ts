import { closeSync, openSync, readSync } from 'node:fs';

class Opened implements Disposable {
  readonly fd: number;
  constructor(path: string) {
    this.fd = openSync(path, 'r');
  }
  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}

export function firstMegabyte(path: string): number {
  using opened = new Opened(path);
  return readSync(opened.fd, new Uint8Array(1 << 20));
}
