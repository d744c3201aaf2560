import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Serving } from '../shared/serving.ts';
import { TestClock } from '../shared/test-clock.ts';
import { Workspace } from '../shared/workspace.ts';
import { chatAnswer, type FakeUpstream, startUpstream } from './upstream.ts';

/* The response headers that SDKs and people read come from the gateway itself; the upstream's request id is in the log. */

const clock = new TestClock();
let space: Workspace;
let serving: Serving;
let upstream: FakeUpstream;

const key = (name: string) => `sk-headers-${name}-0123456789abcdef`;
const THEIRS = {
  'x-ratelimit-limit-requests': '9999',
  'openai-processing-ms': '77777',
  'x-ratelimit-limit-tokens': '1',
};

beforeAll(async () => {
  upstream = startUpstream((request) => {
    const answer =
      request.model === 'broken' ? Response.json({ error: { message: 'no' } }, { status: 500 }) : chatAnswer(request);
    const ids = { 'x-request-id': `up-${request.model}`, ...THEIRS };
    for (const [name, value] of Object.entries(ids)) answer.headers.set(name, value);
    return answer;
  });
  space = await Workspace.create();
  const account = (id: string, more: object) => ({
    id,
    name: id,
    role: 'User',
    billing: 'unlimited',
    keys: [{ id, name: id, secret: key(id) }],
    ...more,
  });
  const file = await space.write('switchyard.yaml', {
    channels: [
      {
        id: 'up',
        provider: 'openai-compatible',
        base_url: upstream.baseUrl,
        api_key: 'upstream-key',
        models: ['alpha', 'broken'],
      },
    ],
    accounts: [
      account('both', { tokens_per_minute: 10_000 }),
      account('requests', {}),
      account('one', { requests_per_minute: 1 }),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG: file }, clock });
});
afterAll(async () => {
  await space?.remove();
  await upstream?.stop();
});

const messages = [{ role: 'user', content: 'Hello' }];
const PATHS = {
  chat: ['/v1/chat/completions', { messages }],
  responses: ['/v1/responses', { input: 'Hello', store: false }],
  messages: ['/v1/messages', { messages, max_tokens: 50 }],
} as const;

async function ask(format: keyof typeof PATHS, account: string, more: object = {}) {
  const [path, body] = PATHS[format];
  const answer = await fetch(serving.origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key(account)}` },
    body: JSON.stringify({ model: 'alpha', ...body, ...more }),
  });
  await answer.text();
  return answer;
}

const told = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => /^(?:x-ratelimit-.+-|anthropic-ratelimit-|openai-)/.test(name)));

const openai = (units: readonly string[]) =>
  [
    'openai-processing-ms',
    ...['limit', 'remaining', 'reset'].flatMap((what) => units.map((unit) => `x-ratelimit-${what}-${unit}`)),
  ].sort();

describe.each(['chat', 'responses'] as const)('%s', (format) => {
  test.each([
    ['whole', {}, 200],
    ['stream', { stream: true }, 200],
    ['of a failing upstream', { model: 'broken' }, 502],
    ['to an invalid request', { temperature: 'hot' }, 400],
  ])('a response %s', async (_what, more, status) => {
    const answer = await ask(format, 'both', more);
    const headers = told(answer);
    expect([answer.status, Object.keys(headers).sort()]).toEqual([status, openai(['requests', 'tokens'])]);
    expect(headers['x-ratelimit-limit-requests']).toBe('60');
    expect(headers['x-ratelimit-limit-tokens']).toBe('10000');
    expect(headers['x-ratelimit-reset-requests']).toMatch(/^(?:\d+s|1m0s)$/);
    expect(Number(headers['openai-processing-ms'])).toBeWithin(0, 60_000);
  });

  test('without a token limit, the token headers are absent', async () => {
    expect(Object.keys(told(await ask(format, 'requests'))).sort()).toEqual(openai(['requests']));
  });
});

test("Anthropic's headers use times", async () => {
  for (const more of [{}, { stream: true }, { model: 'broken' }]) {
    const headers = told(await ask('messages', 'both', more));
    expect(Object.keys(headers)).toHaveLength(6);
    expect(headers['anthropic-ratelimit-requests-limit']).toBe('60');
    const resetMs = Date.parse(headers['anthropic-ratelimit-requests-reset'] ?? '') - clock.nowMs();
    expect(resetMs).toBeWithin(1_000, 62_000);
  }
});

test('a refusal reports zero remaining, and a list of models counts as a request', async () => {
  expect(told(await ask('chat', 'one'))).toMatchObject({ 'x-ratelimit-remaining-requests': '0' });
  const refused = await ask('chat', 'one');
  expect([refused.status, told(refused)['x-ratelimit-remaining-requests']]).toEqual([429, '0']);
  const headers = { authorization: `Bearer ${key('requests')}` };
  const list = await fetch(`${serving.baseUrl}/models`, { headers });
  expect(told(list)).toMatchObject({ 'x-ratelimit-limit-requests': '60' });
});

test('an unknown key gets no limit headers', async () => {
  expect(Object.keys(told(await ask('chat', 'nobody')))).toEqual(['openai-processing-ms']);
});

test("the upstream's request id is in the log, also for a failure", async () => {
  await ask('chat', 'requests');
  await ask('messages', 'requests', { model: 'broken' });
  await serving.stop();
  const database = new Database(space.database, { readonly: true });
  const rows = database.query('select distinct model_id, upstream_request_id from request_log where account_id = ?');
  const ids = Object.fromEntries(rows.values('requests') as [string, string][]);
  database.close();
  expect(ids).toEqual({ alpha: 'up-alpha', broken: 'up-broken' });
  const lines = serving.stdout + serving.stderr;
  for (const message of ['attempt failed', 'request failed']) {
    expect(lines).toMatch(new RegExp(`"msg":"${message}".*"upstream_request_id":"up-broken"`));
  }
});
