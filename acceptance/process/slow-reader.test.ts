import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { accountWith, channelTo, chunk, clientKey, keyNamed } from '../../conformance/first-light/upstream.ts';
import { chatBody } from '../../conformance/shared/answer.ts';

import { until } from '../../conformance/shared/until.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

const MEGABYTE = 1024 * 1024;
/** What the sockets on the way hold, and the gateway's own pieces on top. */
const MOST_GROWTH = 60 * MEGABYTE;
/** What one more waiting stream may cost for good. */
const MOST_FOR_EACH = 5 * MEGABYTE;
const STILL_FOR_MS = 700;
const WATCHED_MS = 2_500;
const SEVERAL = 20;

/** An upstream that sends chunks as fast as its connection takes them, without end. */
class EndlessUpstream {
  sentBytes = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
      socket.once('data', () => this.#pour(socket));
    });
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  async listen(): Promise<string> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }

  #pour(socket: Socket): void {
    const events = chunk('endless', { content: 'x'.repeat(1_000) }).repeat(16);
    const piece = `${Buffer.byteLength(events).toString(16)}\r\n${events}\r\n`;
    const more = () => {
      while (!socket.destroyed) {
        this.sentBytes += piece.length;
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
});

afterAll(async () => {
  await space.remove();
  await upstream.close();
});

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${serving.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** Asks for the stream, reads its beginning, and then nothing more. */
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

/** Until the sockets between here and there are full, and nothing moves any more. */
async function settled(): Promise<void> {
  let sentBytes = -1;
  let sinceMs = performance.now();
  const still = () => {
    if (upstream.sentBytes !== sentBytes) {
      sentBytes = upstream.sentBytes;
      sinceMs = performance.now();
    }
    return performance.now() - sinceMs > STILL_FOR_MS;
  };
  await until('the upstream is held back', still, 10_000);
}

/** The row of a stream that was left is written when it is counted. */
async function tokenizerIsLoaded(): Promise<void> {
  let bytes = await residentBytes();
  await until(
    'memory is level',
    async () => {
      await Bun.sleep(500);
      const now = await residentBytes();
      const isLevel = Math.abs(now - bytes) < MEGABYTE;
      bytes = now;
      return isLevel;
    },
    10_000,
  );
}

test('a client that stops reading stops the upstream, and costs no memory', async () => {
  const before = await residentBytes();
  const { socket, received } = await openAndStall();
  await settled();
  const [sentThen, receivedThen] = [upstream.sentBytes, received()];
  await Bun.sleep(WATCHED_MS);
  expect(upstream.sentBytes - sentThen).toBe(0);
  expect(received() - receivedThen).toBe(0);
  expect(upstream.sentBytes - received()).toBeLessThan(MOST_GROWTH);
  expect((await residentBytes()) - before).toBeLessThan(MOST_GROWTH);

  // It is only waiting: when the client reads on, so does the gateway.
  socket.resume();
  await until('the stream goes on', () => received() > receivedThen + 5 * MEGABYTE);
  socket.destroy();
  await until('the upstream is told', () => upstream.openConnections === 0, 2_000);
}, 60_000);

test(`${SEVERAL} of them cost little more, and disturb nobody`, async () => {
  // What the client before has left is counted by the tokenizer, which is loaded once for that.
  await tokenizerIsLoaded();
  const before = await residentBytes();
  const stalled = await Promise.all(Array.from({ length: SEVERAL }, openAndStall));
  try {
    const startedMs = performance.now();
    expect((await fetch(`${serving.origin}/healthz`)).status).toBe(200);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    await settled();
    // What the runtime has allocated in the rush it gives back when it comes to it.
    const most = MOST_GROWTH + SEVERAL * MOST_FOR_EACH;
    for (let look = 0; look < 50 && (await residentBytes()) - before >= most; look++) await Bun.sleep(200);
    expect((await residentBytes()) - before).toBeLessThan(most);
  } finally {
    for (const { socket } of stalled) socket.destroy();
  }
  await until('the upstream is told', () => upstream.openConnections === 0, 3_000);
}, 60_000);
