import { afterAll, beforeAll, describe, expect, jest, test } from 'bun:test';
import net from 'node:net';
import tls from 'node:tls';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { pause, until } from '../../domain/testing/until.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../testing/self-signed-certificate.ts';
import type { Exchange } from './exchange.ts';
import type { PlaceTls } from './place.ts';
import { ConnectionPool } from './pool.ts';
import type { PlainRequest } from './request-head.ts';

const closers: (() => void)[] = [];
afterAll(() => {
  jest.useRealTimers();
  for (const close of closers) close();
});

/* Time stands still in these tests, so that only the server's actions end anything; tests about time advance it. */
beforeAll(() => {
  jest.useFakeTimers();
});

interface Server {
  readonly url: string;
  readonly sockets: net.Socket[];
  /** The text that each connection has sent. */
  readonly heard: string[];
}

/**
 * Starts a server that answers each request, however it is split, by `answer`; `count` is the number of requests on the connection so far.
 */
async function serve(
  answer: (socket: net.Socket, count: number) => void,
  options: tls.TlsOptions | null = null,
): Promise<Server> {
  const sockets: net.Socket[] = [];
  const heard: string[] = [];
  const onSocket = (socket: net.Socket) => {
    const index = sockets.push(socket) - 1;
    let count = 0;
    heard[index] = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      heard[index] += bytes.toString('latin1');
      const ends = (heard[index] ?? '').split('END').length - 1;
      while (count < ends) answer(socket, ++count);
    });
  };
  const server = options === null ? net.createServer(onSocket) : tls.createServer(options, onSocket);
  server.on('tlsClientError', () => {});
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closers.push(() => server.close());
  const { port } = server.address() as net.AddressInfo;
  return { url: `${options === null ? 'http' : 'https'}://127.0.0.1:${port}/v1/x?y=1`, sockets, heard };
}

function requestTo(url: string, over: Partial<PlainRequest> = {}): PlainRequest {
  const body = new TextEncoder().encode('END');
  return { url, method: 'POST', headers: { 'content-type': 'text/plain' }, body, ...over };
}

/** Sends the request; resolves to the status of the answer. */
function statusOf(exchange: Exchange): Promise<number> {
  return new Promise((resolve, reject) => exchange.send({ headCame: resolve, headLost: reject }));
}

async function ask(pool: ConnectionPool, request: PlainRequest, proof?: PlaceTls): Promise<string> {
  const exchange = pool.open(request, proof);
  try {
    const status = await statusOf(exchange);
    return `${status} ${Buffer.from(await exchange.bytes()).toString('latin1')}`;
  } catch (error) {
    return String((error as { code?: string }).code);
  }
}

const OK = 'HTTP/1.1 200 OK\r\n';
const reply = (text: string, head = OK) => `${head}content-length: ${text.length}\r\n\r\n${text}`;

