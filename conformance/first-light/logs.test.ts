import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../src/upstream/testing/self-signed-certificate.ts';
import { chatBody } from '../shared/answer.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from './upstream.ts';

/* The log and the access log tell operators about requests. */

type Line = Readonly<Record<string, unknown>>;

const KEY = clientKey('main');
const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const CANARY = 'Zq7CANARY4xK9vB2mN5p';
const upstream = startUpstream();
const secure = Bun.serve({
  port: 0,
  tls: { cert: CERTIFICATE, key: CERTIFICATE_KEY },
  fetch: () => new Response('{}'),
});
let space: Workspace;
let serving: Serving;
let file: string;

const configuration = (logs: object) => ({
  channels: [
    channelTo(upstream, { models: ['quick'] }),
    {
      ...{ id: 'secure', provider: 'openai-compatible', models: ['untrusted'], api_key: 'k' },
      base_url: `https://127.0.0.1:${secure.port}/v1`,
    },
  ],
  accounts: [accountWith('acme', [keyNamed('main')])],
  server: { trusted_proxies: ['127.0.0.1'] },
  logs,
});
const accessLog = () => space.path('access.log');

beforeAll(async () => {
  space = await Workspace.create();
  file = await space.write('switchyard.yaml', configuration({ access_log: accessLog() }));
  serving = await space.serve({ env: { SWITCHYARD_CONFIG: file } });
});
afterAll(async () => {
  await space.remove();
  await upstream.stop();
  secure.stop(true);
});

const lines = (): Line[] =>
  serving.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

async function lineWith(about: string, matches: (line: Line) => boolean): Promise<Line> {
  await until(about, () => lines().some(matches));
  return lines().find(matches) ?? {};
}

const client = {
  'x-forwarded-for': '203.0.113.7',
  'x-client-request-id': 'order-7',
  traceparent: TRACE,
  'user-agent': 'a "client"',
};

test('the line of a request says who asked what, with the ids of the client', async () => {
  const { headers, status } = await serving.chat(KEY, chatBody('quick'), { headers: client });
  expect(status).toBe(200);
  const id = headers.get('x-request-id');
  expect(await lineWith('the line', ({ request_id }) => request_id === id)).toMatchObject({
    ...{ level: 'info', component: 'requests', event: 'request', client_request_id: 'order-7' },
    ...{ trace_id: 'a'.repeat(32), client_address: '203.0.113.7', method: 'POST', path: '/v1/chat/completions' },
    ...{ format: 'openai-chat', account_id: 'acme', key_id: 'main', model_id: 'quick', status: 200, retry_count: 0 },
    ...{ latency_ms: expect.any(Number), input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
  });
});

test('a certificate that nobody trusts is named in the log', async () => {
  expect((await serving.chat(KEY, chatBody('untrusted'))).status).toBe(502);
  expect(await lineWith('the attempt', ({ event }) => event === 'attempt_failed')).toMatchObject({
    ...{ channel_id: 'secure', failure_kind: 'tls_certificate_self_signed' },
    reason: "The upstream's TLS certificate is self-signed.",
  });
});

test('the access log has the requests of clients, without queries, and continues in a new file after a reload', async () => {
  await serving.chat(KEY, chatBody('quick', { stream: true }), { headers: client });
  await fetch(`${serving.origin}/v1beta/models?key=${CANARY}`, { headers: client }).then((answer) => answer.text());
  const read = () => (existsSync(accessLog()) ? readFileSync(accessLog(), 'utf8') : '');
  await until('the lines are written', () => read().includes('/v1beta/models'));
  expect(read()).toMatch(
    /^203\.0\.113\.7 - - \[[^\]]+\] "POST \/v1\/chat\/completions HTTP\/1\.1" 200 \d+ "-" "a %22client%22"$/m,
  );
  expect(read()).not.toContain(CANARY);
  renameSync(accessLog(), `${accessLog()}.1`);
  serving.reloadConfiguration();
  await until('the new file exists', () => existsSync(accessLog()));
  await fetch(`${serving.origin}/healthz`).then((answer) => answer.text());
  await until('the new file has lines', () => read().includes('/healthz'));
});

test('a reload applies the level and the sample of the file', async () => {
  await space.write('switchyard.yaml', configuration({ access_log: accessLog(), level: 'warn,configuration=info' }));
  serving.reloadConfiguration();
  await lineWith('the change', ({ event }) => event === 'log_settings_changed');
  const before = lines().length;
  const { headers } = await serving.chat(KEY, chatBody('quick'));
  await serving.chat(KEY, chatBody('untrusted'));
  await until('the failure is logged', () =>
    lines()
      .slice(before)
      .some(({ level }) => level === 'warn'),
  );
  expect(lines().filter(({ request_id }) => request_id === headers.get('x-request-id'))).toEqual([]);
});

test('no line has a secret that a client sent', async () => {
  const asked = [
    fetch(`${serving.origin}/v1/models?key=sk-${CANARY}`, { headers: { cookie: `session=${CANARY}` } }),
    fetch(`${serving.origin}/v1/management/auth/callback/oidc?code=${CANARY}&state=${CANARY}`, { redirect: 'manual' }),
    fetch(`${serving.origin}/v1/chat/completions`, {
      ...{ method: 'POST', body: `{"model": "${CANARY}"` },
      headers: { authorization: `Bearer sk-${CANARY}`, 'x-request-id': `"${CANARY}"` },
    }),
  ];
  for (const answer of await Promise.all(asked)) await answer.text();
  await until('the requests are in the access log', () => readFileSync(accessLog(), 'utf8').includes('/oidc'));
  expect(serving.stdout + serving.stderr).not.toContain(CANARY);
  expect(readFileSync(accessLog(), 'utf8')).not.toContain(CANARY);
});
