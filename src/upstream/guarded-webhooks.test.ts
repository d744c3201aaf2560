import { afterAll, afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { parseAddressRange } from '../domain/access/network-address.ts';
import { until } from '../domain/testing/until.ts';
import type { WebhookRequest } from '../engine/ports/webhook-sender.ts';
import { DEFAULT_ALERTS } from '../engine/settings/settings.ts';
import { GuardedWebhooks, type GuardedWebhooksOptions } from './guarded-webhooks.ts';
import { serveRaw } from './testing/raw-server.ts';

const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});
// Time stands still unless a test advances it.
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

async function serve(...how: Parameters<typeof serveRaw>) {
  const server = await serveRaw(...how);
  closers.push(server.close);
  return server;
}

const LOOPBACK = ['127.0.0.0/8'].flatMap((text) => {
  const parsed = parseAddressRange(text);
  return parsed.ok ? [parsed.range] : [];
});
const OPEN = { ...DEFAULT_ALERTS, allowHttp: true, allowedRanges: LOOPBACK };

/** Sends a webhook; all names resolve to 127.0.0.1. */
function send(
  url: string,
  change: Partial<GuardedWebhooksOptions> = {},
  signal = new AbortController().signal,
  wanted: Pick<WebhookRequest, 'answerBytes'> = {},
) {
  const sender = new GuardedWebhooks({
    settings: OPEN,
    resolve: async () => ['127.0.0.1'],
    totalMs: 400,
    refusalMs: 0,
    ...change,
  });
  return sender.send({
    url,
    headers: { 'webhook-id': 'evt_1', 'content-type': 'application/json' },
    body: '{"ü":1}',
    signal,
    ...wanted,
  });
}

test('a webhook is posted unchanged', async () => {
  const server = await serve('HTTP/1.1 204 No Content\r\n\r\n');
  expect(await send(`http://hooks.example:${server.port}/a?b=1`)).toEqual({ status: 204 });
  const [request = ''] = server.requests;
  expect(request).toStartWith('POST /a?b=1 HTTP/1.1\r\n');
  expect(request).toContain('webhook-id: evt_1\r\n');
  expect(request).toMatch(new RegExp(`^host: hooks\\.example:${server.port}\r$`, 'im'));
  expect(request).toMatch(/^content-length: 8\r$/im);
});

test.each<[string, string, object]>([
  ['an error is a status', 'HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n', { status: 500 }],
  [
    'a redirect is not followed',
    'HTTP/1.1 302 Found\r\nlocation: http://10.0.0.1/\r\ncontent-length: 0\r\n\r\n',
    { status: 302 },
  ],
  [
    'a body that goes on for ever is not waited for',
    `HTTP/1.1 200 OK\r\ncontent-length: 999999\r\n\r\n${'x'.repeat(9_000)}`,
    { status: 200 },
  ],
  ['what is not HTTP is no answer', 'SSH-2.0-OpenSSH_9\r\n\r\n', { problem: 'connection_failed' }],
])('%s', async (_name, answer, expected) => {
  const server = await serve(answer);
  expect(await send(`http://hooks.example:${server.port}/`)).toEqual(expected as never);
});

test('a hanging endpoint times out, and stopping ends the request at once', async () => {
  const silent = await serve(() => {});
  const url = `http://hooks.example:${silent.port}/`;
  const first = send(url);
  await until('the request has come', () => silent.requests.length === 1);
  jest.advanceTimersByTime(400);
  expect(await first).toEqual({ problem: 'timeout' });
  const abort = new AbortController();
  const second = send(url, {}, abort.signal);
  await until('the request has come', () => silent.requests.length === 2);
  abort.abort();
  expect(await second).toEqual({ problem: 'stopped' });
});

test('an answer that does not end in time is none, if its body is wanted', async () => {
  const slow = await serve((socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'));
  const answer = send(`http://hooks.example:${slow.port}/`, {}, undefined, { answerBytes: 100 });
  let rounds = 0;
  await until('the head of the answer has come', () => slow.requests.length === 1 && rounds++ > 20);
  jest.advanceTimersByTime(400);
  expect(await answer).toEqual({ problem: 'timeout' });
});

test.each<[string, Partial<GuardedWebhooksOptions>, object]>([
  ['https://hooks.example/', { resolve: async () => ['10.1.2.3'] }, { problem: 'address_refused' }],
  [
    'https://hooks.example/',
    { resolve: async () => ['93.184.216.34', '169.254.169.254'] },
    { problem: 'address_refused' },
  ],
  ['https://[::1]/', {}, { problem: 'address_refused' }],
  ['https://127.0.0.1/', { settings: DEFAULT_ALERTS }, { problem: 'address_refused' }],
  ['https://nowhere.example/', { resolve: () => Promise.reject(new Error('no')) }, { problem: 'address_refused' }],
  ['http://hooks.example/', { settings: DEFAULT_ALERTS }, { problem: 'https_required' }],
  ['https://user:word@hooks.example/', {}, { problem: 'invalid_url' }],
  ['ftp://hooks.example/', {}, { problem: 'invalid_url' }],
])('%s is not sent to: %p', async (url, change, expected) => {
  expect(await send(url, change)).toEqual(expected as never);
});
