import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { channelTo, type FakeUpstream, startUpstream } from '../first-light/upstream.ts';
import { type Answer, answerOf, chatBody } from '../shared/answer.ts';
import { type ConfiguredChannel, type Gateway, MANAGEMENT_TOKEN, startGatewayWith } from '../shared/gateway.ts';

const OPERATOR = 'mt-operator-of-these-tests-000001';
const BUYER = 'mt-buyer-of-these-tests-00000001';
const BUYER_KEY = 'sk-buyer-of-these-tests-0000000001';

let upstream: FakeUpstream;
let gateway: Gateway;

beforeAll(async () => {
  upstream = startUpstream();
  const channel = (id: string, extra: object) =>
    channelTo(upstream, { id, name: id, models: ['small', 'big'], ...extra }) as unknown as ConfiguredChannel;
  const token = (secret: string) => [{ id: 'own', name: 'Own', secret }];
  gateway = await startGatewayWith(
    [
      channel('first', { weight: 3 }),
      channel('second', { weight: 1 }),
      channel('later', { priority: 5, models: ['small'] }),
      channel('claude', { provider: 'anthropic', priority: 9, models: { small: 'claude-haiku-4-5' } }),
      channel('own', { owner: 'buyer', models: ['small'] }),
      channel('keyed', {
        ...{ models: ['keyed'], api_key: null },
        api_keys: ['main', 'spare'].map((name) => ({ name, key: `upstream-secret-${name}` })),
      }),
    ],
    {
      models: [
        {
          id: 'auto',
          rules: [
            { name: 'long', when: { input_tokens: { min: 1000 } }, model: 'big' },
            { when: { roles: ['VIP'], tags: ['a=b'] }, model: 'nowhere' },
            { model: 'small' },
          ],
        },
        {
          id: 'small',
          pricing: { input_per_1m: '1', output_per_1m: '1' },
          capabilities: { context: 1000, max_output: 1000 },
        },
        { id: 'big', status: 'hidden', fallbacks: ['small'] },
      ],
      accounts: [
        { id: 'house', admin: true, keys: [], management_tokens: token(OPERATOR) },
        {
          ...{ id: 'buyer', role: 'VIP', balance_usd: '1', management_tokens: token(BUYER) },
          keys: [{ id: 'only-auto', name: 'Auto', secret: BUYER_KEY, models: ['auto'] }],
        },
      ],
    },
  );
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

async function explain(body: object, { token = OPERATOR, account = 'conformance' } = {}): Promise<Answer> {
  const url = `${gateway.origin}/v1/management/routing/explain?account_id=${account}`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return answerOf(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }));
}

const CHAT = '/v1/chat/completions';
const chatOf = (model: string, extra: object = {}) => ({ endpoint: CHAT, body: chatBody(model, extra) });
const channelsOf = ({ json }: Answer) =>
  (json.channels as { channel: string; position: number | null; reasons: string[] }[]).map((one) => one);

