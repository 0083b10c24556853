// The channel to the host: one JSON object per line, one reply per request. It is read and written
// synchronously, so the event loop has nothing to do between two requests and makes no calls.
import fs from 'node:fs';
import { Session } from './session.mjs';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const NEWLINE = 10;

export async function serve() {
  keepChannel();
  // Whatever a library prints goes to the log.
  Object.defineProperty(process, 'stdout', { get: () => process.stderr });
  const session = new Session();
  for (let line = nextLine(); line !== null; line = nextLine()) {
    send(`${JSON.stringify(await answer(session, line))}\n`);
  }
}

let [input, output] = [STDIN, STDOUT];

// Puts the channel elsewhere, and in its place nothing to read, and the log: for programs that code of the user's starts,
// and for what reads or writes these two by their numbers. A new file gets the smallest number that is free.
function keepChannel() {
  try {
    const [from, to] = [fs.openSync(`/proc/self/fd/${STDIN}`, 'r'), fs.openSync(`/proc/self/fd/${STDOUT}`, 'a')];
    [input, output] = [from, to];
    fs.closeSync(STDIN);
    fs.openSync('/dev/null');
    fs.closeSync(STDOUT);
    fs.openSync(`/proc/self/fd/${STDERR}`, 'a');
  } catch {
    // A system that has no such names: the channel stays where it is.
  }
}

async function answer(session, line) {
  try {
    return await session.reply(JSON.parse(line));
  } catch (error) {
    return { error: String(error?.message ?? error) };
  }
}

const piece = Buffer.allocUnsafeSlow(1 << 20);
let waiting = Buffer.alloc(0);

function nextLine() {
  for (;;) {
    const end = waiting.indexOf(NEWLINE);
    if (end >= 0) {
      const line = waiting.toString('utf8', 0, end);
      waiting = waiting.subarray(end + 1);
      return line;
    }
    const count = fs.readSync(input, piece, 0, piece.length, null);
    if (count === 0) return null;
    waiting = Buffer.concat([waiting, piece.subarray(0, count)]);
  }
}

function send(text) {
  let data = Buffer.from(text);
  while (data.length > 0) data = data.subarray(fs.writeSync(output, data));
}
