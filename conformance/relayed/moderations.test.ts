import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import OpenAI from 'openai';
import {
  accountWith,
  channelTo,
  clientKey,
  type FakeUpstream,
  keyNamed,
  refusal,
  startUpstream,
} from '../first-light/upstream.ts';
import { answerOf } from '../shared/answer.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';

/* POST /v1/moderations: a model call, over any channel whose provider has the endpoint. */

const ACME = clientKey('acme');
const PREPAID = clientKey('prepaid');
const verdict = ({ model }: { readonly model: string }) =>
  Response.json({ id: 'modr-1', model, results: [{ flagged: true, categories: {}, category_scores: {} }] });

let first: FakeUpstream;
let second: FakeUpstream;
let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  first = startUpstream((request) => answers.first(request));
  second = startUpstream(verdict);
  space = await Workspace.create();
  const models = { 'omni-moderation-latest': 'their-moderation', 'gpt-4.1-mini': 'gpt-4.1-mini' };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      channelTo(first, { id: 'first', provider: 'openai', models, priority: 0 }),
      channelTo(second, { id: 'second', provider: 'openai', models, priority: 1 }),
      channelTo(second, { id: 'lacking', provider: 'groq', models: { 'lone-moderation': 'x' } }),
      { id: 'sandbox', provider: 'sandbox', models: ['sandbox-moderation'] },
    ],
    models: [{ id: 'lone-moderation', operations: ['moderations'] }],
    accounts: [
      accountWith('acme', [
        keyNamed('acme'),
        keyNamed('sandboxed', { models: ['gpt-4.1-mini', 'lone-moderation', 'sandbox-*'] }),
        keyNamed('chatting', { models: ['gpt-4.1-mini'] }),
      ]),
      accountWith('prepaid', [keyNamed('prepaid')], { billing: 'prepaid' }),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});
afterAll(async () => {
  await space?.remove();
  await first?.stop();
  await second?.stop();
});
const answers = { first: verdict as (request: { model: string }) => Response };
beforeEach(() => {
  answers.first = verdict;
});

const client = (apiKey = ACME) => new OpenAI({ apiKey, baseURL: serving.baseUrl, maxRetries: 0 });
const post = async (body: string, key = ACME) =>
  answerOf(
    await fetch(`${serving.baseUrl}/moderations`, {
      ...{ method: 'POST', body },
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    }),
  );

test('the upstream gets its own id of the default model, and the response has the requested one', async () => {
  const answer = await client(PREPAID).moderations.create({ input: 'Hello' });
  expect(answer).toMatchObject({ model: 'omni-moderation-latest', results: [{ flagged: true }] });
  expect(answer).toHaveProperty('_routing.channel.id', 'first');
  expect(first.requests.at(-1)?.text).toBe('{"input":"Hello","model":"their-moderation"}');
});

test('another channel answers if one fails, and a client error is returned at once', async () => {
  answers.first = () => new Response('broken', { status: 500 });
  const answer = await client().moderations.create({ model: 'omni-moderation-latest', input: ['a', 'b'] });
  expect(answer).toMatchObject({ _routing: { channel: { id: 'second' }, retryCount: 1 } });
  answers.first = () => refusal(400, 'Too many inputs');
  const { status, error } = await post('{"input":["a"]}');
  expect([status, error.message]).toEqual([400, 'Too many inputs']);
});

test.each([
  ['{"input":"a","model":"gpt-4.1-mini"}', 400, 'model_not_found'],
  ['{"input":"a","model":"lone-moderation"}', 400, 'model_not_found'],
  ['{"input":"a","model":"no-such-model"}', 404, 'model_not_found'],
  ['{"input":"a","model":"omni-moderation-latest","model":"sandbox-moderation"}', 400, 'invalid_value'],
  ['{"input":7}', 400, 'invalid_type'],
  ['{}', 400, 'missing_required_parameter'],
  ['[]', 400, 'invalid_type'],
  ['{', 400, 'invalid_json'],
  ['', 400, 'empty_body'],
])('%s is refused', async (body, status, code) => {
  const answer = await post(body);
  expect([answer.status, answer.error.code]).toEqual([status, code]);
  expect(answer.error.type).toBe('invalid_request_error');
});

test('an invalid response is the upstream’s failure', async () => {
  answers.first = () => Response.json({ results: 'none' });
  expect((await post('{"input":"a"}')).json).toHaveProperty('_routing.channel.id', 'second');
});

test('the sandbox gives the same verdict on the same text', async () => {
  const ask = () => client().moderations.create({ model: 'sandbox-moderation', input: ['fine', 'please FLAG-ME'] });
  const answer = await ask();
  expect(answer.results.map(({ flagged }) => flagged)).toEqual([false, true]);
  expect(answer).toEqual(await ask());
});

test('the model is listed with its operation, and chat is not one', async () => {
  const { json } = await answerOf(
    await fetch(`${serving.baseUrl}/models/omni-moderation-latest`, { headers: { authorization: `Bearer ${ACME}` } }),
  );
  expect(JSON.stringify(json)).toContain('/v1/moderations');
  const chat = await serving.chat(ACME, {
    model: 'omni-moderation-latest',
    messages: [{ role: 'user', content: 'a' }],
  });
  expect([chat.status, chat.error.hint]).toEqual([400, expect.stringContaining('POST /v1/moderations')]);
});

test('a request without a model uses an allowed one if the key may not use the default', async () => {
  const { status, json } = await post('{"input":"flag-me"}', clientKey('sandboxed'));
  expect([status, json.model]).toEqual([200, 'sandbox-moderation']);
  const none = await post('{"input":"a"}', clientKey('chatting'));
  expect([none.status, none.error.code]).toEqual([403, 'model_not_allowed']);
  const named = await post('{"input":"a","model":null}', clientKey('sandboxed'));
  expect([named.status, named.error.param]).toEqual([400, 'model']);
});