describe('an explanation', () => {
  test('has the rules with the compared values, the steps and the channels with reasons', async () => {
    const answer = await explain(chatOf('auto'));
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      ...{ object: 'routing_explanation', requested_model: 'auto', model: 'small', format: 'openai-chat', error: null },
      rules: [
        {
          model: 'auto',
          rules: [
            {
              number: 1,
              name: 'long',
              verdict: 'conditions',
              checks: [{ condition: 'input_tokens', wanted: 'at least 1000', holds: false }],
            },
            { number: 2, verdict: 'conditions' },
            { number: 3, model: 'small', verdict: 'taken', checks: [] },
          ],
        },
      ],
      steps: [{ kind: 'rule', from: 'auto', to: 'small', reason: 'the default' }],
      strategy: { name: 'weighted', from: 'default' },
      shared_channels: 4,
      reservation: { reserved: false },
    });
    const channels = channelsOf(answer);
    expect(channels.map(({ position }) => position)).toEqual([1, 2, 3, 4]);
    expect(channels.slice(2).map(({ channel }) => channel)).toEqual(['later', 'claude']);
    expect(channels[2]?.reasons[0]).toContain('priority 5');
    expect(channels[3]).toMatchObject({ lane: 'translate', format: 'anthropic-messages' });
  });

  test('names the fallbacks of the model that the rules choose', async () => {
    const messages = [{ role: 'user', content: 'A long text. '.repeat(1_000) }];
    expect((await explain(chatOf('auto', { messages }))).json).toMatchObject({ model: 'big', fallbacks: ['small'] });
  });

  test('skips a rule whose model nobody serves, and follows tags and the assumed time', async () => {
    const answer = await explain({
      ...chatOf('auto'),
      headers: { 'x-switchyard-tags': 'a=b' },
      at: '2026-01-05T10:00:00Z',
    });
    expect(answer.json).toMatchObject({
      model: 'small',
      rules: [{ rules: [{}, { verdict: 'skipped' }, { verdict: 'taken' }] }],
    });
  });

  test('says what a prepaid account would reserve, without reserving it', async () => {
    const answer = await explain(chatOf('auto', { max_tokens: 100 }), { account: 'buyer' });
    expect(answer.json.reservation).toMatchObject({ reserved: true, most_usd: expect.stringMatching(/^0\.0001/) });
    expect(channelsOf(answer)[0]).toMatchObject({ channel: 'own', reasons: ["it is the account's own channel"] });
  });

  test('says why a request is refused', async () => {
    const unknown = await explain(chatOf('smal'));
    expect(unknown.json).toMatchObject({
      model: 'smal',
      error: { code: 'model_not_found', param: 'model' },
      channels: [],
    });
    const keyed = await explain({ ...chatOf('small'), key_id: 'only-auto' }, { account: 'buyer' });
    expect(keyed.json.error).toMatchObject({ code: 'model_not_allowed' });
    const invalid = await explain(chatOf('small', { temperature: 'hot' }));
    expect(invalid.json.error).toMatchObject({ param: 'temperature' });
  });

  test('names the upstream key of each target of a channel with several', async () => {
    const answer = await explain(chatOf('keyed'));
    const keys = (answer.json.channels as { channel: string; upstream_key: string }[]).map((one) => one.upstream_key);
    expect(keys.toSorted()).toEqual(['main', 'spare']);
    expect(answer.text).not.toContain('upstream-secret');
    expect(channelsOf(await explain(chatOf('small')))[0]).toMatchObject({ upstream_key: null });
  });

  test('works for the other formats and operations', async () => {
    const of = async (endpoint: string, body: object) => (await explain({ endpoint, body })).json;
    const parts = [{ role: 'user', parts: [{ text: 'Hi' }] }];
    expect(await of('/v1beta/models/auto:streamGenerateContent', { contents: parts })).toMatchObject({
      format: 'gemini',
      stream: true,
      model: 'small',
    });
    expect(await of('/v1/messages', chatBody('auto', { max_tokens: 5 }))).toMatchObject({
      format: 'anthropic-messages',
      model: 'small',
    });
    expect(await of('/v1/responses', { model: 'auto', input: 'Hi' })).toMatchObject({
      format: 'openai-responses',
      model: 'small',
    });
    for (const endpoint of [
      '/v1/moderations',
      '/v1/embeddings',
      '/v1/rerank',
      '/v2/rerank',
      '/v1/images/generations',
      '/v1/audio/speech',
      '/v1/videos/generations',
      '/v1/music/generations',
      '/v1/3d/generations',
    ]) {
      expect(
        await of(endpoint, { model: 'gone', input: 'x', prompt: 'x', query: 'x', documents: ['x'], voice: 'alloy' }),
      ).toMatchObject({ error: { code: 'model_not_found' } });
    }
  });
});

describe('a dry run', () => {
  test('sends nothing, and changes neither rotation, money nor the log', async () => {
    const sent = upstream.requests.length;
    const shown = async () => {
      const headers = { authorization: `Bearer ${MANAGEMENT_TOKEN}` };
      const { json } = await answerOf(await fetch(`${gateway.origin}/v1/management/requests`, { headers }));
      return (json.data as unknown[]).length;
    };
    const lines = await shown();
    const orders = new Set<string>();
    for (let index = 0; index < 6; index++) {
      orders.add(JSON.stringify(channelsOf(await explain(chatOf('small'))).map(({ channel }) => channel)));
    }
    expect(orders.size).toBe(1);
    expect(upstream.requests.length).toBe(sent);
    expect(await shown()).toBe(lines);
    // The explanation names the channel that the next request gets.
    const [first] = channelsOf(await explain(chatOf('small')));
    const answer = await answerOf(
      await fetch(`${gateway.origin}${CHAT}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(chatBody('small')),
      }),
    );
    expect(answer.json._routing).toMatchObject({ channel: { id: first?.channel } });
  });

  test('fetches no files and no stored answers', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://files.example.com/a.png' } };
    const answer = await explain({
      endpoint: CHAT,
      body: chatBody('small', { messages: [{ role: 'user', content: [image] }] }),
    });
    expect(answer.status).toBe(200);
    const next = await explain({
      endpoint: '/v1/responses',
      body: { model: 'small', input: 'x', previous_response_id: 'resp_gone' },
    });
    expect(next.json.error).toMatchObject({ code: 'response_not_found' });
  });
});

describe('the view of a member', () => {
  test('has only the own channels, and no rules', async () => {
    const answer = await explain(chatOf('auto'), { token: BUYER, account: 'buyer' });
    expect(answer.json).toMatchObject({ rules: null, model: 'small', shared_channels: 4 });
    expect(channelsOf(answer).map(({ channel }) => channel)).toEqual(['own']);
    expect(answer.text).not.toContain('first');
  });

  test('is refused for another account', async () => {
    expect((await explain(chatOf('auto'), { token: BUYER, account: 'conformance' })).status).toBe(403);
  });
});

test.each<[string, object, string]>([
  ['an unknown endpoint', { endpoint: '/v1/nothing', body: {} }, 'endpoint'],
  ['no body', { endpoint: CHAT }, 'body'],
  ['an invalid header', { endpoint: CHAT, body: {}, headers: { 'X-Upper': 'a' } }, 'headers'],
  ['an unknown key', { ...chatOf('auto'), key_id: 'gone' }, 'key'],
  ['an invalid time', { ...chatOf('auto'), at: 'noon' }, 'at'],
])('%s is refused by field', async (_name, body, field) => {
  const { status, error } = await explain(body);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(String(error.param)).toStartWith(field);
});
