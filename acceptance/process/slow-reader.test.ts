import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { accountWith, channelTo, chunk, clientKey, keyNamed } from '../../conformance/first-light/upstream.ts';
import { chatBody } from '../../conformance/shared/answer.ts';
import { until } from '../../conformance/shared/until.ts';
import { memoryOf } from '../shared/process-files.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

const MEGABYTE = 1024 * 1024;
/** Socket buffers along the way, plus the gateway's own chunks. */
const MOST_GROWTH = 60 * MEGABYTE;
/** The memory that each further stalled stream may retain. */
const MOST_FOR_EACH = 5 * MEGABYTE;
const SEVERAL = 20;
/** Far more than the socket buffers hold: without backpressure, a stalled stream would have sent as much. */
const MEANWHILE = 200 * MEGABYTE;

/** An upstream that sends chunks without end, as fast as its connections take them. */
class EndlessUpstream {
  readonly #server: Server;
  /** The open connections, and the bytes sent on each. */
  readonly #sockets = new Map<Socket, number>();

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.set(socket, 0);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
      socket.once('data', () => this.#pour(socket));
    });
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  /** The bytes sent on all open connections. */
  get sentBytes(): number {
    return this.#sockets.values().reduce((sum, bytes) => sum + bytes, 0);
  }

  async listen(): Promise<string> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.keys()) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }

  #pour(socket: Socket): void {
    const events = chunk('endless', { content: 'x'.repeat(1_000) }).repeat(16);
    const piece = `${Buffer.byteLength(events).toString(16)}\r\n${events}\r\n`;
    const more = () => {
      while (!socket.destroyed) {
        this.#sockets.set(socket, (this.#sockets.get(socket) ?? 0) + piece.length);
        if (!socket.write(piece)) return void socket.once('drain', more);
      }
    };
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n');
    more();
  }
}

const upstream = new EndlessUpstream();
let space: ProcessWorkspace;
let serving: ServingProcess;

beforeAll(async () => {
  space = await ProcessWorkspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [channelTo({ baseUrl: await upstream.listen() }, { models: ['endless'] })],
    accounts: [accountWith('acme', [keyNamed('main')])],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
  // One-time allocations of the first stream do not count as growth.
  await readMuchOfAnother(0);
  await until('the request is logged', () => rowsWritten() === 1);
});

afterAll(async () => {
  await space.remove();
  await upstream.close();
});

/** Requests the stream, reads its beginning, and then stops reading. */
async function openAndStall(): Promise<{ socket: Socket; received: () => number }> {
  const socket = connect(serving.port, '127.0.0.1');
  let received = 0;
  const body = JSON.stringify(chatBody('endless', { stream: true }));
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${clientKey('main')}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ].join('\r\n');
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    received += bytes.length;
  });
  socket.write(`${head}\r\n\r\n${body}`);
  await until('the stream has begun', () => received > 100_000);
  socket.pause();
  return { socket, received: () => received };
}

/** Reads much of another stream, in which time a stalled stream without backpressure would have advanced. */
async function readMuchOfAnother(stalled: number): Promise<void> {
  const client = new AbortController();
  const response = await serving.openChat(clientKey('main'), chatBody('endless', { stream: true }), {
    signal: client.signal,
  });
  let read = 0;
  for await (const piece of response.body ?? []) {
    read += piece.length;
    if (read > MEANWHILE) break;
  }
  client.abort();
  await until('the upstream request is aborted', () => upstream.openConnections === stalled);
}

/** Returns the number of log lines. The line of an abandoned stream is written after the tokenizer, loaded once, has counted it. */
function rowsWritten(): number {
  const database = new Database(space.database, { readonly: true });
  try {
    return database.query<{ count: number }, []>('SELECT count(*) AS count FROM request_log').get()?.count ?? 0;
  } finally {
    database.close();
  }
}

/** The runtime releases memory after a burst with a delay. */
const takesLessThan = (most: number, before: number) =>
  until(`no more than ${most} bytes more than ${before}`, async () => memoryOf(serving.pid).now - before < most);

test('a client that stops reading stops the upstream and takes no memory', async () => {
  const before = memoryOf(serving.pid).now;
  const { socket, received } = await openAndStall();
  await readMuchOfAnother(1);
  const [sentThen, receivedThen] = [upstream.sentBytes, received()];
  expect(sentThen - receivedThen).toBeLessThan(MOST_GROWTH);
  await takesLessThan(MOST_GROWTH, before);

  // The stream is only paused: it continues when the client reads on.
  socket.resume();
  await until('the stream continues', () => received() > receivedThen + 5 * MEGABYTE);
  socket.destroy();
  await until('the upstream request is aborted', () => upstream.openConnections === 0);
});

test(`${SEVERAL} stalled clients take little more memory and disturb nobody`, async () => {
  const before = memoryOf(serving.pid).now;
  const stalled = await Promise.all(Array.from({ length: SEVERAL }, openAndStall));
  try {
    await readMuchOfAnother(SEVERAL);
    expect((await fetch(`${serving.origin}/healthz`)).status).toBe(200);
    await takesLessThan(MOST_GROWTH + SEVERAL * MOST_FOR_EACH, before);
  } finally {
    for (const { socket } of stalled) socket.destroy();
  }
  await until('the upstream request is aborted', () => upstream.openConnections === 0);
});
