import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Gateway, startGatewayWith } from './shared/gateway.ts';

/* Captured requests and responses. Nothing is captured for an account with `capture` off, and captures are unreadable in the database. */

const OPERATOR = 'mt-operator-of-captures-000000001';
const OWNER = 'mt-owner-of-captures-00000000001';
const OTHER = 'mt-other-of-captures-00000000001';
const KEY = 'sk-open-of-captures-00000000001';
const QUIET_KEY = 'sk-quiet-of-captures-0000000001';
const HEARD_KEY = 'sk-heard-of-captures-0000000001';
const OTHER_KEY = 'sk-shut-of-captures-00000000001';
/** Part of every prompt; it must not appear in the database. */
const MARK = 'marzipanpotato';

let gateway: Gateway;
let data: string;

beforeAll(async () => {
  data = await mkdtemp(path.join(tmpdir(), 'switchyard-captures-'));
  const accounts = [
    { id: 'house', admin: true, management_tokens: [{ id: 'ops', secret: OPERATOR }] },
    {
      ...{ id: 'open', billing: 'unlimited', capture: 'full', cache: { strategy: 'exact', max_temperature: 2 } },
      keys: [
        { id: 'ci', secret: KEY },
        { id: 'quiet', secret: QUIET_KEY, capture: 'none' },
      ],
      ...{ management_tokens: [{ id: 'own', secret: OWNER }] },
    },
    {
      ...{ id: 'shut', billing: 'unlimited' },
      keys: [
        { id: 'ci', secret: OTHER_KEY },
        { id: 'heard', secret: HEARD_KEY, capture: 'full' },
      ],
      ...{ management_tokens: [{ id: 'own', secret: OTHER }] },
    },
  ];
  gateway = await startGatewayWith(
    [],
    { sandbox: true, accounts, retention: { captures_days: 1 } },
    { SWITCHYARD_DATA: data },
  );
}, 600_000);

afterAll(async () => {
  await gateway.stop();
  await rm(data, { recursive: true, force: true });
});

interface Sent {
  readonly id: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function send(endpoint: string, body: string | FormData, key = KEY, capture?: string): Promise<Sent> {
  const answer = await fetch(`${gateway.baseUrl}${endpoint}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(capture !== undefined && { 'x-switchyard-capture': capture }),
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    body,
  });
  const { status, headers } = answer;
  return { id: headers.get('x-request-id') ?? '', status, headers, text: await answer.text() };
}

async function manage(endpoint: string, token = OWNER, init: RequestInit = {}) {
  const answer = await fetch(`${gateway.baseUrl}/management${endpoint}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  return { status: answer.status, body: (await answer.json()) as any };
}

const chat = (fields: object = {}, content = `Say ${MARK}.`) =>
  JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content }], ...fields });

test.each([
  ['a whole answer', '/chat/completions', chat(), 'application/json'],
  ['the same request from the cache', '/chat/completions', chat(), 'application/json'],
  ['the same request as a stream from the cache', '/chat/completions', chat({ stream: true }), 'text/event-stream'],
  [
    ...(['a stream of another format', '/messages'] as const),
    chat({ stream: true, max_tokens: 100 }, `Again ${MARK}`),
    'text/event-stream',
  ],
  ['a request that is refused', '/chat/completions', chat({ model: `no-${MARK}` }), 'application/json'],
  ['a request that is not JSON', '/chat/completions', `{"model": ${MARK}`, 'application/json'],
  ['embeddings', '/embeddings', JSON.stringify({ model: 'sandbox-embedding', input: MARK }), 'application/json'],
  ['an image', '/images/generations', JSON.stringify({ model: 'sandbox-image', prompt: MARK }), 'application/json'],
])('%s is captured as sent and as answered', async (what, endpoint, body, contentType) => {
  const sent = await send(endpoint, body);
  expect(sent.headers.has('x-cache-entry-id')).toBe(what.includes('cache'));
  const { status, body: capture } = await manage(`/requests/${sent.id}/capture`);
  expect([sent.id !== '', status, capture.object, capture.account, capture.id]).toEqual([
    ...[true, 200, 'capture', 'open', sent.id],
  ]);
  const { request, answer } = capture;
  expect(request).toEqual({
    ...{ content_type: 'application/json', bytes: body.length, text: body, is_cut: false, omitted: null },
  });
  expect([answer.text, answer.bytes, answer.is_cut]).toEqual([sent.text, Buffer.byteLength(sent.text), false]);
  expect(answer.content_type).toStartWith(contentType);
});

test('a long body is cut at a character boundary, and a form is not captured', async () => {
  const body = chat({}, `${'€'.repeat(100_000)}`);
  const long = await send('/chat/completions', body);
  const { request } = (await manage(`/requests/${long.id}/capture`)).body;
  expect([request.bytes, request.is_cut]).toEqual([Buffer.byteLength(body), true]);
  expect(Buffer.byteLength(request.text)).toBeWithin(256 * 1024 - 3, 256 * 1024 + 1);
  expect(body).toStartWith(request.text);
  const form = new FormData();
  form.set('model', 'sandbox-image');
  form.set('prompt', MARK);
  form.set('image', new File([Uint8Array.of(1, 2, 3)], 'a.png', { type: 'image/png' }));
  const edit = await send('/images/edits', form);
  const kept = (await manage(`/requests/${edit.id}/capture`)).body;
  expect(kept.request).toEqual({
    ...{ content_type: 'multipart/form-data', bytes: null, text: null, is_cut: false, omitted: 'form' },
  });
  expect(kept.answer.bytes).toBe(Buffer.byteLength(edit.text));
});