describe('a request', () => {
  test('is one head with the length of the body, without the caller’s connection headers', async () => {
    const server = await serve((socket) => socket.write(reply('ok')));
    const headers = {
      'X-Own': 'a\tb \xfc',
      Connection: 'upgrade',
      'Content-Length': '7',
      'transfer-encoding': 'chunked',
    };
    expect(await ask(new ConnectionPool(), requestTo(server.url, { headers }))).toBe('200 ok');
    const host = new URL(server.url).host;
    expect(server.heard[0]).toBe(
      `POST /v1/x?y=1 HTTP/1.1\r\nhost: ${host}\r\nX-Own: a\tb \xfc\r\naccept: */*\r\naccept-encoding: identity\r\ncontent-length: 3\r\n\r\nEND`,
    );
  });

  test.each([true, false])('has the same head each time except for what changes (frozen: %p)', async (isFrozen) => {
    const server = await serve((socket) => socket.write(reply('ok')));
    const headers: Record<string, string> = { 'x-own': 'a' };
    if (isFrozen) Object.freeze(headers);
    const pool = new ConnectionPool();
    const other = server.url.replace('y=1', 'y=2');
    const long = Buffer.from(`${'x'.repeat(40_000)}END`);
    for (const over of [{}, { url: other }, { method: 'PUT' }, { body: long }, {}]) {
      expect(await ask(pool, requestTo(server.url, { headers, ...over }))).toBe('200 ok');
    }
    if (!isFrozen) {
      headers['x-own'] = 'b';
      expect(await ask(pool, requestTo(server.url, { headers }))).toBe('200 ok');
    }
    const sent = (start: string, body = 'END', own = 'a') =>
      `${start} HTTP/1.1\r\nhost: ${new URL(server.url).host}\r\nx-own: ${own}\r\naccept: */*\r\naccept-encoding: identity\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const all = [
      sent('POST /v1/x?y=1'),
      sent('POST /v1/x?y=2'),
      sent('PUT /v1/x?y=1'),
      sent('POST /v1/x?y=1', String(long)),
      sent('POST /v1/x?y=1'),
      isFrozen ? '' : sent('POST /v1/x?y=1', 'END', 'b'),
    ];
    expect(server.heard).toEqual([all.join('')]);
  });

  test.each([
    ['a line break in a value', { a: 'b\r\nc: d' }],
    ['a NUL in a value', { a: '\0' }],
    ['a character beyond bytes', { a: '€' }],
    ['a space in a name', { 'a b': 'c' }],
    ['a line break in a name', { 'a\r\nb': 'c' }],
    ['an empty name', { '': 'c' }],
  ])('%s is refused before anything is sent', (_, headers) => {
    expect(() => new ConnectionPool().open(requestTo('http://127.0.0.1:1/', { headers }), undefined)).toThrow(
      TypeError,
    );
  });

  test('with a body of many megabytes arrives whole at a slow reader', async () => {
    const body = Buffer.alloc(12_000_000, 'x');
    body.write('END', body.length - 3);
    const server = await serve((socket) => socket.write(reply('ok')));
    const asked = ask(new ConnectionPool(), requestTo(server.url, { body }));
    await until('it has come', () => server.sockets.length === 1);
    server.sockets[0]?.pause();
    await pause();
    server.sockets[0]?.resume();
    expect(await asked).toBe('200 ok');
    expect(server.heard[0]?.endsWith(`\r\n\r\n${body.toString('latin1')}`)).toBe(true);
  });

  test('gets a response that comes before the end of the body, and the connection is not reused', async () => {
    const server = await serve(() => {});
    const body = Buffer.alloc(30_000_000, 'x');
    const pool = new ConnectionPool();
    const asked = ask(pool, requestTo(server.url, { body }));
    await until('it has come', () => server.sockets.length === 1);
    server.sockets[0]?.pause();
    server.sockets[0]?.write(reply('too large', 'HTTP/1.1 413 Payload Too Large\r\n'));
    expect(await asked).toBe('413 too large');
    const again = ask(pool, requestTo(server.url));
    await until('it has come', () => server.sockets.length === 2);
    server.sockets[1]?.write(reply('ok'));
    expect(await again).toBe('200 ok');
  });
});

describe('a connection', () => {
  test('serves one request after another, and concurrent ones get their own', async () => {
    const server = await serve((socket) => socket.write(reply('ok')));
    const pool = new ConnectionPool();
    for (let count = 0; count < 3; count++) expect(await ask(pool, requestTo(server.url))).toBe('200 ok');
    expect(server.sockets).toHaveLength(1);
    await Promise.all([1, 2, 3].map(() => ask(pool, requestTo(server.url))));
    expect(server.sockets).toHaveLength(3);
  });

  test.each<readonly [string, string]>([
    ['that the server closes', reply('ok', `${OK}connection: close\r\n`)],
    ['with more than the answer', `${reply('ok')}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`],
    ['with two ways of ending', `${OK}content-length: 99\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
    ['of HTTP/1.0', reply('ok', 'HTTP/1.0 200 OK\r\n')],
    ['that is kept for less than a moment', reply('ok', `${OK}keep-alive: timeout=1\r\n`)],
  ])('%s is not used again', async (_, first) => {
    const server = await serve((socket) => socket.write(server.sockets.length === 1 ? first : reply('own')));
    const pool = new ConnectionPool();
    expect(await ask(pool, requestTo(server.url))).toBe('200 ok');
    jest.advanceTimersByTime(1);
    expect(await ask(pool, requestTo(server.url))).toBe('200 own');
    expect(server.sockets).toHaveLength(2);
  });

  test('that receives data while idle is closed, since that would be the next response', async () => {
    const server = await serve((socket) => socket.write(reply('ok')));
    const pool = new ConnectionPool();
    expect(await ask(pool, requestTo(server.url))).toBe('200 ok');
    server.sockets[0]?.write(reply('evil'));
    await until('it is closed', () => server.sockets[0]?.destroyed === true);
    expect(await ask(pool, requestTo(server.url))).toBe('200 ok');
    expect(server.sockets).toHaveLength(2);
  });

  test('that the server closed while idle is not reused', async () => {
    const server = await serve((socket) => socket.write(reply('ok')));
    const pool = new ConnectionPool();
    expect(await ask(pool, requestTo(server.url))).toBe('200 ok');
    server.sockets[0]?.end();
    await until('it is closed on both sides', () => server.sockets[0]?.destroyed === true);
    expect(await ask(pool, requestTo(server.url))).toBe('200 ok');
  });

  test.each([
    ['GET', '200 ok', 2],
    ['PUT', '200 ok', 2],
    ['POST', 'ECONNRESET', 1],
    ['PATCH', 'ECONNRESET', 1],
  ])('that is closed as a kept one gets a %s: %s', async (method, outcome, connections) => {
    const server = await serve((socket, count) => (count > 1 ? socket.destroy() : socket.write(reply('ok'))));
    const pool = new ConnectionPool();
    expect(await ask(pool, requestTo(server.url))).toBe('200 ok');
    expect(await ask(pool, requestTo(server.url, { method }))).toBe(outcome);
    expect(server.sockets).toHaveLength(connections);
  });

  test('that closes after a part of the response is never retried', async () => {
    const server = await serve((socket, count) => {
      if (count === 1) socket.write(reply('ok'));
      else socket.end(`${OK}content-length: 5\r\n\r\nab`);
    });
    const pool = new ConnectionPool();
    expect(await ask(pool, requestTo(server.url, { method: 'GET' }))).toBe('200 ok');
    expect(await ask(pool, requestTo(server.url, { method: 'GET' }))).toBe('ECONNRESET');
    expect(server.sockets).toHaveLength(1);
  });

  test('whose replacement closes at once is not retried endlessly', async () => {
    const server = await serve((socket) => socket.destroy());
    expect(await ask(new ConnectionPool(), requestTo(server.url, { method: 'GET' }))).toBe('ECONNRESET');
    expect(server.sockets).toHaveLength(1);
  });

  test('to another name at the same address is separate', async () => {
    const server = await serve((socket) => socket.write(reply('ok')));
    const pool = new ConnectionPool();
    expect(await ask(pool, requestTo(server.url))).toBe('200 ok');
    expect(await ask(pool, requestTo(server.url.replace('127.0.0.1', 'localhost')))).toBe('200 ok');
    expect(server.sockets).toHaveLength(2);
  });

  test('that is cut in a body without a length does not complete it', async () => {
    const server = await serve((socket) => socket.write(`${OK}\r\nabc`));
    const exchange = new ConnectionPool().open(requestTo(server.url), undefined);
    expect(await statusOf(exchange)).toBe(200);
    expect(Buffer.from((await exchange.read()) ?? []).toString()).toBe('abc');
    server.sockets[0]?.resetAndDestroy();
    await expect(exchange.bytes()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('is not cut because of a slow reader, who gets everything', async () => {
    const large = 'x'.repeat(3_000_000);
    const server = await serve((socket) => socket.write(reply(large)));
    const pool = new ConnectionPool();
    const exchange = pool.open(requestTo(server.url), undefined);
    await statusOf(exchange);
    let length = 0;
    for (let piece = await exchange.read(); piece !== null; piece = await exchange.read()) {
      length += piece.length;
      await pause();
    }
    expect(length).toBe(large.length);
    expect(await ask(pool, requestTo(server.url))).toBe(`200 ${large}`);
    expect(server.sockets).toHaveLength(1);
  });

  test('is cut with its exchange in every phase', async () => {
    const closed: string[] = [];
    const server = await serve((socket) => {
      socket.on('close', () => closed.push('closed'));
      socket.write(`${OK}content-length: 5\r\n\r\nab`);
    });
    const pool = new ConnectionPool();
    const reading = pool.open(requestTo(server.url), undefined);
    await statusOf(reading);
    await reading.read();
    const next = reading.read().catch((error: unknown) => error);
    reading.abort();
    expect(await next).toBeInstanceOf(DOMException);
    const early = pool.open(requestTo(server.url), undefined);
    const head = statusOf(early).catch((error: unknown) => error);
    early.abort();
    expect(await head).toBeInstanceOf(DOMException);
    await until('the first is closed', () => closed.length === 1);
    // The second connection, on which nothing was sent, is available to others.
    expect(await statusOf(pool.open(requestTo(server.url), undefined))).toBe(200);
    expect([server.sockets.length, closed.length]).toEqual([2, 1]);
  });
});

describe('TLS', () => {
  const certificate = { cert: CERTIFICATE, key: CERTIFICATE_KEY };
  const trusting = { serverName: 'media.example', ca: [CERTIFICATE] };

  test('a session is resumed by the next connection', async () => {
    const reused: boolean[] = [];
    const server = await serve((socket) => {
      reused.push((socket as tls.TLSSocket).isSessionReused());
      socket.end(reply('ok', `${OK}connection: close\r\n`));
    }, certificate);
    const pool = new ConnectionPool();
    for (let count = 0; count < 3; count++) {
      expect(await ask(pool, requestTo(server.url), trusting)).toBe('200 ok');
    }
    expect(reused).toEqual([false, true, true]);
  });

  test.each<readonly [string, PlaceTls | undefined, string]>([
    ['a certificate of nobody that is known', undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['another name', { serverName: 'other.example', ca: [CERTIFICATE] }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('%s is refused, and nothing is sent', async (_, proof, code) => {
    const server = await serve((socket) => socket.write(reply('ok')), certificate);
    const pool = new ConnectionPool();
    expect(await ask(pool, requestTo(server.url), proof)).toBe(code);
    // A TLS session that a valid connection has left must not change that.
    expect(await ask(pool, requestTo(server.url), trusting)).toBe('200 ok');
    expect(await ask(pool, requestTo(server.url), proof)).toBe(code);
    expect(server.heard.join('').split('POST')).toHaveLength(2);
  });

  test('a server without TLS is detected by its handshake', async () => {
    const server = await serve(() => {});
    const url = server.url.replace('http:', 'https:');
    const asked = ask(new ConnectionPool(), requestTo(url));
    await until('it has come', () => server.sockets.length === 1);
    server.sockets[0]?.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await asked).toMatch(/SSL|TLS|EPROTO|ECONNRESET/);
  });
});

/** Resolves to what `fetch` reads of an answer; `null` if it rejects it. */
async function fetched(url: string): Promise<string | null> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: 'END',
      keepalive: false,
    });
    return `${answer.status} ${Buffer.from(await answer.bytes()).toString('latin1')}`;
  } catch {
    return null;
  }
}

describe('equal to fetch', () => {
  const packed = gzipSync('{"packed": true}').toString('latin1');
  test.each<readonly [string, string]>([
    ['a length', reply('{"a": 1}')],
    ['chunks', `${OK}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`],
    ['the end of the connection', `${OK}\r\nuntil the end`],
    ['an error', reply('{"error": {}}', 'HTTP/1.1 429 Too Many Requests\r\nretry-after: 3\r\n')],
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['interim answers', `HTTP/1.1 100 Continue\r\n\r\n${reply('x')}`],
    ['many headers', reply('x', `${OK}${Array.from({ length: 60 }, (_, index) => `x-${index}: y\r\n`).join('')}`)],
    ['compressed without being asked', reply(packed, `${OK}content-encoding: gzip\r\n`)],
  ])('%s', async (_, answer) => {
    const server = await serve((socket) => socket.end(Buffer.from(answer, 'latin1')));
    const { HttpUpstream } = await import('../http-upstream.ts');
    const timeouts = { connectMs: 3_000, firstByteMs: 3_000, idleMs: 3_000, totalMs: 5_000 };
    const body = new TextEncoder().encode('END');
    const got = await new HttpUpstream({ proxies: null }).send({
      url: server.url,
      method: 'POST',
      headers: {},
      body,
      timeouts,
    });
    if (!('body' in got)) throw new Error(got.message);
    const bytes = await got.body.readAll({ limitBytes: 10_000 });
    if (!(bytes instanceof Uint8Array)) throw new Error(bytes.message);
    expect(`${got.status} ${Buffer.from(bytes).toString('latin1')}`).toBe((await fetched(server.url)) ?? 'refused');
  });

  test('a damaged or truncated zstd frame is garbage', async () => {
    const frame = zstdCompressSync('x'.repeat(2_000));
    for (const damaged of [
      frame.subarray(0, frame.length - 3),
      Buffer.concat([frame.subarray(0, 6), Buffer.from('?')]),
    ]) {
      const head = `${OK}content-encoding: zstd\r\ncontent-length: ${damaged.length}\r\n\r\n`;
      const server = await serve((socket) => socket.end(Buffer.concat([Buffer.from(head), damaged])));
      const { HttpUpstream } = await import('../http-upstream.ts');
      const timeouts = { connectMs: 3_000, firstByteMs: 3_000, idleMs: 3_000, totalMs: 5_000 };
      const body = new TextEncoder().encode('END');
      const got = await new HttpUpstream({ proxies: null }).send({
        url: server.url,
        method: 'POST',
        headers: {},
        body,
        timeouts,
      });
      expect('body' in got && (await got.body.readAll({ limitBytes: 10_000 }))).toMatchObject({ kind: 'garbage' });
    }
  });
});
