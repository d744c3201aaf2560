import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { chatAnswer, type FakeUpstream, startUpstream } from '../first-light/upstream.ts';
import { type Answer, answerOf } from '../shared/answer.ts';
import { type Gateway, startGatewayWith } from '../shared/gateway.ts';

/* Budgets that give requests to a cheaper model instead of refusing them. */

const key = (id: string) => `sk-${id}-of-these-tests-00000000001`;
const token = (id: string) => `mt-${id}-of-these-tests-00000000001`;

/** Returns the member of a budget that names its cheaper model. */
const leadingTo = (cheaper: object) => Object.fromEntries([['then', cheaper]]);

let upstream: FakeUpstream;
let gateway: Gateway;

beforeAll(async () => {
  upstream = startUpstream((request) =>
    request.path.endsWith('/embeddings')
      ? Response.json({
          ...{ object: 'list', model: request.model, usage: { prompt_tokens: 5, total_tokens: 5 } },
          data: [{ object: 'embedding', index: 0, embedding: [1] }],
        })
      : chatAnswer(request),
  );
  const channel = {
    ...{ id: 'main', name: 'Main', provider: 'openai-compatible', base_url: upstream.baseUrl, api_key: 'upstream-key' },
    models: Object.fromEntries(['large', 'small', 'secret', 'vectors', 'gift'].map((id) => [id, id])),
  };
  const own = { ...channel, id: 'own', owner: 'private', models: { mine: 'mine' } };
  const account = (id: string, budget: object, ofKey: object = {}) => ({
    ...{ id, billing: 'unlimited', budget, management_tokens: [{ id: 'own', name: 'Own', secret: token(id) }] },
    keys: [{ id: 'own', name: 'Own', secret: key(id), ...ofKey }],
  });
  const dear = { input_per_1m: '1000', output_per_1m: '1000' };
  gateway = await startGatewayWith([channel, own], {
    models: [
      { id: 'large', pricing: dear },
      { id: 'small', pricing: { input_per_1m: '1', output_per_1m: '1' } },
      { id: 'secret', status: 'hidden', pricing: { input_per_1m: '1', output_per_1m: '1' } },
      { id: 'vectors', category: 'embedding', pricing: { input_per_1m: '1000' } },
      { id: 'gift', pricing: 'free' },
      { id: 'auto', rules: [{ model: 'large' }] },
    ],
    accounts: [
      account('plain', { usd: '0.1', per: 'month', ...leadingTo({ model: 'small' }) }),
      account('capped', { usd: '0', per: 'month', ...leadingTo({ model: 'small', ceiling_usd: '0.0001' }) }),
      account('hidden', { usd: '0', per: 'month', ...leadingTo({ model: 'secret' }) }, { models: ['large'] }),
      account('quiet', { usd: '0', per: 'month', ...leadingTo({ model: 'small' }) }),
      account('private', { usd: '0', per: 'month', ...leadingTo({ model: 'small' }) }),
      account('members', { usd: '1', per: 'month' }),
      { ...account('house', { usd: '1', per: 'month' }), admin: true },
    ],
  });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});
beforeEach(() => {
  (upstream.requests as unknown[]).length = 0;
});

async function send(path: string, secret: string, body: object, method = 'POST'): Promise<Answer> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const init = method === 'GET' ? {} : { body: JSON.stringify(body) };
  return answerOf(await fetch(`${gateway.origin}${path}`, { method, headers, ...init }));
}

let questions = 0;
const chat = (account: string, body: object = {}) =>
  send('/v1/chat/completions', key(account), {
    ...{ model: 'large', max_completion_tokens: 7, messages: [{ role: 'user', content: `Question ${++questions}` }] },
    ...body,
  });

/** Returns the body, whose shape tests know. */
const json = (answer: Answer): any => answer.json;
const budgetOf = async (account: string) => json(await send('/v1/management/limits', token(account), {}, 'GET')).budget;

test('past its amount, requests get the cheaper model, are charged as such, and count', async () => {
  const models: string[] = [];
  let spent = 0n;
  for (let count = 0; count < 8; count++) {
    const answer = await chat('plain');
    expect(answer.status).toBe(200);
    const { model, _routing: routing } = json(answer);
    models.push(model);
    spent += BigInt(Math.round(Number(routing.cost.total_usd) * 1e9));
    const step = { kind: 'budget', from: 'large', to: 'small', reason: 'account budget per month' };
    expect(routing.modelSteps).toEqual(model === 'small' ? [step] : undefined);
  }
  expect(models.slice(0, 3)).toEqual(['large', 'large', 'large']);
  expect(models.slice(5)).toEqual(['small', 'small', 'small']);
  expect(upstream.requests.map(({ model }) => model)).toEqual(models);
  const { spent_usd, usd } = await budgetOf('plain');
  expect(BigInt(Math.round(Number(spent_usd) * 1e9))).toBe(spent);
  expect(usd).toBe('0.1');
  const stream = await chat('plain', { stream: true });
  expect(stream.status).toBe(200);
  expect(stream.text).toContain('"model":"small"');
  expect(json(await chat('plain', { model: 'auto' }))._routing.modelSteps).toMatchObject([
    { kind: 'rule', to: 'large' },
    { kind: 'budget', from: 'large', to: 'small' },
  ]);
});

