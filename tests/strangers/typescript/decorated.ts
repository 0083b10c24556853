import fs from 'node:fs';

const calls = new Map<string, number>();

function counted<This, Given extends unknown[], Result>(
  method: (this: This, ...given: Given) => Result,
  context: ClassMethodDecoratorContext<This>,
) {
  const name = String(context.name);
  return function (this: This, ...given: Given): Result {
    calls.set(name, (calls.get(name) ?? 0) + 1);
    return method.apply(this, given);
  };
}

export class Sizes {
  @counted
  static ofFile(path: string): number {
    return fs.readFileSync(path).byteLength;
  }
}
