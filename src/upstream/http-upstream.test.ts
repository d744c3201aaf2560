import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import net from 'node:net';
import { Failure } from '../domain/failure/failure.ts';
import { PiecedBody } from '../domain/media/pieced-body.ts';
import type { UploadedFile } from '../domain/media/uploaded-file.ts';
import { until } from '../domain/testing/until.ts';
import type { UpstreamAnswer, UpstreamRequest } from '../engine/ports/upstream.ts';
import { bodyStream, STREAMED_BYTES } from './fetch-exchange.ts';
import { HttpUpstream } from './http-upstream.ts';

/** New for each test, since its timer uses either the runtime's clock or the test's. */
let upstream: HttpUpstream;
const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});
beforeEach(() => {
  upstream = new HttpUpstream({ proxies: null });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Starts a raw TCP server, so that the test controls every byte. */
async function rawServer(onRequest: (socket: net.Socket) => void): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => onRequest(socket));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Returns a request without time limits, unless a test sets them. */
function requestTo(
  url: string,
  overrides: Partial<UpstreamRequest> = {},
  timeouts: Partial<UpstreamRequest['timeouts']> = {},
) {
  return {
    url: `${url}/v1/chat/completions`,
    method: 'POST' as const,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode('{}'),
    timeouts: { connectMs: 60_000, firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000, ...timeouts },
    ...overrides,
  };
}

async function kindOf(
  result: UpstreamAnswer | Failure | Uint8Array | null | Promise<UpstreamAnswer | Failure | Uint8Array | null>,
): Promise<string> {
  const value = await result;
  return value instanceof Failure ? `${value.code}/${value.kind}` : 'no failure';
}

async function answered(result: Promise<UpstreamAnswer | Failure>): Promise<UpstreamAnswer> {
  const value = await result;
  if (value instanceof Failure) throw new Error(`unexpected failure: ${value.kind}`);
  return value;
}

describe('before the head', () => {
  test('a server that never answers is a first-byte timeout', async () => {
    const url = await rawServer(() => {});
    const sent = upstream.send(requestTo(url, {}, { firstByteMs: 50 }));
    expect(await kindOf(sent)).toBe('timeout_error/first_byte_timeout');
  });

  test('a refused connection, an unknown host and plain text behind https are distinguished', async () => {
    const url = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await kindOf(upstream.send(requestTo('http://127.0.0.1:1')))).toBe('upstream_error/connect_refused');
    expect(await kindOf(upstream.send(requestTo('http://no-such-host.invalid')))).toBe('upstream_error/dns');
    expect(await kindOf(upstream.send(requestTo(url.replace('http:', 'https:'))))).toBe('upstream_error/tls_handshake');
  });

  test('a pause of the process is not mistaken for an unreachable server', async () => {
    const url = await rawServer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'));
    // Another watched request keeps the timer running.
    let hasCome = false;
    const silent = await rawServer(() => {
      hasCome = true;
    });
    const other = upstream.send(requestTo(silent, {}, { firstByteMs: 1_500 }));
    await until('the other request has come', () => hasCome);
    const sent = upstream.send(requestTo(url, {}, { connectMs: 300 }));
    // Real time: blocks the process, so that timers and connections stand still as if it were suspended.
    Bun.sleepSync(1_000);
    expect(await kindOf(sent)).toBe('no failure');
    expect(await kindOf(other)).toBe('timeout_error/first_byte_timeout');
  });

  test('a cut connection is a reset', async () => {
    const url = await rawServer((socket) => socket.resetAndDestroy());
    expect(await kindOf(upstream.send(requestTo(url)))).toBe('upstream_error/reset');
  });

  test('a client that leaves ends the call and cuts the connection at once', async () => {
    let closed = 0;
    const leaving = new AbortController();
    const url = await rawServer((socket) => {
      socket.on('close', () => closed++);
      leaving.abort();
    });
    const sent = upstream.send(requestTo(url, { client: leaving }));
    expect(await kindOf(sent)).toBe('client_closed_request/client_closed_request');
    await until('the connection is cut', () => closed === 1);
  });
});

