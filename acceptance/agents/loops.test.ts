import { afterAll, beforeAll, describe } from 'bun:test';
import { type LoopBed, startLoopBed } from '../../conformance/agent-loops/bed.ts';
import { CLIENTS } from '../../conformance/agent-loops/clients/index.ts';
import {
  describeFailures,
  describeLoops,
  describeLoopsOfNodes,
  FAILURES,
} from '../../conformance/agent-loops/describe-loops.ts';
import { CHANNELS, SHARED_MODELS } from '../../conformance/agent-loops/upstreams/index.ts';

let bed: LoopBed;
let nodes: LoopBed;

beforeAll(async () => {
  [bed, nodes] = await Promise.all([startLoopBed(), startLoopBed(2)]);
});

afterAll(async () => {
  await Promise.all([bed?.stop(), nodes?.stop()]);
});

describeLoops(() => bed, CHANNELS, CLIENTS);
describeFailures(() => bed, SHARED_MODELS, FAILURES, CLIENTS);

describe('two gateways that take turns and share nothing', () => {
  describeLoopsOfNodes(() => nodes, CHANNELS, CLIENTS);
});
