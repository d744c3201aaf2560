import { afterAll, beforeAll, expect, test } from 'bun:test';
import { channelTo, chatAnswer, clientKey, refusal } from '../first-light/upstream.ts';
import { ask, type LimitsBed, startLimitsBed } from '../limits/bed.ts';
import { metricsOf } from '../shared/metrics.ts';
import { until } from '../shared/until.ts';

/* A virtual model whose models have limits, queues and several upstream keys, for an account whose budget leads to a cheaper model. */

let bed: LimitsBed;
/** The models whose requests wait at the upstream until the test lets them go on. */
const gates = new Map<string, PromiseWithResolvers<void>>();
/** The model and the key of each request at the upstream. */
const asked: string[] = [];
const node = () => bed.nodes[0] ?? expect.unreachable();

const keys = (...names: string[]) => ({
  api_key: null,
  api_keys: names.map((name) => ({ name, key: `upstream-${name}` })),
});
const limited = { limits: { max_concurrent: 1 }, queue: { max_waiting: 10, max_wait_ms: 60_000 } };

beforeAll(async () => {
  bed = await startLimitsBed({
    accounts: {
      acme: {
        budget: Object.fromEntries([
          ['usd', '0.1'],
          ['per', 'month'],
          ['then', { model: 'small' }],
        ]),
      },
    },
    settings: {
      models: [
        { id: 'auto', rules: [{ model: 'large' }] },
        { id: 'large', pricing: { per_request: '0.03' }, fallbacks: ['backup'] },
        { id: 'small', pricing: { per_request: '0.001' }, fallbacks: ['backup'] },
        { id: 'backup', pricing: { per_request: '0.01' } },
      ],
    },
    channels: (to) => [
      channelTo(to, { id: 'large', models: ['large'], ...keys('one', 'two'), ...limited }),
      channelTo(to, { id: 'backup', models: ['backup'], ...keys('left', 'right'), ...limited }),
      channelTo(to, { id: 'small', models: ['small'], ...keys('faulty', 'sound'), ...limited }),
    ],
    answer: async (request) => {
      const key = request.headers.get('authorization')?.replace('Bearer upstream-', '') ?? '';
      asked.push(`${request.model} ${key}`);
      await gates.get(request.model)?.promise;
      return key === 'faulty' ? refusal(503, 'Overloaded.') : chatAnswer(request);
    },
  });
});
afterAll(() => bed?.stop());

function close(...models: string[]): void {
  for (const model of models) gates.set(model, Promise.withResolvers());
}

function open(...models: string[]): void {
  for (const model of models) gates.get(model)?.resolve();
  for (const model of models) gates.delete(model);
}

const untilAsked = (model: string, count: number) =>
  until(`${count} requests for ${model}`, () => asked.filter((one) => one.startsWith(`${model} `)).length === count);

async function sumOf(metric: string): Promise<number> {
  const samples = (await metricsOf(node())).filter(({ name }) => name === metric);
  return samples.reduce((sum, { value }) => sum + value, 0);
}

/** Resolves to the model that answered, the steps to it, and the cost in nano USD. */
async function answered(asking: Promise<Response>) {
  const response = await asking;
  const body: any = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(200);
  const { modelSteps, cost } = body._routing;
  const steps: string[] = modelSteps.map(({ kind, to }: { kind: string; to: string }) => `${kind} ${to}`);
  return { model: body.model, steps, nano: BigInt(Math.round(Number(cost.total_usd) * 1e9)) };
}

const auto = (signal?: AbortSignal) => ask(node(), 'acme', { model: 'auto', ...(signal && { signal }) });
let spentNano = 0n;

test('a full model gives way to its fallback, whose requests wait in turn for any of its keys', async () => {
  close('large', 'backup');
  const first = answered(auto());
  await untilAsked('large', 1);
  const second = answered(auto());
  await untilAsked('backup', 1);
  const leaving = new AbortController();
  const left = auto(leaving.signal).catch(() => 'left');
  const third = answered(auto());
  // Each waits for both keys of the channel.
  await until('two requests wait', async () => (await sumOf('switchyard_channel_waiting')) === 4);
  leaving.abort();
  expect(await left).toBe('left');
  await until('one request waits', async () => (await sumOf('switchyard_channel_waiting')) === 2);
  open('backup');
  const fallback = { model: 'backup', steps: ['rule large', 'fallback backup'], nano: 10_000_000n };
  expect(await second).toEqual(fallback);
  expect(await third).toEqual(fallback);
  open('large');
  expect(await first).toEqual({ model: 'large', steps: ['rule large'], nano: 30_000_000n });
  expect(asked.length).toBe(3);
  spentNano += 50_000_000n;
});

test('past the budget, the cheaper model is asked with each of its keys, and then its fallback', async () => {
  expect((await answered(auto())).model).toBe('large');
  spentNano += 30_000_000n;
  asked.length = 0;
  const cheap = await answered(auto());
  expect(cheap).toEqual({ model: 'small', steps: ['rule large', 'budget small'], nano: 1_000_000n });
  expect(asked.at(-1)).toBe('small sound');
  close('small');
  const before = asked.length;
  const held = answered(auto());
  await untilAsked('small', before + 1);
  expect(await answered(auto())).toEqual({
    ...{ model: 'backup', nano: 10_000_000n },
    steps: ['rule large', 'budget small', 'fallback backup'],
  });
  open('small');
  expect((await held).model).toBe('small');
  spentNano += 12_000_000n;
});

test('afterwards nothing is held, and the account has spent what its answers cost', async () => {
  expect([await sumOf('switchyard_channel_waiting'), await sumOf('switchyard_channel_in_flight')]).toEqual([0, 0]);
  const used = await fetch(`${node().origin}/v1/usage`, {
    headers: { authorization: `Bearer ${clientKey('acme')}` },
  });
  const { spent_usd } = (await used.json()) as { spent_usd: string };
  expect(BigInt(Math.round(Number(spent_usd) * 1e9))).toBe(spentNano);
});
