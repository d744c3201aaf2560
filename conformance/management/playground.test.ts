import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { channelTo, type FakeUpstream, startUpstream, streamedAnswer } from '../first-light/upstream.ts';
import { asObject } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import { tone } from '../transcripts/bed.ts';
import { Browser, type Seen } from './browser.ts';
import { firstToken } from './first-operator.ts';

/* People call models with their session, through the official SDKs; nobody else can. */

setDefaultTimeout(600_000);

const PLAYGROUND = '/v1/management/playground';
const PASSWORD = 'correct horse battery staple';
const OTHER_KEY = 'sk-other-of-the-playground-0001';
const TOKEN = 'mt-acme-of-the-playground-000001';
const MODEL = 'sandbox-chat';
const HELLO = { model: MODEL, messages: [{ role: 'user' as const, content: 'Say hello to all of us.' }] };

let space: Workspace;
let serving: Serving;
let upstream: FakeUpstream;
/** Releases the held streams. */
const goesOn = Promise.withResolvers<void>();
let operator: Browser;
let member: Browser;
let viewer: Browser;

beforeAll(async () => {
  upstream = startUpstream((request) => streamedAnswer(request, { rest: goesOn.promise }));
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    sandbox: true,
    cache: { strategy: 'asked' },
    tasks: { poll_interval_ms: 20 },
    channels: [channelTo(upstream, { id: 'held', models: { 'held-chat': 'held-chat' } })],
    accounts: [
      {
        ...{
          id: 'acme',
          billing: 'unlimited',
          capture: 'full',
          keys: [{ id: 'narrow', secret: 'sk-narrow-of-acme-01' }],
        },
        management_tokens: [{ id: 'own', secret: TOKEN }],
      },
      { id: 'other', billing: 'unlimited', keys: [{ id: 'theirs', secret: OTHER_KEY }] },
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
  const token = await firstToken(serving);
  const before = await (await new Browser([serving]).fetch('/v1/management/sign-in-options')).json();
  expect(before).toMatchObject({
    signed_in: false,
    needs_first_operator: true,
    base_urls: { openai: serving.baseUrl },
  });
  operator = await welcomed(token, 'root@example.com');
  member = await invited('mia@example.com', 'member');
  viewer = await invited('vic@example.com', 'viewer');
});

afterAll(async () => {
  goesOn.resolve();
  await space?.remove();
  await upstream?.stop();
});

const encoder = new TextEncoder();

function done({ status, json }: Seen): Readonly<Record<string, unknown>> {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(json)}`);
  return json;
}

async function welcomed(token: string, email: string): Promise<Browser> {
  const browser = new Browser([serving]);
  done(await browser.ask(0, 'POST /invitations/accept', { token, email, name: email, password: PASSWORD }));
  done(await browser.ask(0, 'POST /auth/sign-in/email', { email, password: PASSWORD }));
  return browser;
}

async function invited(email: string, role: string, account = 'acme'): Promise<Browser> {
  const { link } = done(await operator.ask(0, `POST /invitations?account_id=${account}`, { email, role }));
  return await welcomed(String(link).split('#')[1] ?? '', email);
}

/** A browser's `fetch` for an SDK, without the key that the SDK wants to send. */
function fetchOf(browser: Browser) {
  return (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(String(url));
    const headers = new Headers(init.headers);
    for (const name of ['authorization', 'x-api-key']) headers.delete(name);
    return browser.fetch(pathname + search, { ...init, headers });
  };
}

function openai(browser: Browser): OpenAI {
  const baseURL = `${serving.origin}${PLAYGROUND}/v1`;
  return new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0, fetch: fetchOf(browser) as typeof fetch });
}

async function post(browser: Browser, path: string, init: RequestInit = {}, body: unknown = HELLO): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...Object.fromEntries(new Headers(init.headers)) };
  return browser.fetch(path, { method: 'POST', body: JSON.stringify(body), ...init, headers });
}

async function told(answer: Response): Promise<unknown[]> {
  const text = await answer.text();
  const error = text.startsWith('{') ? asObject(asObject(JSON.parse(text)).error) : {};
  return [answer.status, error.code];
}

async function keysOf(account = 'acme'): Promise<Readonly<Record<string, unknown>>[]> {
  const { data } = done(await operator.ask(0, `GET /keys?account_id=${account}&limit=100`));
  return data as Readonly<Record<string, unknown>>[];
}

test('GET /me returns the person, the memberships and the base URLs', async () => {
  expect(done(await new Browser([serving]).ask(0, 'GET /sign-in-options')).needs_first_operator).toBe(false);
  expect(done(await member.ask(0, 'GET /me'))).toMatchObject({
    ...{ email: 'mia@example.com', operator: false, version: expect.any(String) },
    memberships: [{ account: 'acme', role: 'member', name: expect.any(String), archived: false }],
    base_urls: { openai: serving.baseUrl, anthropic: serving.origin, gemini: serving.origin },
  });
});

describe('a member with a session', () => {
  test('creates a key in the member’s name with the first request, not by reading', async () => {
    expect((await openai(member).models.list()).data.map(({ id }) => id)).toContain(MODEL);
    expect(await told(await member.fetch(`${PLAYGROUND}/v1/models/${MODEL}`))).toEqual([200, undefined]);
    expect(await told(await member.fetch(`${PLAYGROUND}/v1/tasks/task_none`))).toEqual([404, 'async_task_not_found']);
    expect((await keysOf()).map(({ id }) => id)).toEqual(['narrow']);
    const both = await Promise.all([1, 2].map(() => openai(member).chat.completions.create(HELLO)));
    expect(both.map(({ choices }) => choices[0]?.message.content)).toEqual([
      expect.stringContaining('hello'),
      expect.stringContaining('hello'),
    ]);
    const made = (await keysOf()).filter(({ id }) => id === 'playground');
    expect(made).toEqual([expect.objectContaining({ name: 'Playground', state: 'active' })]);
    const { data } = done(await operator.ask(0, 'GET /audit?account_id=acme&action=key.create'));
    const by = (data as { actor: { name: string }; object_id: string }[]).map((one) => [one.actor.name, one.object_id]);
    expect(by.filter(([, id]) => id === 'playground')).toEqual([['mia@example.com', 'playground']]);
    expect((await openai(member).models.list()).data.map(({ id }) => id)).toContain(MODEL);
  });

  test('streams a chat with the endpoint’s headers, logged under the key', async () => {
    const { data, response } = await openai(member)
      .chat.completions.create({ ...HELLO, stream: true })
      .withResponse();
    let text = '';
    for await (const { choices } of data) text += choices[0]?.delta.content ?? '';
    expect(text).toContain('hello');
    expect(response.headers.get('x-routing')).not.toBeNull();
    const id = response.headers.get('x-request-id') ?? '';
    await until('the request is in the log', async () => (await member.ask(0, `GET /requests/${id}`)).status === 200);
    expect(done(await member.ask(0, `GET /requests/${id}`))).toMatchObject({ account: 'acme', key: 'playground' });
  });

  test('can use the formats of Anthropic and Google', async () => {
    const anthropic = new Anthropic({
      ...{ apiKey: 'none', baseURL: `${serving.origin}${PLAYGROUND}`, maxRetries: 0 },
      fetch: fetchOf(member) as typeof fetch,
    });
    const stream = anthropic.messages.stream({ ...HELLO, max_tokens: 200 });
    expect(await stream.finalText()).toContain('hello');
    const contents = [{ role: 'user', parts: [{ text: 'Say hello to all of us.' }] }];
    const path = `${PLAYGROUND}/v1beta/models/${MODEL}:streamGenerateContent?alt=sse&account_id=acme`;
    const answer = await post(member, path, {}, { contents });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(await answer.text()).toContain('hello');
  });

  test('images, speech, a form with a recording, embeddings, Responses', async () => {
    const client = openai(member);
    const image = await client.images.generate({ model: 'sandbox-image', prompt: 'a hat', size: '256x256' });
    expect(image.data).toHaveLength(1);
    const speech = await client.audio.speech.create({ model: 'sandbox-speech', input: 'Good day.', voice: 'alloy' });
    expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
    const file = await tone('wav');
    const { text } = await client.audio.transcriptions.create({ model: 'sandbox-transcription', file });
    expect(text.length).toBeGreaterThan(10);
    const { data } = await client.embeddings.create({ model: 'sandbox-embedding', input: 'Good day.' });
    expect(data[0]?.embedding.length).toBeGreaterThan(100);
    const made = await client.responses.create({ model: MODEL, input: 'Say hello.' });
    expect((await client.responses.retrieve(made.id)).output_text).toBe(made.output_text);
    await client.responses.delete(made.id);
  });

  test('can create and poll a task, and sees its file in the management API', async () => {
    const body = { model: 'sandbox-video', prompt: 'a boat', provider_options: { delay_ms: 50 } };
    const answer = await post(member, `${PLAYGROUND}/v1/videos/generations`, {}, body);
    const { poll_url } = asObject(await answer.json());
    let task: Readonly<Record<string, unknown>> = {};
    await until('the task has ended', async () => {
      task = asObject(await (await member.fetch(`${PLAYGROUND}${poll_url}`)).json());
      return task.status === 'completed';
    });
    const [item] = task.data as { url: string; content_type: string }[];
    expect(item?.content_type).toBe('video/mp4');
    expect(done(await member.ask(0, `GET /tasks/${task.id}`)).data).toEqual([expect.objectContaining(item ?? {})]);
    const listed = done(await member.ask(0, 'GET /tasks')).data as { preview?: object }[];
    expect(listed[0]?.preview).toMatchObject({ content_type: 'video/mp4', cover_url: expect.any(String) });
    expect(item?.url).toContain(`${serving.origin}/media/`);
    const part = await fetch(item?.url ?? '', { headers: { range: 'bytes=0-99' } });
    expect([part.status, part.headers.get('content-type'), (await part.bytes()).length]).toEqual([
      206,
      'video/mp4',
      100,
    ]);
    expect(part.headers.get('content-security-policy')).toContain('sandbox');
    // Operators see that there was a task, but not its files.
    const looked = JSON.stringify([
      (await operator.ask(0, 'GET /tasks?account_id=acme')).json,
      (await operator.ask(0, `GET /tasks/${task.id}?account_id=acme`)).json,
    ]);
    expect(looked).toContain(String(task.id));
    expect(looked).not.toContain('/media/');
  });

  test('is bound by the limits and models of a named key', async () => {
    const key = done(await member.ask(0, 'POST /keys', { id: 'only-images', models: ['sandbox-image'] }));
    const named = `${PLAYGROUND}/v1/chat/completions?key_id=${key.id}`;
    expect(await told(await post(member, named))).toEqual([403, 'model_not_allowed']);
    done(await member.ask(0, `PATCH /keys/${key.id}`, { models: null, requests_per_minute: 1 }));
    expect(await told(await post(member, named))).toEqual([200, undefined]);
    expect(await told(await post(member, named))).toEqual([429, 'rate_limit_exceeded']);
    done(await member.ask(0, `DELETE /keys/${key.id}`));
    expect(await told(await post(member, named))).toEqual([409, 'conflict']);
    expect(await told(await post(member, `${PLAYGROUND}/v1/chat/completions?key_id=theirs`))).toEqual([
      404,
      'not_found',
    ]);
  });

  test('gets a new playground key after a revocation only on request', async () => {
    done(await member.ask(0, 'DELETE /keys/playground'));
    const chat = `${PLAYGROUND}/v1/chat/completions`;
    expect(await told(await post(member, chat))).toEqual([409, 'conflict']);
    const { id, secret } = done(await member.ask(0, 'POST /playground-key'));
    expect([id, secret]).toEqual(['playground-2', undefined]);
    expect(done(await member.ask(0, 'POST /playground-key')).id).toBe('playground-2');
    expect(await told(await post(member, chat))).toEqual([200, undefined]);
  });

  test('ends the upstream’s stream by leaving, but not by signing out', async () => {
    const body = { ...HELLO, model: 'held-chat', stream: true };
    const left = new AbortController();
    const { signal } = left;
    const answer = await post(member, `${PLAYGROUND}/v1/chat/completions`, { signal }, body);
    const reader = answer.body?.getReader();
    await reader?.read();
    left.abort();
    await until('the upstream request is aborted', () => upstream.requests.some(({ signal }) => signal.aborted));
    const guest = await invited('gil@example.com', 'member');
    const long = await post(guest, `${PLAYGROUND}/v1/chat/completions`, {}, body);
    done(await guest.ask(0, 'POST /auth/sign-out', {}));
    expect(await told(await post(guest, `${PLAYGROUND}/v1/chat/completions`))).toEqual([401, 'invalid_api_key']);
    goesOn.resolve();
    expect(await long.text()).toContain('[DONE]');
    const reached = JSON.stringify(upstream.requests.map(({ headers }) => [...headers]));
    for (const secret of [...member.secrets, ...guest.secrets]) expect(reached).not.toContain(secret);
    expect(reached).not.toMatch(/"(?:cookie|origin|referer|sec-fetch-site)"/);
  });
});

describe('access to the playground', () => {
  const chat = `${PLAYGROUND}/v1/chat/completions`;

  test('is refused without a session, to viewers, and to people of other accounts', async () => {
    expect(await told(await post(new Browser([serving]), chat))).toEqual([401, 'invalid_api_key']);
    expect(await told(await post(viewer, chat))).toEqual([403, 'access_denied']);
    expect(await told(await viewer.fetch(`${PLAYGROUND}/v1/models`))).toEqual([403, 'access_denied']);
    expect(await told(await post(member, `${chat}?account_id=other`))).toEqual([403, 'access_denied']);
    expect(await told(await post(member, `${chat}?account_id=acme&account_id=other`))).toEqual([400, 'invalid_value']);
    expect(await told(await post(operator, chat))).toEqual([400, 'missing_required_parameter']);
  });

  test('is refused with a token, a key, or a session plus a key', async () => {
    const none = new Browser([serving]);
    const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
    expect(await told(await post(none, chat, bearer(TOKEN)))).toEqual([403, 'access_denied']);
    expect(await told(await post(none, chat, bearer(OTHER_KEY)))).toEqual([401, 'invalid_api_key']);
    expect(await told(await post(member, chat, bearer(OTHER_KEY)))).toEqual([401, 'invalid_api_key']);
    for (const name of ['x-api-key', 'api-key', 'x-goog-api-key']) {
      expect(await told(await post(member, chat, { headers: { [name]: OTHER_KEY } }))).toEqual([
        401,
        'invalid_api_key',
      ]);
    }
    expect(await told(await post(member, `${chat}?key=${OTHER_KEY}`))).toEqual([400, 'invalid_value']);
    // The playground's way of naming a key does not work at the endpoints themselves.
    expect(await told(await post(member, '/v1/chat/completions?key_id=playground-2'))).toEqual([
      401,
      'invalid_api_key',
    ]);
  });

  test('is refused to pages of another origin, by form or script', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
    for (const origin of ['https://evil.example', 'null', `${serving.origin}.evil.example`]) {
      for (const type of ['application/json', ...types]) {
        const headers = { origin, 'sec-fetch-site': 'cross-site', 'content-type': type };
        expect(await told(await post(member, chat, { headers }))).toEqual([403, 'access_denied']);
      }
    }
    const { cookie } = member;
    const bare = await fetch(`${serving.origin}${chat}`, { method: 'POST', headers: { cookie }, body: '{}' });
    expect(await told(bare)).toEqual([403, 'access_denied']);
    const preflight = await member.fetch(chat, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('is limited to the paths of model endpoints', async () => {
    const paths = [
      ...['', '/', '/v1', '/v1//chat/completions', '//v1/chat/completions', '/v1/chat/completions/'],
      ...['/v1%2Fchat/completions', '/v1/management/keys', '/v1/management/playground/v1/chat/completions'],
      ...['/openapi.json', '/media/x', '/v1/files', '/v1/realtime', '/chat/completions', '/openai/v1/chat/completions'],
    ];
    for (const path of paths) {
      expect([path, ...(await told(await post(member, `${PLAYGROUND}${path}`)))]).toEqual([path, 404, 'unknown_url']);
    }
  });

  test('a path with `..` is resolved before the access rule applies', async () => {
    const raw = (path: string) => rawPost(path, member.cookie);
    // The error of the route that creates keys.
    expect(await raw(`${PLAYGROUND}/../keys`)).toContain(' 400 ');
    expect(await raw(`${PLAYGROUND}/../../chat/completions`)).toContain(' 404 ');
    expect(await raw(`${PLAYGROUND}/v1/%2e%2e/%2e%2e/%2e%2e/chat/completions`)).toContain(' 404 ');
    expect(await raw(`/v1/models/../management/playground/v1/chat/completions`)).not.toContain(' 200 ');
  });

  test('is refused for other methods and for a WebSocket', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await member.fetch(chat, { method });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
    const upgrade = { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-version': '13' };
    const headers = { ...upgrade, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    expect((await member.fetch(`${PLAYGROUND}/v1/responses`, { headers })).status).toBe(405);
  });

  test('is refused for a body that is invalid, too large, or without a length', async () => {
    const pieces = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(encoder.encode(JSON.stringify(HELLO)));
        controller.close();
      },
    });
    expect(await told(await post(member, chat, { body: pieces }))).toEqual([200, undefined]);
    expect(await told(await post(member, chat, { body: '{' }))).toEqual([400, 'invalid_json']);
  });

  test('an operator may act for every account, and its owners can see it', async () => {
    expect(await told(await post(operator, `${chat}?account_id=other&key_id=theirs`))).toEqual([200, undefined]);
    const { data } = done(await operator.ask(0, 'GET /audit?account_id=other&action=key.use'));
    const who = expect.objectContaining({ name: 'root@example.com' });
    expect(data).toEqual([expect.objectContaining({ actor: who, object_id: 'theirs' })]);
    expect(done(await operator.ask(0, 'GET /audit?account_id=acme&action=key.use')).data).toEqual([]);
  });

  test('an operator creates no key in another account, and uses an existing one', async () => {
    const there = `${chat}?account_id=other`;
    const listed = asObject(await (await operator.fetch(`${PLAYGROUND}/v1/models?account_id=other`)).json());
    expect((listed.data as { id: string }[]).map(({ id }) => id)).toContain(MODEL);
    const refused = await post(operator, there);
    expect(asObject(asObject(await refused.json()).error)).toMatchObject({ code: 'access_denied', param: 'key_id' });
    expect((await operator.ask(0, 'POST /playground-key?account_id=other')).status).toBe(403);
    expect((await keysOf('other')).map(({ id }) => id)).toEqual(['theirs']);
    expect(await told(await post(operator, `${there}&key_id=theirs`))).toEqual([200, undefined]);
    // Operators can use the key that the account's own member has created.
    const guest = await invited('ola@example.com', 'member', 'other');
    expect(await told(await post(guest, there))).toEqual([200, undefined]);
    expect(await told(await post(operator, there))).toEqual([200, undefined]);
  });

  test('is refused to disabled people and for archived accounts', async () => {
    const guest = await invited('dis@example.com', 'member');
    const { id } = done(await guest.ask(0, 'GET /me'));
    done(await operator.ask(0, `PATCH /users/${id}`, { disabled: true }));
    expect(await told(await post(guest, chat))).toEqual([401, 'invalid_api_key']);
    done(await operator.ask(0, 'POST /accounts', { id: 'gone' }));
    const lea = await invited('lea@example.com', 'member', 'gone');
    done(await operator.ask(0, 'POST /accounts/gone/archive', {}));
    expect(await told(await post(lea, chat))).toEqual([409, 'conflict']);
    expect((await keysOf('gone')).length).toBe(0);
  });
});

/** Sends the path unnormalized; resolves to the status line. */
async function rawPost(path: string, cookie: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { port, origin } = serving;
  const body = JSON.stringify(HELLO);
  const lines = [
    ...[`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Origin: ${origin}`, `Cookie: ${cookie}`],
    ...['Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close', '', body],
  ];
  const socket = await Bun.connect({
    ...{ hostname: '127.0.0.1', port },
    socket: {
      data: (_socket, bytes) => resolve(bytes.toString().split('\r\n')[0] ?? ''),
      close: () => resolve(''),
    },
  });
  socket.write(lines.join('\r\n'));
  const first = await promise;
  socket.end();
  return first;
}
