import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { inParallel } from '../routing/client.ts';
import { answerOf, chatBody } from '../shared/answer.ts';
import { asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { TestClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from './upstream.ts';

/* An attacker without a key who guesses keys. */

const KEY = clientKey('main');
const FLOOD = 1_000;
const PER_MINUTE = 60;
const upstream = startUpstream();
/** The clock stands still, so that all requests fall into one minute. */
const clock = new TestClock();
let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [channelTo(upstream, { models: ['quick'] })],
    accounts: [accountWith('acme', [keyNamed('main')])],
    server: { trusted_proxies: ['127.0.0.1'] },
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, clock });
});
afterAll(async () => {
  await space.remove();
  await upstream.stop();
});

const from = (address: string) => ({ 'x-forwarded-for': address });
const rows = () => {
  const database = new Database(space.database, { readonly: true });
  const { count } = database.query<{ count: number }, []>('SELECT count(*) AS count FROM request_log').get()!;
  database.close();
  return count;
};

test(`${FLOOD} guesses leave a few log lines and no row, and other clients are not affected`, async () => {
  const address = '203.0.113.1';
  const ask = (key: string, at = address) => serving.chat(key, chatBody('quick'), { headers: from(at) });
  const answers = await inParallel(FLOOD, 32, (index) => ask(`sk-guess-${index}`));
  const statuses = answers.map(({ status }) => status);
  expect([
    statuses.filter((status) => status === 401).length,
    statuses.filter((status) => status === 429).length,
  ]).toEqual([PER_MINUTE, FLOOD - PER_MINUTE]);
  const { error, headers } = answers.at(-1)!;
  expect(error).toMatchObject({ code: 'rate_limit_exceeded', retryable: true });
  const seconds = Number(headers.get('retry-after'));
  expect([seconds > 0, seconds <= 60, error.retry_after]).toEqual([true, true, seconds]);
  // A valid key from the same address, which may be an office, and a guess from another address.
  expect((await ask(KEY)).status).toBe(200);
  expect((await ask('sk-guess', '203.0.113.2')).status).toBe(401);
  expect(rows()).toBeLessThanOrEqual(1);
  clock.advance(60_000);
  await until('the report', () => serving.stdout.includes('requests without a valid API key'));
  const lines = serving.stdout.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.length).toBeLessThan(20);
  expect(serving.stdout).not.toContain('sk-guess');
  const metrics = await (await fetch(`${serving.origin}/metrics`)).text();
  expect(metrics).toContain(`switchyard_refused_keys_total{outcome="throttled"} ${FLOOD - PER_MINUTE}`);
});

const DOORS: readonly (readonly [
  string,
  string,
  Record<string, string>,
  (json: Readonly<Record<string, unknown>>) => unknown,
])[] = [
  ['POST', '/v1/chat/completions', { authorization: 'Bearer sk-x' }, (json) => asObject(json.error).code],
  ['POST', '/v1/responses', { authorization: 'Bearer mt-management' }, (json) => asObject(json.error).code],
  ['POST', '/v1/messages', { 'x-api-key': 'sk-x' }, (json) => [json.type, asObject(json.error).type]],
  ['POST', '/v1beta/models/quick:generateContent?key=sk-x', {}, (json) => asObject(json.error).status],
  ['GET', '/v1beta/models?key=sk-x', {}, (json) => asObject(json.error).status],
  ['GET', '/v1/models', {}, (json) => asObject(json.error).code],
  ['GET', '/v1/pricing', { authorization: 'Bearer sk-x' }, (json) => asObject(json.error).code],
  ['GET', '/v1/responses/resp_1', { authorization: 'Bearer sk-x' }, (json) => asObject(json.error).code],
  ['DELETE', '/v1/responses/resp_1', { authorization: 'Bearer sk-x' }, (json) => asObject(json.error).code],
];

test('every endpoint counts for the same address, and answers in its own format', async () => {
  const told: unknown[] = [];
  const knock = async ([method, path, headers, codeOf]: (typeof DOORS)[number], address: string) => {
    const init = { method, headers: { ...headers, ...from(address) }, ...(method === 'POST' ? { body: '{}' } : {}) };
    const answer = await answerOf(await fetch(`${serving.origin}${path}`, init));
    return [answer.status, codeOf(asObject(parseJson(answer.text))), Number(answer.headers.get('retry-after')) > 0];
  };
  for (let index = 0; index < PER_MINUTE; index++) {
    const [status] = await knock(DOORS[index % DOORS.length]!, '2001:db8::1');
    expect(status).toBe(401);
  }
  for (const door of DOORS) told.push(await knock(door, '2001:db8::2'));
  const openai = [429, 'rate_limit_exceeded', true];
  const google = [429, 'RESOURCE_EXHAUSTED', true];
  expect(told).toEqual([
    openai,
    openai,
    [429, ['error', 'rate_limit_error'], true],
    google,
    google,
    openai,
    openai,
    openai,
    openai,
  ]);
  // The list without authentication stays open.
  const open = await fetch(`${serving.origin}/v1beta/models`, { headers: from('2001:db8::2') });
  expect(open.status).toBe(200);
});
