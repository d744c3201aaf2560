import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { answerOf } from '../shared/answer.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';
import { type ObjectUpstream, startObjectUpstream } from './object-upstream.ts';

/*
 * Account-owned channels whose upstream hangs, stalls or sends invalid responses; what calls cost; and
 * whether stored objects keep their channel.
 */

const ACME = clientKey('acme');
const LIAR = clientKey('liar');
/** The account whose channels have short timeouts. */
const WAITER = clientKey('waiter');
const JSON_TYPE = { 'content-type': 'application/json' };

let said = '';
/** An upstream that sends `said` whatever is requested. */
const liar = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => socket.end(said));
});
let upstream: ObjectUpstream;
let space: Workspace;
let serving: Serving;
beforeAll(async () => {
  await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve));
  const address = liar.address();
  upstream = startObjectUpstream();
  space = await Workspace.create();
  const timeouts = { first_byte_ms: 400, idle_ms: 300, first_event_ms: 400, event_idle_ms: 300 };
  const own = (id: string, provider: string, priority: number, extra: object = {}) => ({
    ...{ id, provider, priority, owner: 'acme', api_key: `key-of-${id}`, models: ['shared-model'] },
    base_url: `${upstream.origin}/${provider === 'google' ? 'v1beta' : 'v1'}`,
    breaker: { minimum_requests: 1_000 },
    ...extra,
  });
  const liarPort = typeof address === 'object' ? address?.port : null;
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    billing: { private_channel_fee_usd: '0.01' },
    channels: [
      ...['openai', 'anthropic', 'google'].flatMap((provider) => [
        own(`${provider}-first`, provider, 0),
        own(`${provider}-second`, provider, 5),
      ]),
      own('waiter', 'openai', 0, { owner: 'waiter', timeouts }),
      own('liar', 'openai', 0, { owner: 'liar', base_url: `http://127.0.0.1:${liarPort}/v1` }),
    ],
    accounts: [
      accountWith('acme', [keyNamed('acme')], { billing: 'prepaid', balance_usd: '1' }),
      accountWith('liar', [keyNamed('liar')]),
      accountWith('waiter', [keyNamed('waiter')]),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});
afterAll(async () => {
  await space?.remove();
  await upstream?.stop();
  liar.close();
});
beforeEach(() => {
  upstream.answer = null;
  upstream.seen.splice(0);
});

const fetched = (path: string, init: RequestInit = {}, key = ACME) =>
  fetch(serving.origin + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });
