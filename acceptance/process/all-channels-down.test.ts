import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { accountWith, channelTo, clientKey, keyNamed } from '../../conformance/first-light/upstream.ts';
import { type Answer, ask, inParallel } from '../../conformance/routing/client.ts';
import { unavailable, upstreamsNamed } from '../../conformance/routing/upstreams.ts';
import { freePort } from '../../conformance/shared/free-port.ts';
import { residentMegabytes } from '../shared/process-files.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* Measures what 10,000 refused requests leave behind. conformance/routing/all-down.test.ts tests their responses. */

const REQUESTS = 10_000;
const FIRST = 2_000;
const CONCURRENCY = 50;
const MOST_GROWTH_MB = 60;

const upstreams = upstreamsNamed('one', 'two', 'three');
let space: ProcessWorkspace;
let serving: ServingProcess;

beforeAll(async () => {
  const breaker = { cooldown_ms: 500, max_cooldown_ms: 1_000, probes: 1 };
  const refusing = { baseUrl: `http://127.0.0.1:${await freePort()}/v1` };
  const channels = Object.values(upstreams).map((upstream) => {
    upstream.answer = unavailable;
    return channelTo(upstream, { id: upstream.id, models: ['overloaded'], breaker });
  });
  const gone = [1, 2, 3].map((number) => channelTo(refusing, { id: `gone-${number}`, models: ['gone'], breaker }));
  const account = accountWith('acme', [keyNamed('acme')], { requests_per_minute: 1_000_000_000 });
  space = await ProcessWorkspace.create();
  const configuration = { channels: [...channels, ...gone], accounts: [account] };
  serving = await space.serve({ env: { SWITCHYARD_CONFIG: await space.write('switchyard.yaml', configuration) } });
});

afterAll(async () => {
  await space?.remove();
  for (const upstream of Object.values(upstreams)) await upstream.stop();
});

const verdict = ({ status, text }: Answer) =>
  `${status} ${/all_channels_failed/.exec(text)?.[0] ?? text.slice(0, 200)}`;

async function verdicts(model: string, count: number): Promise<ReadonlySet<string>> {
  const { origin } = serving;
  const one = async () => verdict(await ask({ origin, key: clientKey('acme'), model }));
  return new Set(await inParallel(count, CONCURRENCY, one));
}

describe('while every channel of a model is down', () => {
  test.each(['gone', 'overloaded'])(
    'memory stays flat over 10,000 requests (%s)',
    async (model) => {
      // The first failures still come from the channels.
      await verdicts(model, 200);
      const first = await verdicts(model, FIRST);
      const before = residentMegabytes(serving.pid);
      const rest = await verdicts(model, REQUESTS - FIRST);
      const after = residentMegabytes(serving.pid);
      expect([...first.union(rest)]).toEqual(['503 all_channels_failed']);
      expect(after - before).toBeLessThan(MOST_GROWTH_MB);
    },
    600_000,
  );
});