describe('after the head', () => {
  test('silence is an idle time-out, and earlier chunks have arrived', async () => {
    jest.useFakeTimers();
    const url = await rawServer((socket) => socket.write(HEAD + chunk('data: 1\n\n')));
    const { body } = await answered(upstream.send(requestTo(url, {}, { idleMs: 300 })));
    expect(new TextDecoder().decode((await body.read()) as Uint8Array)).toBe('data: 1\n\n');
    const next = kindOf(body.read());
    jest.advanceTimersByTime(1_000);
    expect(await next).toBe('timeout_error/idle_timeout');
  });

  test('an endless trickle hits the total time-out', async () => {
    const url = await rawServer((socket) => {
      socket.write(HEAD);
      const timer = setInterval(() => socket.write(chunk('x')), 50);
      socket.on('close', () => clearInterval(timer));
    });
    const { body } = await answered(upstream.send(requestTo(url, {}, { totalMs: 200 })));
    expect(await kindOf(body.readAll({ limitBytes: 1e6 }))).toBe('timeout_error/total_timeout');
  });

  test('a slow reader is not mistaken for a silent upstream', async () => {
    jest.useFakeTimers();
    const sockets: net.Socket[] = [];
    const url = await rawServer((socket) => {
      sockets.push(socket);
      socket.write(HEAD + chunk('a'));
    });
    const { body } = await answered(upstream.send(requestTo(url, {}, { idleMs: 300 })));
    await body.read();
    jest.advanceTimersByTime(1_000);
    sockets[0]?.end(`${chunk('b')}0\r\n\r\n`);
    jest.advanceTimersByTime(1_000);
    expect(new TextDecoder().decode((await body.read()) as Uint8Array)).toBe('b');
    expect(await body.read()).toBeNull();
  });

  test('a connection cut in the middle is a reset, not an end', async () => {
    const sockets: net.Socket[] = [];
    const url = await rawServer((socket) => {
      sockets.push(socket);
      socket.write(HEAD + chunk('a'));
    });
    const { body } = await answered(upstream.send(requestTo(url)));
    await body.read();
    sockets[0]?.resetAndDestroy();
    expect(await kindOf(body.read())).toBe('upstream_error/reset');
  });

  test('cancel cuts the connection', async () => {
    let closed = 0;
    const url = await rawServer((socket) => {
      socket.on('close', () => closed++);
      socket.write(HEAD + chunk('a'));
    });
    const { body } = await answered(upstream.send(requestTo(url)));
    await body.read();
    body.cancel();
    await until('the connection is cut', () => closed === 1);
  });

  test('a response above the limit is refused', async () => {
    const url = await rawServer((socket) => socket.write(HEAD + chunk('x'.repeat(5000))));
    const { body } = await answered(upstream.send(requestTo(url)));
    expect(await kindOf(body.readAll({ limitBytes: 1000 }))).toBe('upstream_error/answer_too_large');
  });

  test('a small compressed body cannot expand beyond the limit, whatever its declared length', async () => {
    const packed = Bun.gzipSync(Buffer.alloc(4_000_000, 'x'));
    const url = await rawServer((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\nconnection: close\r\n\r\n`,
      );
      socket.end(packed);
    });
    const { body } = await answered(upstream.send(requestTo(url)));
    expect(packed.length).toBeLessThan(10_000);
    expect(await kindOf(body.readAll({ limitBytes: 10_000 }))).toBe('upstream_error/answer_too_large');
  });

  test('memory is reserved before a large body is kept, with or without a declared length', async () => {
    const large = 'x'.repeat(200_000);
    for (const answer of [
      `HTTP/1.1 200 OK\r\ncontent-length: ${large.length}\r\n\r\n${large}`,
      `${HEAD}${chunk(large)}0\r\n\r\n`,
    ]) {
      const url = await rawServer((socket) => socket.write(answer));
      const asked: number[] = [];
      const readWith = async (isRoom: boolean) => {
        const { body } = await answered(upstream.send(requestTo(url)));
        const take = (bytes: number) => asked.push(bytes) > 0 && isRoom;
        return await body.readAll({ limitBytes: 1e6, take });
      };
      expect(await readWith(true)).toHaveLength(large.length);
      const total = asked.reduce((sum, bytes) => sum + bytes, 0);
      expect(total).toBeGreaterThan(large.length - 65_537);
      expect(total).toBeLessThanOrEqual(large.length);
      expect(await readWith(false)).toMatchObject({ kind: 'answer_memory_full', side: 'gateway', status: 429 });
    }
  });

  test('a dripping body has a time limit in total', async () => {
    const url = await rawServer((socket) => {
      socket.write(HEAD);
      const timer = setInterval(() => socket.write(chunk('x')), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const { body } = await answered(upstream.send(requestTo(url)));
    expect(await kindOf(body.readAll({ limitBytes: 1e6, withinMs: 100 }))).toBe('timeout_error/total_timeout');
  });

  test('an endless upstream is stopped by a paused reader', async () => {
    const MEBIBYTE = 1024 * 1024;
    const sent = new Map<net.Socket, number>();
    const piece = chunk('x'.repeat(16384));
    const url = await rawServer((socket) => {
      sent.set(socket, 0);
      socket.write(HEAD);
      const pump = () => {
        while (!socket.destroyed && socket.write(piece)) sent.set(socket, (sent.get(socket) ?? 0) + piece.length);
        if (!socket.destroyed) socket.once('drain', pump);
      };
      pump();
    });
    const { body } = await answered(upstream.send(requestTo(url)));
    await body.read();
    // While another reader takes this much, the first upstream could have sent as much again.
    const other = await answered(upstream.send(requestTo(url)));
    for (let read = 0; read < 128 * MEBIBYTE; ) read += ((await other.body.read()) as Uint8Array).length;
    const [first = 0] = sent.values();
    // The capacity of both sides' socket buffers.
    expect(first).toBeLessThan(32 * MEBIBYTE);
    body.cancel();
    other.body.cancel();
  });
});

test('a redirect is not followed', async () => {
  const url = await rawServer((socket) =>
    socket.end('HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
  );
  expect((await answered(upstream.send(requestTo(url)))).status).toBe(307);
});

describe('a large body', () => {
  const large = new Uint8Array(STREAMED_BYTES + 300_001).map((_, index) => index % 251);

  test('is sent unchanged with its length, not chunked', async () => {
    const came: unknown[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { headers } = request;
        const isSame = Buffer.from(large).equals(await request.bytes());
        came.push(headers.get('content-length'), headers.get('transfer-encoding'), headers.get('x-own'), isSame);
        return new Response('ok');
      },
    });
    closers.push(() => server.stop(true));
    const url = `http://127.0.0.1:${server.port}`;
    for (const _ of [1, 2]) {
      const answer = await answered(upstream.send(requestTo(url, { body: large, headers: { 'x-own': 'kept' } })));
      expect(answer.status).toBe(200);
      expect(await answer.body.readAll({ limitBytes: 100 })).toEqual(new TextEncoder().encode('ok'));
    }
    expect(came).toEqual([String(large.length), null, 'kept', true, String(large.length), null, 'kept', true]);
  });

  test('is pulled only as the connection accepts it', async () => {
    const stream = bodyStream(large);
    const reader = stream.getReader();
    const lengths: number[] = [];
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) lengths.push(piece.value.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(256 * 1024);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(large.length);
  });

  test('that is refused before it was read gets the response', async () => {
    const url = await rawServer((socket) => {
      if (socket.bytesWritten > 0) return;
      socket.pause();
      socket.write('HTTP/1.1 413 Payload Too Large\r\ncontent-length: 2\r\n\r\nno');
    });
    const answer = await answered(upstream.send(requestTo(url, { body: large })));
    expect(answer.status).toBe(413);
    expect(await answer.body.readAll({ limitBytes: 100 })).toEqual(new TextEncoder().encode('no'));
  });

  test('is a reset if its connection is cut, and a time-out if nobody reads it', async () => {
    const cut = await rawServer((socket) => {
      if (socket.bytesRead > 500_000) socket.resetAndDestroy();
    });
    expect(await kindOf(upstream.send(requestTo(cut, { body: large })))).toBe('upstream_error/reset');
    const deaf = await rawServer((socket) => socket.pause());
    expect(await kindOf(upstream.send(requestTo(deaf, { body: large }, { firstByteMs: 200 })))).toBe(
      'timeout_error/first_byte_timeout',
    );
  });
});

test('connections are kept alive and reused', async () => {
  const sockets = new Set<net.Socket>();
  const url = await rawServer((socket) => {
    sockets.add(socket);
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
  });
  for (let count = 0; count < 20; count++) {
    await (await answered(upstream.send(requestTo(url)))).body.readAll({ limitBytes: 100 });
  }
  expect(sockets.size).toBe(1);
});

test('a body in pieces is sent with its length, not chunked', async () => {
  let heard = '';
  const server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      heard = `${request.headers.get('content-length')} ${request.headers.get('transfer-encoding')} ${await request.text()}`;
      return new Response('ok');
    },
  });
  closers.push(() => void server.stop(true));
  const body = new PiecedBody([new TextEncoder().encode('{"a":'), new TextEncoder().encode('1}')]);
  // Twice, as a failover sends the same body again.
  for (let times = 0; times < 2; times++) {
    heard = '';
    const answer = await upstream.send(requestTo(`http://127.0.0.1:${server.port}`, { body }));
    if (answer instanceof Failure) throw new Error(answer.details.message);
    await answer.body.readAll({ limitBytes: 100 });
    expect(heard).toBe('7 null {"a":1}');
  }
});

test.each([0, 1, 5])(
  'a file that becomes unreadable after %d MB is not the upstream’s fault, and is not sent again',
  async (after) => {
    let heard = 0;
    const server = Bun.serve({
      port: 0,
      fetch: async (request) => {
        heard = (await request.bytes().catch(() => [])).length;
        return new Response('ok');
      },
    });
    closers.push(() => void server.stop(true));
    const file: UploadedFile = {
      ...{ name: 'a.png', declaredType: null, size: 10_000_000, head: new Uint8Array(0) },
      stream: () => {
        let pieces = 0;
        return new ReadableStream({
          pull(controller) {
            if (pieces++ >= after) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
            controller.enqueue(new Uint8Array(1_000_000));
          },
        });
      },
      bytes: async () => new Uint8Array(0),
    };
    const body = new PiecedBody([new TextEncoder().encode('<'), { file, as: 'bytes' }]);
    const failure = await upstream.send(requestTo(`http://127.0.0.1:${server.port}`, { body }));
    expect(failure).toMatchObject({
      code: 'internal_error',
      kind: 'upload_unreadable',
      side: 'gateway',
      retry: 'never',
    });
    expect(heard).toBe(0);
  },
);
