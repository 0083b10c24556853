// Carries out Node's strategies for the iogauge host, as docs/wire.md says.
import { serve } from './harness/channel.mjs';

const exit = process.exit.bind(process); // code of the user's is given another
await serve();
exit(0); // whatever such code still has open
