import { block, inMemory } from '../harness/strategy.mjs';

function consume({ payload, parameters }) {
  return (_, tally) => {
    for (let at = 0; at < payload.length; at += parameters.block) {
      tally.part(payload, at, Math.min(at + parameters.block, payload.length), at);
    }
  };
}

export default [
  inMemory(
    'consume-array',
    'consuming blocks of memory',
    'consuming blocks of memory',
    consume,
    { parameters: block('bytes consumed at a time') },
  ),
];
