import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { connect, createServer, type Socket } from 'node:net';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { answerOf } from '../shared/answer.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

/* Realtime sessions with a misbehaving client or upstream. */

const ACME = clientKey('acme');
const DUMB = clientKey('dumb');
const PIECE = Buffer.alloc(64 * 1024, 'x');
const MOST_BODY = 1024 * 1024;

let flooded = 0;
let opened = 0;
let closed = 0;
let asked = 0;
let heldUpgrade: Promise<void> | null = null;
const upstream = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request, server) {
    asked++;
    await heldUpgrade;
    return server.upgrade(request) ? undefined : new Response(null, { status: 400 });
  },
  websocket: {
    backpressureLimit: 2 ** 30,
    open: (socket) => {
      opened++;
      socket.send('hello');
    },
    message: (socket, message) => {
      if (message === 'flood') flood(socket);
      else socket.send(message);
    },
    drain: flood,
    close: () => {
      closed++;
    },
  },
});

/** Sends until the socket applies backpressure, at most 64 pieces. */
function flood(socket: { send(data: Buffer): number }): void {
  for (let piece = 0; piece < 64; piece++) {
    flooded += PIECE.length;
    if (socket.send(PIECE) <= 0) return;
  }
}

/** A server that accepts connections and sends nothing. */
const silent: Socket[] = [];
const dumb = createServer((socket) => void silent.push(socket.on('error', () => undefined)));
let space: Workspace;
let serving: Serving;
beforeAll(async () => {
  await new Promise<void>((resolve) => dumb.listen(0, '127.0.0.1', resolve));
  const address = dumb.address();
  const dumbPort = typeof address === 'object' ? address?.port : null;
  space = await Workspace.create();
  const channel = (owner: string, port: unknown, timeouts: object) => ({
    ...{ id: owner, owner, provider: 'openai', api_key: 'upstream-key', models: ['my-voice'], timeouts },
    base_url: `http://127.0.0.1:${port}/v1`,
  });
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    server: { max_body_bytes: MOST_BODY },
    channels: [
      channel('acme', upstream.port, {}),
      channel('dumb', dumbPort, { connect_ms: 100, first_byte_ms: 200, total_ms: 400 }),
    ],
    accounts: ['acme', 'dumb'].map((id) => accountWith(id, [keyNamed(id), keyNamed(`${id}-lost`)])),
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});
afterAll(async () => {
  await space?.remove();
  await upstream.stop(true);
  for (const socket of silent) socket.destroy();
  dumb.close();
});
beforeEach(() => {
  asked = 0;
  opened = 0;
  closed = 0;
  heldUpgrade = null;
});

function open(key = ACME) {
  const headers = { authorization: `Bearer ${key}` };
  const url = `${serving.origin.replace('http', 'ws')}/v1/realtime?model=my-voice`;
  const socket = new WebSocket(url, { headers } as unknown as string[]) as WebSocket & {
    pause(): void;
    resume(): void;
  };
  socket.binaryType = 'nodebuffer';
  const got: (string | Buffer)[] = [];
  socket.onmessage = ({ data }) => void got.push(data);
  const end = new Promise<readonly [number, string]>((resolve) => {
    socket.onclose = ({ code, reason }) => resolve([code, reason]);
  });
  return { socket, got, end };
}

const handshake = (key: string) =>
  `GET /v1/realtime?model=my-voice HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${key}\r\nUpgrade: websocket\r\n` +
  'Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n';

test('ten thousand tiny messages come back in their order', async () => {
  const { socket, got, end } = open();
  await until('the session is open', () => got.length === 1);
  for (let index = 0; index < 10_000; index++) socket.send(String(index));
  await until('all messages are echoed', () => got.length === 10_001);
  expect(got.slice(1)).toEqual(Array.from({ length: 10_000 }, (_, index) => String(index)));
  socket.close();
  await end;
});

test('a message over the limit ends the session on both sides', async () => {
  const { socket, got, end } = open();
  await until('the session is open', () => got.length === 1);
  socket.send(Buffer.alloc(MOST_BODY + 128 * 1024));
  expect([1006, 1009]).toContain((await end)[0]);
  await until('the upstream has received the message', () => closed >= 1);
});

test('an upstream that floods a client that does not read gets backpressure', async () => {
  const { socket, got, end } = open();
  await until('the session is open', () => got.length === 1);
  socket.send('flood');
  socket.pause();
  await until('the flood has started', () => flooded > 0);
  const other = open();
  await until('the other session is open', () => other.got.length === 1);
  let echoes = 1;
  await until('the flood stops while another session is answered', async () => {
    const before = flooded;
    other.socket.send('and?');
    echoes++;
    await until('the other session gets its reply', () => other.got.length === echoes);
    return flooded === before;
  });
  other.socket.close();
  await other.end;
  expect(flooded).toBeLessThan(64 * 1024 * 1024);
  socket.resume();
  socket.close();
  await end;
  await until('the upstream has received the message', () => closed === 2);
});

test('an upstream that never answers the upgrade is a 504', async () => {
  const headers = { authorization: `Bearer ${DUMB}`, upgrade: 'websocket', connection: 'Upgrade' };
  const handshakeHeaders = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' };
  const answer = await answerOf(
    await fetch(`${serving.baseUrl}/realtime?model=my-voice`, { headers: { ...headers, ...handshakeHeaders } }),
  );
  expect([answer.status, answer.error.code]).toEqual([504, 'timeout_error']);
});

test('a client that leaves during the handshake leaves no connection open, and counts as no failure', async () => {
  let letGo: () => void = () => undefined;
  heldUpgrade = new Promise((resolve) => {
    letGo = resolve;
  });
  const socket = connect(serving.port, '127.0.0.1');
  socket.write(handshake(ACME));
  await until('the upstream request arrives', () => asked === 1);
  socket.destroy();
  await until('the request is logged', () => rows().some(({ failure_kind: kind }) => kind === 'client_closed_request'));
  letGo();
  await until('no upstream connection is open', () => opened === closed);
  expect(rows().filter(({ status }) => status === 499)).toHaveLength(1);
});

test('a key that is revoked ends its sessions, and no others', async () => {
  const lost = open(clientKey('acme-lost'));
  const other = open();
  await until('both sessions are open', () => lost.got.length + other.got.length === 2);
  expect((await space.run(['keys', 'revoke', 'acme-lost'])).exitCode).toBe(0);
  expect(await lost.end).toEqual([1008, 'The API key is no longer valid.']);
  other.socket.send('still here');
  await until('the other session gets its reply', () => other.got.length === 2);
  other.socket.close();
  await other.end;
});

function rows(): Record<string, unknown>[] {
  const database = new Database(space.database, { readonly: true });
  try {
    return database.query('SELECT * FROM request_log').all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}
