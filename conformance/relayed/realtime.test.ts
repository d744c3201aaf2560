import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

/* Realtime sessions: a WebSocket to the account's own channel, relayed message by message. */

const ACME = clientKey('acme');
const NOBODY = clientKey('nobody');

interface Heard {
  readonly url: URL;
  readonly headers: Headers;
  readonly messages: (string | Buffer)[];
  closed: readonly [number, string] | null;
}

const heard: Heard[] = [];
let refuses: number | null = null;
const upstream = Bun.serve<Heard>({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request, server) {
    if (refuses !== null) return Response.json({ error: { message: 'no' } }, { status: refuses });
    const data: Heard = { url: new URL(request.url), headers: request.headers, messages: [], closed: null };
    heard.push(data);
    return server.upgrade(request, { data }) ? undefined : new Response(null, { status: 400 });
  },
  websocket: {
    open: (socket) => void socket.send(JSON.stringify({ type: 'session.created', event_id: 'e1', session: {} })),
    message: (socket, message) => {
      socket.data.messages.push(message);
      if (message === 'leave') socket.close(4321, 'as asked');
      else if (message === 'break') socket.terminate();
      else socket.send(message);
    },
    close: (socket, code, reason) => {
      socket.data.closed = [code, reason];
    },
  },
});

let space: Workspace;
let serving: Serving;
beforeAll(async () => {
  space = await Workspace.create();
  const base_url = `http://127.0.0.1:${upstream.port}/v1`;
  const channel = { provider: 'openai', base_url, api_key: 'upstream-key', models: { 'my-voice': 'gpt-realtime' } };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    server: { max_sockets_per_account: 2, shutdown_grace_ms: 0 },
    channels: [
      { id: 'platform', ...channel },
      { id: 'own', owner: 'acme', breaker: { minimum_requests: 1000 }, ...channel },
    ],
    accounts: [accountWith('acme', [keyNamed('acme')]), accountWith('nobody', [keyNamed('nobody')])],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});
afterAll(async () => {
  await space?.remove();
  await upstream.stop(true);
});
beforeEach(() => {
  refuses = null;
  heard.splice(0);
});

interface Opened {
  readonly socket: WebSocket;
  readonly got: (string | Buffer)[];
  readonly end: Promise<readonly [number, string]>;
}

function open(query = 'model=my-voice', init: object = { headers: { authorization: `Bearer ${ACME}` } }): Opened {
  const socket = new WebSocket(`${serving.origin.replace('http', 'ws')}/v1/realtime?${query}`, init as string[]);
  socket.binaryType = 'nodebuffer';
  const got: (string | Buffer)[] = [];
  socket.onmessage = ({ data }) => void got.push(data);
  const end = new Promise<readonly [number, string]>((resolve) => {
    socket.onclose = ({ code, reason }) => resolve([code, reason]);
  });
  return { socket, got, end };
}

const refusal = async (key: string | null, path = '/v1/realtime?model=my-voice') => {
  const headers = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
  };
  const answer = await fetch(serving.origin + path, {
    headers: { ...headers, ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
  });
  const { error } = (await answer.json()) as { error: { code: string } };
  return [answer.status, error.code];
};

test('text and binary messages pass unchanged in both directions, then the close', async () => {
  const { socket, got, end } = open();
  await until('the first message has arrived', () => got.length === 1);
  socket.send('{"type":"x" , "n":1.0}');
  socket.send(Buffer.from([0, 255, 1]));
  await until('both messages are echoed', () => got.length === 3);
  expect(got.slice(1)).toEqual(['{"type":"x" , "n":1.0}', Buffer.from([0, 255, 1])]);
  expect(heard[0]?.url.search).toBe('?model=gpt-realtime');
  expect(heard[0]?.headers.get('authorization')).toBe('Bearer upstream-key');
  socket.close(4002, 'done');
  await end;
  await until('the upstream has received the message', () => heard[0]?.closed !== null);
  expect(heard[0]?.closed).toEqual([4002, 'done']);
});

test('the upstream’s close and its breaking off reach the client', async () => {
  const leaving = open();
  await until('the session is open', () => leaving.got.length === 1);
  leaving.socket.send('leave');
  expect(await leaving.end).toEqual([4321, 'as asked']);
  const breaking = open();
  await until('the session is open', () => breaking.got.length === 1);
  breaking.socket.send('break');
  expect((await breaking.end)[0]).toBe(1011);
});

test('a browser’s key arrives as a subprotocol and is not forwarded', async () => {
  const { socket, got, end } = open('model=my-voice', ['realtime', `openai-insecure-api-key.${ACME}`]);
  await until('the session is open', () => got.length === 1);
  expect(socket.protocol).toBe('realtime');
  expect(JSON.stringify([...(heard[0]?.headers ?? [])])).not.toContain(ACME);
  socket.close();
  await end;
});

test('invalid requests get an HTTP error without an upstream request', async () => {
  expect(await refusal(null)).toEqual([401, 'invalid_api_key']);
  expect(await refusal(NOBODY)).toEqual([404, 'object_not_found']);
  expect(await refusal(ACME, '/v1/realtime?model=no-such')).toEqual([404, 'model_not_found']);
  expect(await refusal(ACME, '/v1/realtime?model=my-voice&model=b')).toEqual([400, 'invalid_value']);
  const plain = await fetch(`${serving.baseUrl}/realtime?model=my-voice`, {
    headers: { authorization: `Bearer ${ACME}` },
  });
  expect([plain.status, plain.headers.get('upgrade')]).toEqual([400, 'websocket']);
  expect(heard).toEqual([]);
  refuses = 503;
  expect(await refusal(ACME)).toEqual([502, 'upstream_error']);
});

test('an account’s concurrent sessions are limited, and a finished one frees its slot', async () => {
  const [one, two] = [open(), open()];
  await until('both sessions are open', () => one.got.length + two.got.length === 2);
  expect(await refusal(ACME)).toEqual([429, 'rate_limit_exceeded']);
  one.socket.close();
  await one.end;
  const three = open();
  await until('the third session is open', () => three.got.length === 1);
  for (const { socket, end } of [two, three]) {
    socket.close();
    await end;
  }
});

test('a client that does not read causes backpressure and loses nothing', async () => {
  const { socket, got, end } = open();
  await until('the session is open', () => got.length === 1);
  const pausable = socket as WebSocket & { pause(): void; resume(): void };
  pausable.pause();
  const piece = Buffer.alloc(256 * 1024, 'x');
  for (let sent = 0; sent < 40; sent++) socket.send(piece);
  // Another session continues meanwhile.
  const other = open();
  await until('the other session is open', () => other.got.length === 1);
  other.socket.send('and?');
  await until('the other session gets its reply', () => other.got.length === 2);
  other.socket.close();
  await other.end;
  pausable.resume();
  await until('all messages have arrived', () => got.length === 41);
  socket.close();
  await end;
});

test('a gateway that stops says so', async () => {
  const { got, end } = open();
  await until('the session is open', () => got.length === 1);
  const exitCode = serving.stop();
  expect((await end)[0]).toBe(1012);
  expect(await exitCode).toBe(0);
});
