// The consumer against a naive loop: `node --test harness`.
import assert from 'node:assert';
import test from 'node:test';
import { Tally } from './tally.mjs';

const memory = Buffer.allocUnsafeSlow(9000);
for (let i = 0; i < memory.length; i++) memory[i] = i % 7 === 0 ? 255 : (i * 31) % 256;

for (const [kind, step] of [['sum', 1], ['touch', 64]]) {
  test(`${kind}, in every alignment`, () => {
    for (let start = 0; start < 9; start++) {
      for (const size of [0, 1, 3, 63, 64, 65, 127, 130, 1024, 4099, 8990]) {
        for (const offset of [0, 1, 63, 64, 1000]) {
          const data = memory.subarray(start, start + size);
          const tally = new Tally(kind);
          tally.block(data, size, offset);
          let sum = 0;
          for (let i = 0; i < size; i++) if ((offset + i) % step === 0) sum += data[i];
          assert.deepEqual([tally.count, tally.sum], [size, sum], `${start} ${size} ${offset}`);
        }
      }
    }
  });
}

test('all lanes full', () => {
  const data = Buffer.alloc(1 << 16, 255);
  const tally = new Tally('sum');
  tally.block(data, data.length, 0);
  assert.equal(tally.sum, 255 * data.length);
});

test('text and lines', () => {
  const tally = new Tally('sum');
  tally.text('aß😀');
  assert.deepEqual([tally.count, tally.sum], [4, 97 + 223 + 0xd83d + 0xde00]);
  tally.reset();
  tally.line('😀');
  assert.deepEqual([tally.count, tally.sum], [1, 2]);
});
