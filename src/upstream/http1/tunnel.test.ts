import { afterAll, beforeAll, describe, expect, jest, test } from 'bun:test';
import net from 'node:net';
import tls from 'node:tls';
import { parseAddressRange } from '../../domain/access/network-address.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { pause, until } from '../../domain/testing/until.ts';
import type { UpstreamRequest } from '../../engine/ports/upstream.ts';
import { HttpUpstream } from '../http-upstream.ts';
import { Proxies } from '../proxies.ts';
import { serveProxy, type TestProxy } from '../testing/http-proxy.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../testing/self-signed-certificate.ts';
import { UpstreamGuard } from '../upstream-guard.ts';
import { MAX_HEAD_BYTES } from './answer-head.ts';
import type { PlaceTls } from './place.ts';
import { ConnectionPool } from './pool.ts';

const closers: (() => void)[] = [];
afterAll(() => {
  jest.useRealTimers();
  for (const close of closers) close();
});

/* Time stands still in these tests, so that only the server's actions end anything; tests about time advance it. */
beforeAll(() => {
  jest.useFakeTimers();
});

interface Origin {
  readonly port: number;
  readonly heard: string[];
  readonly sockets: net.Socket[];
}

const reply = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

/** Starts a server behind the proxy, which answers at the end of each request. */
async function serveOrigin(isSecure: boolean, answer: (socket: net.Socket, count: number) => void): Promise<Origin> {
  const origin = { heard: [] as string[], sockets: [] as net.Socket[] };
  let count = 0;
  const onSocket = (socket: net.Socket) => {
    const index = origin.sockets.push(socket) - 1;
    origin.heard[index] = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      origin.heard[index] += bytes.toString('latin1');
      if (bytes.toString('latin1').endsWith('END')) answer(socket, ++count);
    });
  };
  const secured = { cert: CERTIFICATE, key: CERTIFICATE_KEY };
  const server = isSecure ? tls.createServer(secured, onSocket) : net.createServer(onSocket);
  server.on('tlsClientError', () => {});
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closers.push(() => server.close());
  return { ...origin, port: (server.address() as net.AddressInfo).port };
}

async function proxyTo(port: number, answer?: (socket: net.Socket) => void): Promise<TestProxy> {
  const proxy = await serveProxy(port, answer);
  closers.push(proxy.close);
  return proxy;
}

const TRUSTING: PlaceTls = { serverName: 'media.example', ca: [CERTIFICATE] };

function poolBehind(proxy: TestProxy, credentials = ''): ConnectionPool {
  const url = proxy.url.replace('//', `//${credentials}`);
  return new ConnectionPool(new Proxies({ HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: 'direct.example' }));
}

interface Asked {
  readonly url?: string;
  readonly method?: string;
  readonly proof?: PlaceTls;
  readonly body?: Buffer;
}

async function ask(pool: ConnectionPool, asked: Asked = {}): Promise<string> {
  const { url = 'https://media.example/v1/x?y', method = 'POST', proof = TRUSTING } = asked;
  const body = asked.body ?? Buffer.from('END');
  const exchange = pool.open({ url, method, headers: { 'x-own': 'a' }, body }, proof);
  try {
    const status = await new Promise<number>((resolve, reject) =>
      exchange.send({ headCame: resolve, headLost: reject }),
    );
    return `${status} ${Buffer.from(await exchange.bytes()).toString('latin1')}`;
  } catch (error) {
    return String((error as { code?: string }).code);
  }
}

