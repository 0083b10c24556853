// Carries out Node's strategies for the iogauge host, as docs/wire.md says.
import { serve } from './harness/channel.mjs';

await serve();