const call = async (path: string, init: RequestInit = {}, key = ACME) => answerOf(await fetched(path, init, key));
const upload = (headers: Record<string, string> = {}) =>
  call('/v1/files', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain', ...headers } });
const balance = async () => {
  const { stdout } = await space.run(['accounts', 'balance', 'acme', '--json']);
  return Number((JSON.parse(stdout) as { balance_usd: string }).balance_usd);
};

test('a POST over a private channel costs the fee; a GET or a failed call costs nothing', async () => {
  const before = await balance();
  const { json } = await upload();
  await call(`/v1/files/${json.id}`);
  await call('/v1/files');
  await call(`/v1/files/${json.id}`, { method: 'DELETE' });
  expect(
    (await call('/v1/batches', { method: 'POST', body: '{"input_file_id":"no"}', headers: JSON_TYPE })).status,
  ).toBe(404);
  upstream.answer = () => new Response('broken', { status: 500 });
  expect((await upload()).status).toBe(502);
  await serving.stop();
  expect(before - (await balance())).toBeCloseTo(0.01, 9);
  expect((await space.run(['ledger', 'verify'])).stdout).toContain('ledger verified');
  serving = await space.serve({ env: { SWITCHYARD_CONFIG: space.path('switchyard.yaml') } });
});

describe('an upstream', () => {
  test('that hangs causes a 504', async () => {
    upstream.answer = () => new Promise<Response>(() => undefined);
    for (const init of [{}, { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }]) {
      const { status, error } = await call('/v1/files', init, WAITER);
      expect([status, error.code, error.type]).toEqual([504, 'timeout_error', 'timeout_error']);
    }
  });

  const stalling = (type: string) => () =>
    new Response(new ReadableStream({ start: (to) => to.enqueue(Buffer.from('{"id":')) }), {
      headers: { 'content-type': type },
    });
  test('that stalls inside a JSON response causes a 504', async () => {
    upstream.answer = stalling('application/json');
    const { status, error } = await call('/v1/files/file-1', {}, WAITER);
    expect([status, error.code]).toEqual([504, 'timeout_error']);
  });

  test('that stalls inside a download has it cut off', async () => {
    upstream.answer = stalling('application/octet-stream');
    const answer = await fetched('/v1/files/file-1/content', {}, WAITER);
    expect(answer.status).toBe(200);
    await expect(answer.bytes()).rejects.toThrow();
  });

  const lie = (type: string, length: number, body: string) =>
    `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`;
  test('that sends less than its Content-Length causes an error', async () => {
    said = lie('application/json', 1_000, '{"id":"file-1"}');
    const { status, error } = await call('/v1/files/file-1', {}, LIAR);
    expect([status, error.code]).toEqual([502, 'upstream_error']);
    said = lie('application/octet-stream', 1_000, 'half');
    // Timing decides whether the head is read before the connection is cut.
    const download = fetched('/v1/files/file-1/content', {}, LIAR).then((answer) => answer.bytes());
    await expect(download).rejects.toThrow();
  });

  test('that sends more than its Content-Length is cut off at that length', async () => {
    said = lie('application/octet-stream', 4, 'halfHTTP/1.1 200 OK\r\nX-Smuggled: 1\r\n\r\n');
    expect((await call('/v1/files/file-1/content', {}, LIAR)).text).toBe('half');
  });

  test('that does not speak HTTP causes a 502', async () => {
    said = 'hello\r\n\r\n';
    const { status, error } = await call('/v1/files/file-1', {}, LIAR);
    expect([status, error.code]).toEqual([502, 'upstream_error']);
  });
});

describe('a request with an object of the second channel goes to that channel', () => {
  const refused = () => Response.json({ error: { message: 'seen', type: 'invalid_request_error' } }, { status: 400 });
  const toSecond = (provider: string) => ({ 'x-switchyard-channel': `${provider}-second` });
  const asked = async (path: string, body: object, headers: Record<string, string> = {}) => {
    upstream.answer = refused;
    upstream.seen.splice(0);
    await call(path, { method: 'POST', body: JSON.stringify(body), headers: { ...JSON_TYPE, ...headers } });
    return upstream.seen.map(({ key }) => key);
  };

  test('in Chat Completions and Responses', async () => {
    const { json } = await upload(toSecond('openai'));
    const file = { type: 'file', file: { file_id: json.id } };
    const messages = [{ role: 'user', content: [file] }];
    expect(await asked('/v1/chat/completions', { model: 'shared-model', messages })).toEqual(['key-of-openai-second']);
    const input = [{ role: 'user', content: [{ type: 'input_file', file_id: json.id }] }];
    expect(await asked('/v1/responses', { model: 'shared-model', input })).toEqual(['key-of-openai-second']);
  });

  test('in Messages', async () => {
    const anthropic = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'files-api-2025-04-14' };
    const { json } = await upload({ ...toSecond('anthropic'), ...anthropic });
    const content = [{ type: 'document', source: { type: 'file', file_id: json.id } }];
    const body = { model: 'shared-model', max_tokens: 5, messages: [{ role: 'user', content }] };
    expect(await asked('/v1/messages', body, anthropic)).toEqual(['key-of-anthropic-second']);
  });

  test('in Google’s format, with a file and with a cache', async () => {
    const init = { method: 'POST', body: '{"model":"models/shared-model"}' };
    const { json } = await call('/v1beta/cachedContents', {
      ...init,
      headers: { ...JSON_TYPE, ...toSecond('google') },
    });
    const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
    const path = '/v1beta/models/shared-model:generateContent';
    expect(await asked(path, { contents, cachedContent: json.name })).toEqual(['key-of-google-second']);
    const uri = 'https://generativelanguage.googleapis.com/v1beta/files/mine';
    upstream.answer = () => Response.json({ name: 'files/mine', uri });
    await call('/v1beta/files/mine', { headers: toSecond('google') });
    const parts = [{ fileData: { fileUri: uri, mimeType: 'text/plain' } }];
    expect(await asked(path, { contents: [{ role: 'user', parts }] })).toEqual(['key-of-google-second']);
  });
});

test('names and metadata that objects of two channels share select no channel', async () => {
  const body = JSON.stringify({ name: 'Documents', metadata: { user_id: '42' } });
  upstream.answer = () => Response.json({ id: `vs_${upstream.seen.length}`, ...JSON.parse(body) });
  for (const channel of ['openai-second', 'openai-first']) {
    const headers = { ...JSON_TYPE, 'x-switchyard-channel': channel };
    await call('/v1/vector_stores', { method: 'POST', body, headers });
  }
  expect(upstream.seen.map(({ key }) => key)).toEqual(['key-of-openai-second', 'key-of-openai-first']);
});
