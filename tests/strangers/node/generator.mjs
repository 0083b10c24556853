import fs from 'node:fs';

export function* fields(input) {
  for (const line of fs.readFileSync(input, 'latin1').split('\n')) yield line.split(' ');
}

export async function* trimmed(input) {
  let rest = '';
  for await (const chunk of fs.createReadStream(input, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) yield line.trim();
  }
  if (rest) yield rest.trim();
}
