import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chatAnswer, type FakeUpstream, startUpstream } from '../first-light/upstream.ts';
import { type Gateway, MANAGEMENT_TOKEN, startGatewayWith } from '../shared/gateway.ts';
import { until } from '../shared/until.ts';

/* Usage by end user, whatever the field in which a format names them. */

setDefaultTimeout(240_000);

// The test knows its shape.
type Json = any;

let upstream: FakeUpstream;
let gateway: Gateway;

beforeAll(async () => {
  upstream = startUpstream(chatAnswer);
  const channel = { provider: 'openai-compatible', base_url: upstream.baseUrl, api_key: 'sk-of-nobody-at-all-0001' };
  gateway = await startGatewayWith([{ id: 'main', name: 'Main', ...channel, models: { chat: 'chat' } }]);
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

const messages = [{ role: 'user', content: 'Hi' }];

test.each([
  ['user', '/v1/chat/completions', { messages, user: 'of-user' }, 'of-user'],
  ['safety_identifier', '/v1/chat/completions', { messages, safety_identifier: 'of-safety' }, 'of-safety'],
  ['a header', '/v1/chat/completions', { messages, user: 'hidden' }, 'of-header'],
  ['user in Responses', '/v1/responses', { input: 'Hi', user: 'of-responses' }, 'of-responses'],
  ['metadata', '/v1/messages', { messages, max_tokens: 9, metadata: { user_id: 'of-messages' } }, 'of-messages'],
  ['user in embeddings', '/v1/embeddings', { input: 'Hi', user: 'of-embeddings' }, 'of-embeddings'],
  ['user in images', '/v1/images/generations', { prompt: 'A cat', user: 'of-images' }, 'of-images'],
  ['user in videos', '/v1/videos/generations', { prompt: 'A cat', user: 'of-videos' }, 'of-videos'],
])('usage is summed by the end user in %s', async (_name, path, body, user) => {
  await post(path, { model: 'chat', ...body }, user === 'of-header' ? { 'x-switchyard-tags': `end_user=${user}` } : {});
  await until('the request is counted', async () => (await requestsOf(user)) === 1);
  expect(await requestsOf('hidden')).toBe(0);
  const { data } = await manage(`/requests?tag=end_user=${user}`);
  expect(data).toMatchObject([{ tags: { end_user: user } }]);
});

async function post(path: string, body: object, headers: Readonly<Record<string, string>>): Promise<void> {
  const answer = await fetch(`${gateway.origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await answer.text();
}

async function requestsOf(user: string): Promise<number> {
  const { data } = await manage('/usage/breakdown?group_by=end_user&metric=requests&top=50');
  return data.find(({ tag }: Json) => tag === user)?.requests ?? 0;
}

async function manage(path: string): Promise<Json> {
  const headers = { authorization: `Bearer ${MANAGEMENT_TOKEN}` };
  return (await fetch(`${gateway.origin}/v1/management${path}`, { headers })).json();
}
