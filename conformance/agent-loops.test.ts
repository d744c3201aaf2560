import { afterAll, beforeAll, describe } from 'bun:test';
import { type LoopBed, startLoopBed } from './agent-loops/bed.ts';
import { CLIENTS } from './agent-loops/clients/index.ts';
import { describeFailures, describeLoops, describeLoopsOfNodes, FAILURES } from './agent-loops/describe-loops.ts';
import { CHANNELS, SHARED_MODELS } from './agent-loops/upstreams/index.ts';

/* Every use of the official SDKs, over one upstream per format. acceptance/agents covers all upstreams and failures. */

let bed: LoopBed;
let nodes: LoopBed;

beforeAll(async () => {
  [bed, nodes] = await Promise.all([startLoopBed(), startLoopBed(2)]);
});

afterAll(async () => {
  await Promise.all([bed?.stop(), nodes?.stop()]);
});

const formats = new Set(CHANNELS.map(({ format }) => format));
const channels = [...formats].flatMap((format) => CHANNELS.find((channel) => channel.format === format) ?? []);

describeLoops(() => bed, channels, CLIENTS);
describeFailures(() => bed, SHARED_MODELS, FAILURES.slice(1, 2), CLIENTS);

describe('two gateways that alternate and share nothing', () => {
  describeLoopsOfNodes(() => nodes, channels, CLIENTS);
});
