import { afterAll, beforeAll, describe, expect, jest, test } from 'bun:test';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { Failure } from '../../domain/failure/failure.ts';
import { pause, until } from '../../domain/testing/until.ts';
import { HttpUpstream } from '../http-upstream.ts';
import { ConnectionPool, type PoolLimits } from './pool.ts';

const closers: (() => void)[] = [];
afterAll(() => {
  jest.useRealTimers();
  for (const close of closers) close();
});

/* Time stands still in these tests, so that only the server's actions end anything; tests about time advance it. */
beforeAll(() => {
  jest.useFakeTimers();
});

async function serve(onData: (socket: net.Socket) => void) {
  const server = { url: '', sockets: [] as net.Socket[], closed: 0 };
  const listener = net.createServer((socket) => {
    server.sockets.push(socket);
    socket.on('error', () => {});
    socket.on('close', () => server.closed++);
    socket.on('data', () => onData(socket));
  });
  await new Promise<void>((ready) => listener.listen(0, '127.0.0.1', ready));
  closers.push(() => listener.close());
  server.url = `http://127.0.0.1:${(listener.address() as net.AddressInfo).port}/`;
  return server;
}

const OK = 'HTTP/1.1 200 OK\r\n';
const HAND_OUT = `${OK}content-length: 2\r\n\r\nok`;
const LIMITS: PoolLimits = { resting: 100, restingInAll: 100, open: 100, makingMs: 10_000, sweepMs: 5_000 };

async function ask(pool: ConnectionPool, url: string): Promise<string> {
  const exchange = pool.open({ url, method: 'POST', headers: {}, body: null }, undefined);
  try {
    const status = await new Promise<number>((headCame, headLost) => exchange.send({ headCame, headLost }));
    return `${status} ${Buffer.from(await exchange.bytes())}`;
  } catch (error) {
    return String((error as { code?: string }).code);
  }
}

describe('connections', () => {
  test('that are idle are limited per place and in total', async () => {
    for (const [limits, places] of [
      [{ ...LIMITS, resting: 2 }, 1],
      [{ ...LIMITS, restingInAll: 2 }, 3],
    ] as const) {
      const servers = await Promise.all(
        Array.from({ length: places }, () => serve((socket) => socket.write(HAND_OUT))),
      );
      const pool = new ConnectionPool(null, limits);
      const all = Array.from({ length: 6 }, (_, index) => ask(pool, servers[index % places]?.url ?? ''));
      expect(new Set(await Promise.all(all))).toEqual(new Set(['200 ok']));
      const closed = () => servers.reduce((sum, server) => sum + server.closed, 0);
      await until('four are closed', () => closed() === 4);
      const resting = servers.flatMap(({ sockets }) => sockets).filter(({ destroyed }) => !destroyed);
      // Reused connections make room for others, and become idle again.
      for (const { url } of servers) expect(await ask(pool, url)).toBe('200 ok');
      expect(resting.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    }
  });

  test('of a place are limited, whatever their state', async () => {
    const waiting: net.Socket[] = [];
    const server = await serve((socket) => waiting.push(socket));
    const pool = new ConnectionPool(null, { ...LIMITS, open: 2 });
    const busy = [ask(pool, server.url), ask(pool, server.url)];
    expect(await ask(pool, server.url)).toBe('ENOBUFS');
    await until('both have come', () => waiting.length === 2);
    for (const socket of waiting) socket.end(HAND_OUT.replace('\r\n', '\r\nconnection: close\r\n'));
    expect(await Promise.all(busy)).toEqual(['200 ok', '200 ok']);
    const next = ask(pool, server.url);
    await until('it has come', () => waiting.length === 3);
    waiting[2]?.write(HAND_OUT);
    expect(await next).toBe('200 ok');
  });

  test('that nobody waits for any more are cut, and only those', async () => {
    // The server accepts connections and stays silent, so that no handshake completes.
    const server = await serve(() => {});
    const pool = new ConnectionPool(null, { ...LIMITS, makingMs: 30, sweepMs: 10 });
    const url = server.url.replace('http:', 'https:');
    const exchanges = [1, 2].map(() => pool.open({ url, method: 'GET', headers: {}, body: null }, undefined));
    for (const exchange of exchanges) exchange.send({ headCame: () => {}, headLost: () => {} });
    await until('both have come', () => server.sockets.length === 2);
    exchanges[0]?.abort();
    jest.advanceTimersByTime(29);
    await pause();
    expect(server.closed).toBe(0);
    jest.advanceTimersByTime(20);
    await until('one is closed', () => server.closed === 1);
    jest.advanceTimersByTime(10_000);
    await pause();
    expect(server.closed).toBe(1);
    exchanges[1]?.abort();
    jest.advanceTimersByTime(20);
    await until('the other is closed', () => server.closed === 2);
  });
});

const timeouts = { connectMs: 20_000, firstByteMs: 20_000, idleMs: 20_000, totalMs: 40_000 };

async function send(url: string) {
  const upstream = new HttpUpstream({ proxies: null });
  return upstream.send({ url, method: 'POST', headers: {}, body: new TextEncoder().encode('{}'), timeouts });
}

describe('an endless response is cut long before it fills the memory', () => {
  const chunked = `${OK}transfer-encoding: chunked\r\n\r\n`;
  test.each<readonly [string, string, string]>([
    ['a status line', 'HTTP/1.1 200 ', 'x'.repeat(1_000)],
    ['a header', `${OK}a: `, 'x'.repeat(1_000)],
    ['headers', OK, 'a: b\r\n'.repeat(100)],
    ['interim answers', '', 'HTTP/1.1 102 Processing\r\nlink: x\r\n\r\n'.repeat(20)],
    ['the size of a chunk', chunked, '0'.repeat(1_000)],
    ['the extension of a chunk', `${chunked}1;`, 'x'.repeat(1_000)],
    ['a trailer', `${chunked}0\r\na: `, 'x'.repeat(1_000)],
    ['trailers', `${chunked}0\r\n`, 'a: b\r\n'.repeat(100)],
  ])('%s', async (_, start, more) => {
    let sent = 0;
    const server = await serve((socket) => {
      const pump = () => {
        while (!socket.destroyed && socket.write(more)) sent += more.length;
        if (!socket.destroyed) socket.once('drain', pump);
      };
      socket.write(start);
      pump();
    });
    const answer = await send(server.url);
    const end = answer instanceof Failure ? answer : await answer.body.readAll({ limitBytes: 1_000 });
    expect(end).toMatchObject({ kind: 'garbage' });
    await until('it is closed', () => server.closed > 0);
    // Most of it is held by the sockets' own buffers.
    expect(sent).toBeLessThan(32_000_000);
  });

  test('a body that decompresses a thousandfold arrives in small pieces, as it is read', async () => {
    const packed = gzipSync(Buffer.alloc(50_000_000));
    const server = await serve((socket) => {
      socket.write(`${OK}content-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`);
      socket.write(packed);
    });
    const answer = await send(server.url);
    if (answer instanceof Failure) throw new Error(answer.message);
    for (let count = 0; count < 5; count++) {
      const piece = await answer.body.read();
      expect(piece instanceof Uint8Array && piece.length).toBeLessThan(1_000_000);
    }
    answer.body.cancel();
  });

  test('nested encodings are refused', async () => {
    const server = await serve((socket) => socket.write(`${OK}content-encoding: ${'gzip, '.repeat(9)}gzip\r\n\r\n`));
    expect(await send(server.url)).toMatchObject({ kind: 'garbage' });
  });
});
