import { afterAll, describe, expect, test } from 'bun:test';
import net from 'node:net';
import { Failure } from '../domain/failure/failure.ts';
import type { UpstreamAnswer, UpstreamRequest } from '../engine/ports/upstream.ts';
import { HttpUpstream } from './http-upstream.ts';

const upstream = new HttpUpstream({ behindProxy: false });
const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

/** A raw TCP server, so that a test decides about every byte. */
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
    timeouts: { connectMs: 300, firstByteMs: 400, idleMs: 300, totalMs: 2000, ...timeouts },
    ...overrides,
  };
}

async function kindOf(result: Promise<UpstreamAnswer | Failure | Uint8Array | null>): Promise<string> {
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
    const started = performance.now();
    expect(await kindOf(upstream.send(requestTo(url)))).toBe('timeout_error/first_byte_timeout');
    expect(performance.now() - started).toBeLessThan(1500);
  });

  test('a refused connection, an unknown host and a plain-text port behind https are told apart', async () => {
    const url = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await kindOf(upstream.send(requestTo('http://127.0.0.1:1')))).toBe('upstream_error/connect_refused');
    expect(await kindOf(upstream.send(requestTo('http://no-such-host.invalid')))).toBe('upstream_error/dns');
    expect(await kindOf(upstream.send(requestTo(url.replace('http:', 'https:'))))).toBe('upstream_error/tls');
  });

  test('a cut connection is a reset', async () => {
    const url = await rawServer((socket) => socket.resetAndDestroy());
    expect(await kindOf(upstream.send(requestTo(url)))).toBe('upstream_error/reset');
  });

  test('a client that leaves ends the call at once and cuts the connection', async () => {
    let closed = 0;
    const url = await rawServer((socket) => socket.on('close', () => closed++));
    const leaving = new AbortController();
    const sent = upstream.send(requestTo(url, { client: leaving }, { firstByteMs: 60_000 }));
    setTimeout(() => leaving.abort(), 100);
    expect(await kindOf(sent)).toBe('client_closed_request/client_closed_request');
    await Bun.sleep(200);
    expect(closed).toBe(1);
  });

  test('a host that swallows packets is a connect timeout, long before the first-byte timeout', async () => {
    // A stopped process with a full backlog: the kernel drops further connection attempts, as a dead host would. Node, because Bun ignores the backlog.
    const child = Bun.spawn(
      [
        'node',
        '-e',
        'require("net").createServer().listen({port: 0, host: "127.0.0.1", backlog: 1}, function () { console.log(this.address().port) })',
      ],
      { stdout: 'pipe' },
    );
    const { value } = await child.stdout.getReader().read();
    const port = Number(new TextDecoder().decode(value));
    child.kill('SIGSTOP');
    const fill = Array.from({ length: 8 }, () => net.connect(port, '127.0.0.1').on('error', () => {}));
    await Bun.sleep(200);
    try {
      const started = performance.now();
      expect(
        await kindOf(
          upstream.send(requestTo(`http://127.0.0.1:${port}`, {}, { firstByteMs: 10_000, totalMs: 20_000 })),
        ),
      ).toBe('timeout_error/connect_timeout');
      expect(performance.now() - started).toBeLessThan(3000);
    } finally {
      for (const socket of fill) socket.destroy();
      child.kill('SIGKILL');
    }
  });
});

describe('after the head', () => {
  test('silence is an idle timeout, and the pieces before it have arrived', async () => {
    const url = await rawServer((socket) => socket.write(HEAD + chunk('data: 1\n\n')));
    const { body } = await answered(upstream.send(requestTo(url)));
    expect(new TextDecoder().decode((await body.read()) as Uint8Array)).toBe('data: 1\n\n');
    expect(await kindOf(body.read())).toBe('timeout_error/idle_timeout');
  });

  test('a trickle that never ends meets the total timeout', async () => {
    const url = await rawServer((socket) => {
      socket.write(HEAD);
      const timer = setInterval(() => socket.write(chunk('x')), 50);
      socket.on('close', () => clearInterval(timer));
    });
    const { body } = await answered(upstream.send(requestTo(url, {}, { totalMs: 700 })));
    expect(await kindOf(body.readAll(1e6))).toBe('timeout_error/total_timeout');
  });

  test('a reader that takes its time is not mistaken for a silent upstream', async () => {
    const url = await rawServer((socket) => {
      socket.write(HEAD + chunk('a'));
      setTimeout(() => socket.end(`${chunk('b')}0\r\n\r\n`), 100);
    });
    const { body } = await answered(upstream.send(requestTo(url)));
    await body.read();
    await Bun.sleep(600);
    expect(new TextDecoder().decode((await body.read()) as Uint8Array)).toBe('b');
    expect(await body.read()).toBeNull();
  });

  test('a connection cut in the middle is a reset, not an end', async () => {
    const url = await rawServer((socket) => {
      socket.write(HEAD + chunk('a'));
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
    const { body } = await answered(upstream.send(requestTo(url)));
    await body.read();
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
    await Bun.sleep(200);
    expect(closed).toBe(1);
  });

  test('an answer beyond the limit is refused', async () => {
    const url = await rawServer((socket) => socket.write(HEAD + chunk('x'.repeat(5000))));
    const { body } = await answered(upstream.send(requestTo(url)));
    expect(await kindOf(body.readAll(1000))).toBe('upstream_error/answer_too_large');
  });

  test('an upstream that sends without end is stopped by a reader that pauses, and memory stays flat', async () => {
    let sent = 0;
    const piece = chunk('x'.repeat(16384));
    const url = await rawServer((socket) => {
      socket.write(HEAD);
      const pump = () => {
        while (!socket.destroyed && socket.write(piece)) sent += piece.length;
        if (!socket.destroyed) socket.once('drain', pump);
      };
      pump();
    });
    const { body } = await answered(upstream.send(requestTo(url)));
    await body.read();
    // How long the sockets take to fill depends on the machine; what is judged is that nothing moves after that.
    for (let last = -1; last !== sent; await Bun.sleep(500)) last = sent;
    const before = sent;
    await Bun.sleep(700);
    expect(sent - before).toBe(0);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    body.cancel();
  });
});

test('a redirect is not followed', async () => {
  const url = await rawServer((socket) =>
    socket.end('HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
  );
  expect((await answered(upstream.send(requestTo(url)))).status).toBe(307);
});

test('connections are kept and used again', async () => {
  const sockets = new Set<net.Socket>();
  const url = await rawServer((socket) => {
    sockets.add(socket);
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
  });
  for (let count = 0; count < 20; count++) {
    await (await answered(upstream.send(requestTo(url)))).body.readAll(100);
  }
  // One for the requests; the reachability check opens another only once, and sends nothing on it.
  expect(sockets.size).toBe(1);
});
