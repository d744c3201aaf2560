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
const others = new Map<string, Gateway>();

beforeAll(async () => {
  upstream = startUpstream(chatAnswer);
  gateway = await start({ usage: { end_users: 'plain' } });
  others.set('hashed', await start({}));
  others.set('off', await start({ usage: { end_users: 'off' } }));
});
afterAll(async () => {
  await Promise.all([gateway, ...others.values()].map((one) => one?.stop()));
  await upstream?.stop();
});

function start(settings: Readonly<Record<string, unknown>>): Promise<Gateway> {
  const channel = { provider: 'openai-compatible', base_url: upstream.baseUrl, api_key: 'sk-of-nobody-at-all-0001' };
  return startGatewayWith([{ id: 'main', name: 'Main', ...channel, models: { chat: 'chat' } }], settings);
}

const messages = [{ role: 'user', content: 'Hi' }];

const REQUESTS = [
  ['user', '/v1/chat/completions', { messages, user: 'of-user' }, 'of-user'],
  ['safety_identifier', '/v1/chat/completions', { messages, safety_identifier: 'of-safety' }, 'of-safety'],
  ['a header', '/v1/chat/completions', { messages, user: 'hidden' }, 'of-header'],
  ['user in Responses', '/v1/responses', { input: 'Hi', user: 'of-responses' }, 'of-responses'],
  ['metadata', '/v1/messages', { messages, max_tokens: 9, metadata: { user_id: 'of-messages' } }, 'of-messages'],
  ['user in embeddings', '/v1/embeddings', { input: 'Hi', user: 'of-embeddings' }, 'of-embeddings'],
  ['user in images', '/v1/images/generations', { prompt: 'A cat', user: 'of-images' }, 'of-images'],
  ['user in videos', '/v1/videos/generations', { prompt: 'A cat', user: 'of-videos' }, 'of-videos'],
] as const;

test.each(REQUESTS)('usage is summed by the end user in %s', async (_name, path, body, user) => {
  await post(path, { model: 'chat', ...body }, headersOf(user));
  await until('the request is counted', async () => (await requestsOf(user)) === 1);
  expect(await requestsOf('hidden')).toBe(0);
  const { data } = await manage(`/requests?tag=end_user=${user}`);
  expect(data).toMatchObject([{ tags: { end_user: user } }]);
});

test.each(REQUESTS)('the end user in %s is stored as a hash by default', async (_name, path, body, user) => {
  const to = otherOf('hashed');
  await post(path, { model: 'chat', ...body }, headersOf(user), to);
  const { tag, end_users: storage } = await manage(`/usage/end-users/${user}`, to);
  expect(storage).toBe('hashed');
  expect(tag).toMatch(/^end_user=eu_[0-9a-f]{16}$/);
  await until('the request is counted', async () => (await requestsOf(tag.slice('end_user='.length), to)) === 1);
  const { data } = await manage(`/requests?tag=${tag}`, to);
  expect(data).toHaveLength(1);
  expect(data[0].tags).toEqual({ end_user: tag.slice('end_user='.length) });
  expect(JSON.stringify(await manage('/usage/tags', to))).not.toContain(user);
});

test.each(REQUESTS)('the end user in %s is not stored if that is switched off', async (_name, path, body, user) => {
  const to = otherOf('off');
  const team = `team=${user}-team`;
  const { 'x-switchyard-tags': tags } = headersOf(user);
  await post(path, { model: 'chat', ...body }, { 'x-switchyard-tags': [tags, team].filter(Boolean).join() }, to);
  await until('the request is counted', async () => (await manage(`/requests?tag=${team}`, to)).data.length === 1);
  const [request] = (await manage(`/requests?tag=${team}`, to)).data;
  expect(request.tags).toEqual({ team: `${user}-team` });
  const { data, end_users: storage } = await manage('/usage/tags', to);
  expect(storage).toBe('off');
  expect(data.map(({ key }: Json) => key)).toEqual(['team']);
  expect(await manage(`/usage/end-users/${user}`, to)).toMatchObject({ end_users: 'off', tag: null });
});

test('a provider gets the end user, whatever is stored', async () => {
  const body = { model: 'chat', messages, user: 'for-provider' };
  for (const to of [gateway, otherOf('hashed'), otherOf('off')]) {
    await post('/v1/chat/completions', body, {}, to);
    expect(JSON.parse(upstream.requests.at(-1)?.text ?? '')).toMatchObject({ user: 'for-provider' });
  }
});

function headersOf(user: string): Readonly<Record<string, string>> {
  return user === 'of-header' ? { 'x-switchyard-tags': `end_user=${user}` } : {};
}

function otherOf(storage: string): Gateway {
  const found = others.get(storage);
  if (found === undefined) throw new Error(`There is no gateway with ${storage}.`);
  return found;
}

async function post(
  path: string,
  body: object,
  headers: Readonly<Record<string, string>>,
  to: Gateway = gateway,
): Promise<void> {
  const answer = await fetch(`${to.origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${to.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await answer.text();
}

async function requestsOf(user: string, of: Gateway = gateway): Promise<number> {
  const { data } = await manage('/usage/breakdown?group_by=end_user&metric=requests&top=50', of);
  return data.find(({ tag }: Json) => tag === user)?.requests ?? 0;
}

async function manage(path: string, of: Gateway = gateway): Promise<Json> {
  const headers = { authorization: `Bearer ${MANAGEMENT_TOKEN}` };
  return (await fetch(`${of.origin}/v1/management${path}`, { headers })).json();
}
