import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { changesOf, type ModelValues, valuesOf } from '../../dashboard/pages/operator-models/model-values.ts';
import { type Gateway, startGatewayWith } from '../shared/gateway.ts';
import { asObject } from '../shared/json.ts';

/* A change of one price never loses another: whatever prices are in force, through the dashboard's form and the API. */

const OPERATOR = 'mt-operator-of-this-scene-00000001';
const MODEL = 'sandbox-chat';
const PLAIN = ['input_per_1m', 'output_per_1m', 'cached_input_per_1m', 'cache_write_per_1m', 'per_web_search'] as const;

let gateway: Gateway;

beforeAll(async () => {
  const tokens = [{ id: 'own', name: 'Own', secret: OPERATOR }];
  gateway = await startGatewayWith([], {
    sandbox: true,
    accounts: [{ id: 'house', admin: true, keys: [], management_tokens: tokens }],
  });
});
afterAll(() => gateway.stop());

async function ask(method: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${new URL(gateway.baseUrl).origin}/v1/management/models/${MODEL}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = asObject(await response.json());
  expect([response.status, json]).toEqual([200, json]);
  return json;
}

const usd = fc.integer({ min: 0, max: 99_999 }).map((cents) => (cents / 100).toFixed(2));
const defined = (map: object) => Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined));
const prices = fc
  .record({
    ...Object.fromEntries(PLAIN.map((key) => [key, fc.option(usd, { nil: undefined })])),
    input_per_1m: usd,
    per_image_variants: fc.option(fc.record({ '1024x1024': usd }), { nil: undefined }),
    tiers: fc.option(fc.tuple(fc.record({ above_input_tokens: fc.constant(200_000), input_per_1m: usd })), {
      nil: undefined,
    }),
  })
  .map(defined);
const written = fc.record({
  ...Object.fromEntries(PLAIN.map((key) => [key, fc.option(fc.oneof(usd, fc.constant('')), { nil: undefined })])),
  output_per_1m: usd,
});

test('the form and the API keep every price that was not edited', async () => {
  await fc.assert(
    fc.asyncProperty(prices, fc.boolean(), written.map(defined), async (inForce, isByDate, edited) => {
      const future = { effective_from: '2999-01-01T00:00:00Z', input_per_1m: '77' };
      await ask('PATCH', { pricing: isByDate ? [inForce, future] : [inForce] });
      const before: ModelValues = { ...valuesOf(MODEL, (await ask('GET')) as never), mode: 'prices' };
      const after = { ...before, prices: { ...before.prices, ...edited } };
      await ask('PATCH', changesOf(before, after));
      const expected = Object.fromEntries(
        Object.entries({ ...inForce, ...edited }).filter(([, price]) => price !== ''),
      );
      expect((await ask('GET')).pricing).toEqual(isByDate ? [expected, future] : [expected]);
    }),
    { numRuns: 40 },
  );
}, 600_000);
