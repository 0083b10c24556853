import { reads } from '../harness/strategy.mjs';

export default [
  reads('null', 'nothing', "nothing: the harness's own cost", () => () => undefined, {
    unit: 'file',
    consumes: ['none'],
    effort: 1,
    role: 'null',
    compute_only: null,
    buffer: null,
    data: null,
    opens: null,
  }),
];