test('a request that costs nothing keeps its model', async () => {
  expect(json(await chat('plain')).model).toBe('small');
  expect(json(await chat('plain', { model: 'gift' })).model).toBe('gift');
  expect(json(await chat('private')).model).toBe('small');
  expect(json(await chat('private', { model: 'mine' })).model).toBe('mine');
});

test('a request of another kind is refused as before, with a reason', async () => {
  for (let count = 0; count < 5; count++) await chat('capped', { model: 'vectors' });
  const refused = await send('/v1/embeddings', key('capped'), { model: 'vectors', input: 'Hello' });
  expect(refused.status).toBe(402);
  expect(json(refused).error).toMatchObject({ code: 'quota_exceeded' });
  expect(json(refused).error.hint).toContain('`small`, its cheaper model, cannot take this request');
});

test('the ceiling holds for the cheaper model, too', async () => {
  const statuses: number[] = [];
  for (let count = 0; count < 8; count++) statuses.push((await chat('capped')).status);
  expect(statuses[0]).toBe(200);
  expect(statuses.at(-1)).toBe(402);
  expect(Number((await budgetOf('capped')).spent_usd)).toBeLessThanOrEqual(0.0001);
  expect(json(await chat('capped')).error.message).toContain('ceiling of 0.0001 USD per month');
});

test('a raise brings the named model back, for its time', async () => {
  expect(json(await chat('plain')).model).toBe('small');
  const raise = '/v1/management/accounts/plain/budget/raise';
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect((await send(raise, token('house'), { usd: '1', until })).status).toBe(200);
  expect(json(await chat('plain')).model).toBe('large');
  expect((await send(raise, token('house'), {}, 'DELETE')).status).toBe(200);
  expect(json(await chat('plain')).model).toBe('small');
});

test('an explanation shows the step, also of an account that has asked for nothing yet', async () => {
  const explained = async (account: string, model = 'large') => {
    const asked = { endpoint: '/v1/chat/completions', body: { model, messages: [{ role: 'user', content: 'Hello' }] } };
    return json(await send(`/v1/management/routing/explain?account_id=${account}`, token('house'), asked));
  };
  const step = { kind: 'budget', from: 'large', to: 'small', reason: 'account budget per month' };
  for (const account of ['plain', 'quiet']) {
    const explanation = await explained(account);
    expect(explanation).toMatchObject({ requested_model: 'large', model: 'small', steps: [step], error: null });
    // The budget does not limit its cheaper model.
    expect(explanation.reservation.reserved).toBe(false);
  }
  expect((await explained('capped')).reservation.reserved).toBe(true);
  expect((await explained('quiet', 'auto')).steps).toMatchObject([{ kind: 'rule', to: 'large' }, step]);
  expect(await explained('members')).toMatchObject({ model: 'large', steps: [], reservation: { reserved: true } });
  expect(upstream.requests).toEqual([]);
});

test('the operator may name a hidden model, also beside the list of the key; clients may not', async () => {
  expect(json(await chat('hidden')).model).toBe('secret');
  expect((await chat('hidden', { model: 'secret' })).status).toBe(404);
  // A spent budget permits no model that the client may not name otherwise.
  expect((await chat('hidden', { model: 'small' })).status).toBe(403);
  expect(json(await chat('plain')).model).toBe('small');
  expect((await chat('plain', { model: 'secret' })).status).toBe(404);
});

test.each([
  ['secret', 'there is no model "secret" that the account can use'],
  ['nothing', 'there is no model "nothing" that the account can use'],
  ['auto', '"auto" is a virtual model'],
])('members of the account cannot name %s for the budget of a key', async (model, problem) => {
  const budget = { usd: '1', per: 'day', ...leadingTo({ model }) };
  const refused = await send('/v1/management/keys', token('members'), { budget });
  expect(refused.status).toBe(400);
  expect(json(refused).error).toMatchObject({ param: 'budget.then.model' });
  expect(json(refused).error.message).toContain(problem);
});

test('a ceiling below the amount is refused, and a budget is shown as it was set', async () => {
  const low = { usd: '1', per: 'day', ...leadingTo({ model: 'small', ceiling_usd: '0.5' }) };
  const refused = await send('/v1/management/keys', token('members'), { budget: low });
  expect([refused.status, json(refused).error.param]).toEqual([400, 'budget.then.ceiling_usd']);
  const budget = { ...low, time_zone: 'UTC', ...leadingTo({ model: 'small', at_percent: 50, ceiling_usd: '0.5' }) };
  const made = await send('/v1/management/keys', token('members'), { budget });
  expect(json(made).budget).toEqual(budget);
});
