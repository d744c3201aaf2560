import { afterAll, afterEach, expect, test } from 'bun:test';
import { chatBody, rawRequest } from '../shared/answer.ts';
import { isRefused, KeptConnection } from '../shared/kept-connection.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import { accountWith, channelTo, chatAnswer, clientKey, keyNamed, startUpstream, streamedAnswer } from './upstream.ts';

/* A gateway that drains before it stops; acceptance/process/stopping.test.ts tests the signals and the workers. */

const KEY = clientKey('main');
/** Longer than a test takes, so that no drain and no grace period ends by itself. */
const LONG_MS = 300_000;

/** The rest of a stream, or the whole answer of `held`, is sent when a test says so. */
let goOn = Promise.withResolvers<void>();
const upstream = startUpstream(async (request) => {
  if (request.model === 'paced') return streamedAnswer(request, { pieces: 5, rest: goOn.promise });
  if (request.model === 'held') await goOn.promise;
  return chatAnswer(request);
});
const spaces: Workspace[] = [];

afterEach(() => {
  goOn.resolve();
  goOn = Promise.withResolvers();
});
afterAll(async () => {
  await Promise.all(spaces.map((space) => space.remove()));
  await upstream.stop();
});

async function start(drainMs = LONG_MS): Promise<Serving> {
  const space = await Workspace.create();
  spaces.push(space);
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [channelTo(upstream, { models: ['quick', 'held', 'paced'] })],
    accounts: [accountWith('acme', [keyNamed('main')])],
    server: { drain_ms: drainMs, shutdown_grace_ms: LONG_MS },
  });
  return space.serve({ env: { SWITCHYARD_CONFIG } });
}

const ready = (serving: Serving) => rawRequest(serving.port, 'GET /readyz HTTP/1.1\r\nhost: gateway\r\n\r\n');

/** Asks the gateway to stop, and waits until it has heard that. */
async function drain(serving: Serving): Promise<void> {
  serving.drain();
  await until('the gateway is not ready', async () => (await ready(serving)).status === 503);
}

test('new requests are served on new and on kept-alive connections, which are then closed', async () => {
  const serving = await start();
  const kept = await KeptConnection.open(serving.port);
  const before = await kept.chat(KEY, chatBody('quick'));
  expect([before?.status, before?.headers.includes('connection: close')]).toEqual([200, false]);
  await drain(serving);
  const late = await serving.chat(KEY, chatBody('quick'));
  expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
  const after = await kept.chat(KEY, chatBody('quick'));
  expect([after?.status, after?.headers.includes('connection: close')]).toEqual([200, true]);
  await until('the kept-alive connection is closed', () => kept.isClosed);
  expect(await serving.stop()).toBe(0);
  expect(await isRefused(serving.port)).toBe(true);
});

test('health checks, errors, pages and preflights close their connections, too', async () => {
  const serving = await start();
  await drain(serving);
  const closes = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${serving.origin}${path}`, init);
    await answer.arrayBuffer();
    return answer.headers.get('connection');
  };
  const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
  const answers = [
    closes('/healthz'),
    closes('/readyz'),
    closes('/nowhere'),
    closes('/v1/management/accounts'),
    closes('/v1/chat/completions', { method: 'POST', body: '{' }),
    closes('/v1/chat/completions', { method: 'OPTIONS', headers: preflight }),
  ];
  expect(await Promise.all(answers)).toEqual(answers.map(() => 'close'));
  await serving.stop();
});

test('a request that arrived before the drain closes its connection', async () => {
  const serving = await start();
  const kept = await KeptConnection.open(serving.port);
  const asked = kept.chat(KEY, chatBody('held'));
  await until('the upstream has the request', () => upstream.requests.at(-1)?.model === 'held');
  await drain(serving);
  goOn.resolve();
  const answer = await asked;
  expect([answer?.status, answer?.headers.includes('connection: close')]).toEqual([200, true]);
  await until('the connection is closed', () => kept.isClosed);
  await serving.stop();
});

test('a stream that began in the drain finishes after it', async () => {
  const serving = await start();
  await drain(serving);
  const response = await serving.openChat(KEY, chatBody('paced', { stream: true }));
  expect(response.headers.get('connection')).toBe('close');
  const stopped = serving.stop();
  await until('the listener is closed', () => isRefused(serving.port));
  goOn.resolve();
  expect(await response.text()).toContain('data: [DONE]');
  expect(await stopped).toBe(0);
});

test('the drain ends by itself', async () => {
  const serving = await start(1);
  serving.drain();
  expect(await serving.exited).toBe(0);
  expect(serving.stdout).toContain('Stopping: serving new requests for 1 s more');
  expect(await isRefused(serving.port)).toBe(true);
});

test('a drain of no time stops at once', async () => {
  const serving = await start(0);
  serving.drain();
  expect(await serving.exited).toBe(0);
  expect(serving.stdout).not.toContain('Stopping');
});
