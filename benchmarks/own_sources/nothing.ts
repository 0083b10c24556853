export function nothing(path: string): number {
  return path.length;
}