describe('a tunnel', () => {
  test('is requested with the credentials, and is then transparent', async () => {
    const origin = await serveOrigin(true, (socket) => socket.write(reply('ok')));
    const proxy = await proxyTo(origin.port);
    const pool = poolBehind(proxy, 'user:hush@');
    for (let count = 0; count < 3; count++) expect(await ask(pool)).toBe('200 ok');
    const credentials = `Basic ${btoa('user:hush')}`;
    const asked = `CONNECT media.example:443 HTTP/1.1\r\nhost: media.example:443\r\nproxy-authorization: ${credentials}\r\n\r\n`;
    expect(proxy.heads).toEqual([asked]);
    const sent = `POST /v1/x?y HTTP/1.1\r\nhost: media.example\r\nx-own: a\r\naccept: */*\r\naccept-encoding: identity\r\ncontent-length: 3\r\n\r\nEND`;
    expect(origin.heard).toEqual([sent.repeat(3)]);
  });

  test('resumes the TLS session of the previous one', async () => {
    const reused: boolean[] = [];
    const origin = await serveOrigin(true, (socket) => {
      reused.push((socket as tls.TLSSocket).isSessionReused());
      socket.end(reply('ok').replace('\r\n', '\r\nconnection: close\r\n'));
    });
    const pool = poolBehind(await proxyTo(origin.port));
    for (let count = 0; count < 3; count++) expect(await ask(pool)).toBe('200 ok');
    expect(reused).toEqual([false, true, true]);
  });

  test('proves the name of the upstream, also after one whose name was right', async () => {
    const origin = await serveOrigin(true, (socket) => socket.write(reply('ok')));
    const pool = poolBehind(await proxyTo(origin.port));
    const other = { serverName: 'other.example', ca: [CERTIFICATE] };
    expect(await ask(pool, { proof: other })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await ask(pool)).toBe('200 ok');
    expect(await ask(pool, { proof: other })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await ask(pool, { proof: { serverName: 'media.example' } })).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(origin.heard.join('').split('POST')).toHaveLength(2);
  });

  test('carries megabytes in both directions past slow ends, and a body that ends with the connection', async () => {
    const large = 'x'.repeat(3_000_000);
    const origin = await serveOrigin(true, (socket, count) => {
      if (count === 1) socket.write(reply(large));
      else socket.end(`HTTP/1.1 200 OK\r\n\r\n${large}`);
    });
    const pool = poolBehind(await proxyTo(origin.port));
    const exchange = pool.open(
      { url: 'https://media.example/', method: 'POST', headers: {}, body: Buffer.from(`${large}END`) },
      TRUSTING,
    );
    await new Promise((resolve, reject) => exchange.send({ headCame: resolve, headLost: reject }));
    let length = 0;
    for (let piece = await exchange.read(); piece !== null; piece = await exchange.read()) {
      length += piece.length;
      await pause();
    }
    expect(length).toBe(large.length);
    expect(await ask(pool)).toBe(`200 ${large}`);
    expect(origin.sockets).toHaveLength(1);
    expect(origin.heard[0]).toContain(`\r\n\r\n${large}END`);
  });

  test.each([
    ['GET', '200 ok', 2],
    ['POST', 'ECONNRESET', 1],
  ])('that turns out to be closed gets a %s: %s', async (method, outcome, tunnels) => {
    const origin = await serveOrigin(true, (socket, count) => {
      if (count === 2) socket.destroy();
      else socket.write(reply('ok'));
    });
    const proxy = await proxyTo(origin.port);
    const pool = poolBehind(proxy);
    expect(await ask(pool)).toBe('200 ok');
    expect(await ask(pool, { method })).toBe(outcome);
    expect(proxy.heads).toHaveLength(tunnels);
  });

  test('may be granted byte by byte, after interim responses', async () => {
    const origin = await serveOrigin(true, (socket) => socket.write(reply('ok')));
    const proxy = await proxyTo(origin.port, async (socket) => {
      const onward = net.connect(origin.port, '127.0.0.1');
      onward.on('error', () => {});
      // Before the last byte, after which the client continues at once.
      socket.pipe(onward).pipe(socket);
      for (const byte of 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 Connection established\r\nvia: x\r\n\r\n') {
        socket.write(byte);
        await pause();
      }
    });
    expect(await ask(poolBehind(proxy))).toBe('200 ok');
  });

  test('is abandoned some time after the call that needs it', async () => {
    const proxy = await proxyTo(0, () => {});
    const limits = { resting: 1, restingInAll: 1, open: 1, makingMs: 50, sweepMs: 20 };
    const pool = new ConnectionPool(new Proxies({ HTTPS_PROXY: proxy.url }), limits);
    const exchange = pool.open({ url: 'https://media.example/', method: 'GET', headers: {}, body: null }, TRUSTING);
    const sent = new Promise((resolve, reject) => exchange.send({ headCame: resolve, headLost: reject }));
    sent.catch(() => {});
    await until('the proxy is asked', () => proxy.heads.length === 1);
    exchange.abort();
    expect(await sent.catch((error: unknown) => error)).toBeInstanceOf(DOMException);
    expect(exchange.isConnecting).toBe(true);
    jest.advanceTimersByTime(100);
    await until('it is given up', () => proxy.connections.closed === 1);
  });
});

const timeouts = { connectMs: 400, firstByteMs: 5_000, idleMs: 5_000, totalMs: 10_000 };
const request: UpstreamRequest = {
  ...{ url: 'https://media.example/', method: 'POST', headers: {}, timeouts },
  body: new TextEncoder().encode('END'),
};

function sendVia(proxy: string, over: Partial<UpstreamRequest> = {}) {
  const url = proxy.replace('//', '//user:hush@');
  return new HttpUpstream({ proxies: new Proxies({ HTTP_PROXY: url, HTTPS_PROXY: url }) }).send({
    ...request,
    ...over,
  });
}

