// The only loops over data. A tally counts and sums what the operations of a span read or wrote.

const LINE = 64; // bytes between two that are touched
const LANES = 0x00ff00ff;
const WORDS_IN_LANES = 256; // as many add up in a lane of 16 bits

let words = new Int32Array(0);

// The same memory as words, made once for a buffer that is used again.
function wordsOf(memory) {
  if (words.buffer !== memory) words = new Int32Array(memory, 0, memory.byteLength >>> 2);
  return words;
}

// The sum of the bytes from `at` to `end`.
export function sumBytes(data, at, end) {
  let total = 0;
  const shift = data.byteOffset;
  const head = Math.min(end, at + (-(shift + at) & 3));
  for (; at < head; at++) total += data[at];
  if (end - at >= 64) {
    const all = wordsOf(data.buffer);
    let word = (shift + at) >>> 2;
    const last = (shift + end) >>> 2;
    at = last * 4 - shift;
    while (word < last) {
      const stop = Math.min(last, word + WORDS_IN_LANES);
      let even = 0;
      let odd = 0;
      for (; word < stop; word++) {
        const value = all[word];
        even = (even + (value & LANES)) | 0;
        odd = (odd + ((value >>> 8) & LANES)) | 0;
      }
      total += (even & 0xffff) + (even >>> 16) + (odd & 0xffff) + (odd >>> 16);
    }
  }
  for (; at < end; at++) total += data[at];
  return total;
}

// The sum of the bytes at the offsets of the file that are divisible by 64.
function touchBytes(data, at, end, offset) {
  let total = 0;
  for (let i = at + (-offset & (LINE - 1)); i < end; i += LINE) total += data[i];
  return total;
}

export class Tally {
  constructor(consume) {
    this.touches = consume === 'touch';
    this.sums = consume === 'sum';
    this.reset();
  }

  reset() {
    this.count = 0;
    this.sum = 0;
    this.result = null; // of a function of the user's that returns what it made of its file
  }

  // Consumes the first `size` bytes of a buffer, which lie at that offset of the file.
  block(data, size, offset) {
    this.part(data, 0, size, offset);
  }

  // Consumes the bytes from `at` to `end` of a buffer.
  part(data, at, end, offset) {
    if (this.sums) this.sum += sumBytes(data, at, end);
    else if (this.touches) this.sum += touchBytes(data, at, end, offset);
    this.count += end - at;
  }

  // Consumes a string: its UTF-16 units.
  text(string) {
    const { length } = string;
    if (this.sums) {
      let total = 0;
      for (let i = 0; i < length; i++) total += string.charCodeAt(i);
      this.sum += total;
    }
    this.count += length;
  }

  // Consumes a line without its end: its length is at hand, and added for every kind.
  line(string) {
    this.sum += string.length;
    this.count++;
  }

  moved(count) {
    this.count += count;
  }
}
