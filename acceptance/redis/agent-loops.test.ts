import { afterAll, beforeAll, describe } from 'bun:test';
import { type LoopBed, startLoopBed } from '../../conformance/agent-loops/bed.ts';
import { CLIENTS } from '../../conformance/agent-loops/clients/index.ts';
import {
  describeFailures,
  describeLoops,
  FAILURES,
  withoutStoredResponses,
} from '../../conformance/agent-loops/describe-loops.ts';
import { CHANNELS, SHARED_MODELS } from '../../conformance/agent-loops/upstreams/index.ts';
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';

let redis: RedisServer;
let nodes: LoopBed;

beforeAll(async () => {
  redis = await RedisServer.start();
  const environment = { REDIS_URL: redis.url, SWITCHYARD_SECRET: 'the secret that both nodes have' };
  nodes = await startLoopBed(2, { environment, settled });
});

/**
 * Waits for the write-behind batches: a node sends state at once, or batched after the previous response, so two responses later everything
 * is there.
 */
async function settled(): Promise<void> {
  for (let answers = 0; answers < 2; answers += 1) await redis.run('PING');
}

afterAll(async () => {
  await nodes?.stop();
  await redis?.stop();
});

describe('two gateways that alternate and share a Redis, so that a client may lose all state', () => {
  const clients = withoutStoredResponses(CLIENTS);
  describeLoops(() => nodes, CHANNELS, clients);
  // OpenAI's reasoning state returns to the channel that issued it, whichever node serves the turn.
  describeFailures(() => nodes, SHARED_MODELS, FAILURES.slice(1, 2), clients);
});
