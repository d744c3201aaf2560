import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { channelTo, clientKey } from '../../conformance/first-light/upstream.ts';
import { MODEL, startLimitsBed } from '../../conformance/limits/bed.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

/* Budgets that go on with a cheaper model, when several gateways share a database, and Redis dies in the middle. */

setDefaultTimeout(240_000);

const TOKEN = 'mt-operator-of-all-nodes-000001';
const stops: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** Money in nano-USD. The upstream's answers have 18 tokens. */
const DEAR = 18_000_000n;
const CHEAP = 18_000n;
const pricing = (usd: string) => ({ input_per_1m: usd, output_per_1m: usd });
const nanoOf = (usd: string) => BigInt(Math.round(Number(usd) * 1e9));
const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

interface Told {
  readonly status: number;
  readonly model: string;
  readonly costNanoUsd: bigint;
}

async function ask(node: Serving, account: string): Promise<Told> {
  const answer = await fetch(`${node.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${clientKey(account)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, max_completion_tokens: 7, messages: [{ role: 'user', content: 'Hello!' }] }),
  });
  // Tests know the shape of the body.
  const { model, _routing: routing } = (await answer.json()) as any;
  return { status: answer.status, model, costNanoUsd: nanoOf(routing?.cost?.total_usd ?? '0') };
}

async function read(node: Serving, path: string): Promise<any> {
  const answer = await fetch(`${node.origin}/v1/management/${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(answer.status).toBe(200);
  return answer.json();
}

const spentBy = async (node: Serving, account: string) =>
  nanoOf((await read(node, `limits?account_id=${account}`)).budget.spent_usd);

test('three gateways keep to the threshold and the ceiling of a budget, with Redis and without', async () => {
  const redis = await RedisServer.start();
  stops.push(() => redis.stop());
  const postgres = await sharedTestPostgres();
  const DATABASE_URL = await postgres.createMigratedDatabase();
  const cheaper = (ceiling: object) => Object.fromEntries([['then', { model: 'spare', ...ceiling }]]);
  const bed = await startLimitsBed({
    accounts: {
      acme: { budget: { usd: '0.6', per: 'month', ...cheaper({ at_percent: 60 }) } },
      capped: { budget: { usd: '0', per: 'month', ...cheaper({ ceiling_usd: '0.0005' }) } },
      house: { admin: true, management_tokens: [{ id: 'ops', name: 'Ops', secret: TOKEN }] },
    },
    nodes: 3,
    env: { DATABASE_URL, SWITCHYARD_SECRET: 'the master secret of all nodes', REDIS_URL: redis.url },
    channels: (to) => [channelTo(to, { models: { [MODEL]: MODEL, spare: 'spare' } })],
    settings: {
      models: [
        { id: MODEL, pricing: pricing('1000') },
        { id: 'spare', pricing: pricing('1') },
      ],
    },
  });
  stops.push(bed.stop);
  const burst = async (account: string, asks: number) => {
    const nodes = Array.from({ length: asks }, () => bed.nodes).flat();
    return Promise.all(nodes.map((node) => ask(node, account)));
  };

  const rounds = async (count: number) => {
    const told: Told[] = [];
    for (let round = 0; round < count; round++) told.push(...(await burst('acme', 1)));
    return told;
  };

  const before = [await burst('acme', 2), await burst('capped', 5)];
  const [during] = await Promise.all([burst('acme', 8), redis.kill()]);
  const after = [await rounds(10), await burst('capped', 5)];
  const acme = [...(before[0] ?? []), ...during, ...(after[0] ?? [])];
  const capped = [...(before[1] ?? []), ...(after[1] ?? [])];

  expect(acme.map(({ status }) => status)).toEqual(acme.map(() => 200));
  for (const { model, costNanoUsd } of acme) expect(costNanoUsd).toBe(model === 'spare' ? CHEAP : DEAR);
  expect(sum(acme.map(({ costNanoUsd }) => costNanoUsd).filter((cost) => cost === DEAR))).toBeLessThanOrEqual(
    360_000_000n,
  );
  // In the end the threshold is reached, or the rest is too small for a reservation.
  const last = after[0]?.slice(-3) ?? [];
  expect(last.map(({ model }) => model)).toEqual(['spare', 'spare', 'spare']);
  const answered = capped.filter(({ status }) => status === 200);
  expect(capped.filter(({ status }) => status === 402)).toHaveLength(capped.length - answered.length);
  expect(answered.every(({ costNanoUsd }) => costNanoUsd === CHEAP)).toBe(true);
  expect(answered.length).toBeLessThan(capped.length);
  expect(await spentBy(bed.nodes[0]!, 'capped')).toBeLessThanOrEqual(500_000n);

  for (const [account, told] of [
    ['acme', acme],
    ['capped', capped],
  ] as const) {
    const costs = sum(told.map(({ costNanoUsd }) => costNanoUsd));
    for (const node of bed.nodes) expect(await spentBy(node, account)).toBe(costs);
  }
  expect(bed.upstream.requests).toHaveLength(acme.length + answered.length);
  expect((await read(bed.nodes[1]!, 'ledger/verify')).problems).toEqual([]);
});