test('only operators can switch capture; the change is audited and the account shows the setting', async () => {
  expect((await manage('/account')).body.capture).toBe('full');
  expect((await manage('/account', OTHER)).body.capture).toBe('none');
  const own = await manage('/account', OWNER, { method: 'PATCH', body: '{"capture":"none"}' });
  expect(own.status).toBe(400);
  const made = await manage('/accounts', OPERATOR, { method: 'POST', body: '{"id":"made","capture":"full"}' });
  expect([made.status, made.body.capture]).toEqual([201, 'full']);
  const wrong = await manage('/accounts/made', OPERATOR, { method: 'PATCH', body: '{"capture":"some"}' });
  expect([wrong.status, wrong.body.error.param]).toEqual([400, 'capture']);
  const changed = await manage('/accounts/made', OPERATOR, { method: 'PATCH', body: '{"capture":"none"}' });
  expect(changed.body.capture).toBe('none');
  const { body } = await manage('/audit?account_id=made&limit=1', OPERATOR);
  expect([body.data[0].before.capture, body.data[0].after.capture]).toEqual(['full', 'none']);
});

test('a key overrides its account, and the header declines the capture of one request', async () => {
  const capturedOf = async (sent: Sent, token = OWNER) =>
    (await manage(`/requests/${sent.id}/capture`, token)).status === 200;
  const ask = async (key: string, capture?: string) => {
    const sent = await send('/chat/completions', chat(), key, capture);
    return [sent.status, await capturedOf(sent, key === KEY || key === QUIET_KEY ? OWNER : OTHER)];
  };
  expect(await ask(KEY)).toEqual([200, true]);
  expect(await ask(KEY, ' None')).toEqual([200, false]);
  expect(await ask(QUIET_KEY)).toEqual([200, false]);
  expect(await ask(HEARD_KEY)).toEqual([200, true]);
  expect(await ask(HEARD_KEY, 'none')).toEqual([200, false]);
  expect(await ask(OTHER_KEY, 'full')).toEqual([200, false]);
  const wrong = await send('/chat/completions', chat(), KEY, 'no');
  expect([wrong.status, JSON.parse(wrong.text).error.param, await capturedOf(wrong)]).toEqual([
    ...[400, 'x-switchyard-capture', false],
  ]);
});

test('members decline capture for their keys, and only operators switch it on for one', async () => {
  const patch = (capture: string | null, token: string, account = '') =>
    manage(`/keys/made${account}`, token, { method: 'PATCH', body: JSON.stringify({ capture }) });
  const refused = await manage('/keys', OTHER, { method: 'POST', body: '{"id":"made","capture":"full"}' });
  expect([refused.status, refused.body.error.param]).toEqual([403, 'capture']);
  const made = await manage('/keys', OTHER, { method: 'POST', body: '{"id":"made"}' });
  expect([made.status, made.body.capture]).toEqual([201, null]);
  expect((await patch('full', OTHER)).status).toBe(403);
  expect((await patch('full', OPERATOR, '?account_id=shut')).body.capture).toBe('full');
  // A form that sends every member may be saved.
  expect((await patch('full', OTHER)).status).toBe(200);
  expect((await patch('none', OTHER)).body.capture).toBe('none');
  expect((await patch(null, OTHER)).body.capture).toBeNull();
});

test('a read by an operator is audited, one by the owner is not, and other accounts cannot read', async () => {
  const { id } = await send('/chat/completions', chat({}, `Read ${MARK}`));
  expect((await manage(`/requests/${id}/capture`)).status).toBe(200);
  expect((await manage(`/requests/${id}/capture`, OTHER)).status).toBe(404);
  const reads = async () => (await manage('/audit?account_id=open&action=capture.read', OPERATOR)).body.data;
  expect(await reads()).toEqual([]);
  expect((await manage(`/requests/${id}/capture`, OPERATOR)).status).toBe(200);
  const read = await reads();
  expect(read).toHaveLength(1);
  expect(JSON.stringify(read)).toContain(id);
  expect(JSON.stringify(read)).not.toContain(MARK);
});

test('a deleted capture is not found', async () => {
  const { id } = await send('/chat/completions', chat({}, `Delete ${MARK}`));
  // That of the key that overrides its account.
  expect((await manage('/captures', OTHER, { method: 'DELETE' })).body.removed).toBe(1);
  expect((await manage(`/requests/${id}/capture`)).status).toBe(200);
  const cleared = await manage('/captures', OWNER, { method: 'DELETE' });
  expect([cleared.status, cleared.body.removed > 0]).toEqual([200, true]);
  const gone = await manage(`/requests/${id}/capture`);
  expect([gone.status, gone.body.error.code]).toEqual([404, 'not_found']);
});

test('nothing is captured for an account without capture, and the database has no readable text', async () => {
  const shut = await send('/chat/completions', chat(), OTHER_KEY);
  expect(shut.text).toContain(MARK);
  expect((await manage(`/requests/${shut.id}/capture`, OTHER)).status).toBe(404);
  await send('/chat/completions', chat({}, `Last ${MARK}`));
  // Stopping the gateway writes everything to the database.
  await gateway.stop();
  const files = (await readdir(data)).filter((name) => name.includes('.sqlite'));
  expect(files.length).toBeGreaterThan(0);
  for (const name of files) expect((await readFile(path.join(data, name))).includes(MARK)).toBe(false);
  const database = new Database(path.join(data, 'switchyard.sqlite'), { readonly: true });
  const rows = database.query('SELECT account_id, count(*) AS count FROM captures GROUP BY account_id').all();
  database.close();
  expect(rows).toEqual([{ account_id: 'open', count: 1 }]);
});