describe('a failing proxy is distinguished from an upstream', () => {
  test.each<readonly [string, string, RegExp]>([
    [
      'wants other credentials',
      'HTTP/1.1 407 No\r\nproxy-authenticate: Basic\r\n\r\n',
      /proxy .* 407: check the credentials/,
    ],
    ['forbids it', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno', /proxy .* status 403\.$/],
    ['does not reach the upstream', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', /proxy .* status 502\.$/],
    ['redirects', 'HTTP/1.1 302 Found\r\nlocation: http://a/\r\n\r\n', /proxy .* status 302\.$/],
    ['speaks something else', '220 mail.example ESMTP\r\n\r\n', /proxy .* valid HTTP/],
    ['speaks for the upstream', 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', /proxy .* valid HTTP/],
    ['has no end of its head', `HTTP/1.1 200 OK\r\na: ${'x'.repeat(2 * MAX_HEAD_BYTES)}`, /proxy .* valid HTTP/],
    ['waits for ever in between', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(99), /proxy .* valid HTTP/],
    ['closes', '', /proxy .* cannot be reached or dropped/],
  ])('one that %s', async (_, answer, message) => {
    const proxy = await proxyTo(0, (socket) => socket.end(answer));
    const failure = await sendVia(proxy.url);
    expect(failure).toMatchObject({ code: 'upstream_error', kind: 'proxy', side: 'upstream' });
    expect(failure instanceof Failure && failure.message).toMatch(message);
    expect(JSON.stringify(failure)).not.toMatch(/hush|user|127\.0\.0\.1/);
  });

  test.each(['https:', 'http:'])('an unreachable proxy, on the way to %s', async (protocol) => {
    const failure = await sendVia('http://127.0.0.1:1', { url: `${protocol}//media.example/` });
    expect(failure).toMatchObject({ kind: 'proxy', message: expect.stringContaining('cannot be reached') });
  });

  test('a silent proxy is a connect time-out', async () => {
    const proxy = await proxyTo(0, () => {});
    const sent = sendVia(proxy.url);
    await until('the proxy is asked', () => proxy.heads.length === 1);
    jest.advanceTimersByTime(500);
    expect(await sent).toMatchObject({ kind: 'connect_timeout' });
  });

  test('a tunnel to a server without TLS fails in the handshake', async () => {
    const origin = await serveRawReply('HTTP/1.1 400 Bad Request\r\n\r\n');
    const proxy = await proxyTo(origin);
    expect(await sendVia(proxy.url)).toMatchObject({ kind: 'tls_handshake' });
  });
});

async function serveRawReply(text: string): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(text));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closers.push(() => server.close());
  return (server.address() as net.AddressInfo).port;
}

describe('plain HTTP behind a proxy', () => {
  test('is requested by its full URL with the credentials, over a kept connection', async () => {
    const origin = await serveOrigin(false, (socket) => socket.write(reply('ok')));
    const proxy = await proxyTo(origin.port);
    const pool = poolBehind(proxy, 'user:hush@');
    const url = 'http://api.example:8080/v1/x?y';
    for (let count = 0; count < 2; count++) expect(await ask(pool, { url })).toBe('200 ok');
    const sent = `POST ${url} HTTP/1.1\r\nhost: api.example:8080\r\nx-own: a\r\naccept: */*\r\naccept-encoding: identity\r\nproxy-authorization: Basic ${btoa('user:hush')}\r\ncontent-length: 3\r\n\r\nEND`;
    expect(origin.heard).toEqual([sent.repeat(2)]);
    // Each origin has its own connections, even to the same proxy.
    expect(await ask(pool, { url: 'http://other.example/' })).toBe('200 ok');
    expect(proxy.connections.opened).toBe(2);
  });

  test('a request for credentials comes from the proxy', async () => {
    const proxy = await proxyTo(0, (socket) => socket.end('HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n'));
    const failure = await sendVia(proxy.url, { url: 'http://api.example/' });
    expect(failure).toMatchObject({ kind: 'proxy', message: expect.stringContaining('407') });
  });

  test('a host in NO_PROXY is connected to directly', async () => {
    const origin = await serveOrigin(false, (socket) => socket.write(reply('ok')));
    const proxy = await proxyTo(origin.port);
    const pool = new ConnectionPool(new Proxies({ HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.0/8' }));
    expect(await ask(pool, { url: `http://127.0.0.1:${origin.port}/` })).toBe('200 ok');
    expect([proxy.connections.opened, origin.heard[0]?.slice(0, 8)]).toEqual([0, 'POST / H']);
  });
});

test('a guarded request sends the checked address to the proxy, and the name to the server', async () => {
  const origin = await serveOrigin(true, (socket) => socket.write(reply('ok')));
  const proxy = await proxyTo(origin.port);
  const answers = [['93.184.215.14'], ['10.0.0.1']];
  const loopback = parseAddressRange('127.0.0.0/8');
  const guard = new UpstreamGuard({
    ...{ allowedRanges: loopback.ok ? [loopback.range] : [], deniedRanges: [], ownAddresses: () => [] },
    refusalMs: 0,
    resolve: async () => answers.shift() ?? [],
    certificateAuthorities: [CERTIFICATE],
  });
  const upstream = new HttpUpstream({ proxies: new Proxies({ HTTPS_PROXY: proxy.url }), guard });
  const answer = await upstream.send({ ...request, isGuarded: true });
  if (answer instanceof Failure) throw new Error(answer.message);
  expect(Buffer.from((await answer.body.readAll({ limitBytes: 100 })) as Uint8Array).toString()).toBe('ok');
  expect(proxy.heads[0]).toStartWith('CONNECT 93.184.215.14:443 HTTP/1.1\r\nhost: 93.184.215.14:443\r\n');
  expect(origin.heard[0]).toContain('host: media.example\r\n');
  expect(await upstream.send({ ...request, isGuarded: true })).toMatchObject({ kind: 'address_refused' });
});
