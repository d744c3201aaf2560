import { afterAll, describe, expect, test } from 'bun:test';
import net from 'node:net';
import { Failure } from '../domain/failure/failure.ts';
import { PiecedBody } from '../domain/media/pieced-body.ts';
import type { UploadedFile } from '../domain/media/uploaded-file.ts';
import type { UpstreamAnswer, UpstreamRequest } from '../engine/ports/upstream.ts';
import { bodyStream, STREAMED_BYTES } from './body-stream.ts';
import { HttpUpstream } from './http-upstream.ts';

const upstream = new HttpUpstream({ proxies: null });
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

/**
 * What a process gets whose limit is one second, from a server that is silent for longer than Bun takes to notice. Asked for now, so
 * that the other tests pass the time.
 */
const answerAfterLongSilence = (async () => {
  const url = await rawServer((socket) => {
    setTimeout(() => socket.end(`${HEAD}${chunk('late')}0\r\n\r\n`), 9_000);
  });
  const script = `
    import { HttpUpstream } from '${import.meta.dir}/http-upstream.ts';
    const timeouts = { connectMs: 60000, firstByteMs: 60000, idleMs: 60000, totalMs: 60000 };
    const request = { url: '${url}', method: 'POST', headers: {}, body: new TextEncoder().encode('{}'), timeouts };
    const answer = await new HttpUpstream({ proxies: null }).send(request);
    const bytes = await answer.body?.readAll({ limitBytes: 100 });
    console.log(bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : JSON.stringify(answer.kind ?? bytes.kind));
    process.exit(0);
  `;
  const env = { ...process.env, BUN_CONFIG_HTTP_IDLE_TIMEOUT: '1' };
  const child = Bun.spawn([process.execPath, '-e', script], { env, stdout: 'pipe' });
  return new Response(child.stdout).text();
})();

describe('before the head', () => {
  test('a server that never answers is a first-byte timeout', async () => {
    const url = await rawServer(() => {});
    const started = performance.now();
    const sent = upstream.send(requestTo(url, {}, { totalMs: 60_000 }));
    expect(await kindOf(sent)).toBe('timeout_error/first_byte_timeout');
    // Far from the time for all of it.
    expect(performance.now() - started).toBeLessThan(15_000);
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
      expect(performance.now() - started).toBeLessThan(9_000);
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
    expect(await kindOf(body.readAll({ limitBytes: 1e6 }))).toBe('timeout_error/total_timeout');
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
    expect(await kindOf(body.readAll({ limitBytes: 1000 }))).toBe('upstream_error/answer_too_large');
  });

  test('a small compressed body cannot become a large one: its declared length is not that of what comes of it', async () => {
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

  test('room is asked for before a large body is kept, whether its length is declared or not', async () => {
    const large = 'x'.repeat(200_000);
    for (const answer of [
      `HTTP/1.1 200 OK\r\ncontent-length: ${large.length}\r\n\r\n${large}`,
      `${HEAD}${chunk(large)}0\r\n\r\n`,
    ]) {
      const url = await rawServer((socket) => socket.write(answer));
      const asked: number[] = [];
      const readWith = async (isRoom: boolean) => {
        const { body } = await answered(upstream.send(requestTo(url)));
        const hold = (bytes: number) => asked.push(bytes) > 0 && isRoom;
        return await body.readAll({ limitBytes: 1e6, hold });
      };
      expect(await readWith(true)).toHaveLength(large.length);
      const total = asked.reduce((sum, bytes) => sum + bytes, 0);
      expect(total).toBeGreaterThan(large.length - 65_537);
      expect(total).toBeLessThanOrEqual(large.length);
      expect(await readWith(false)).toMatchObject({ kind: 'answer_memory_full', side: 'gateway', status: 429 });
    }
  });

  test('a body that drips has a time for all of it', async () => {
    const url = await rawServer((socket) => {
      socket.write(HEAD);
      const timer = setInterval(() => socket.write(chunk('x')), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const { body } = await answered(upstream.send(requestTo(url, {}, { totalMs: 20_000 })));
    const started = performance.now();
    expect(await kindOf(body.readAll({ limitBytes: 1e6, withinMs: 200 }))).toBe('timeout_error/total_timeout');
    expect(performance.now() - started).toBeLessThan(15_000);
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

describe('a large body', () => {
  const large = new Uint8Array(STREAMED_BYTES + 300_001).map((_, index) => index % 251);
  const patience = { connectMs: 10_000, firstByteMs: 20_000, totalMs: 20_000 };

  test('arrives as it is, with its length and not in chunks', async () => {
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
      const answer = await answered(
        upstream.send(requestTo(url, { body: large, headers: { 'x-own': 'kept' } }, patience)),
      );
      expect(answer.status).toBe(200);
      expect(await answer.body.readAll({ limitBytes: 100 })).toEqual(new TextEncoder().encode('ok'));
    }
    expect(came).toEqual([String(large.length), null, 'kept', true, String(large.length), null, 'kept', true]);
  });

  test('is pulled as the connection takes it, and not before', async () => {
    const stream = bodyStream(large);
    const reader = stream.getReader();
    const lengths: number[] = [];
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) lengths.push(piece.value.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(256 * 1024);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(large.length);
  });

  test('that is refused before it was read has its answer', async () => {
    const url = await rawServer((socket) => {
      if (socket.bytesWritten > 0) return;
      socket.pause();
      socket.write('HTTP/1.1 413 Payload Too Large\r\ncontent-length: 2\r\n\r\nno');
    });
    const answer = await answered(upstream.send(requestTo(url, { body: large }, patience)));
    expect(answer.status).toBe(413);
    expect(await answer.body.readAll({ limitBytes: 100 })).toEqual(new TextEncoder().encode('no'));
  });

  test('whose connection is cut in the middle is a reset, and one that nobody takes a timeout', async () => {
    const cut = await rawServer((socket) => {
      if (socket.bytesRead > 500_000) socket.resetAndDestroy();
    });
    expect(await kindOf(upstream.send(requestTo(cut, { body: large }, patience)))).toBe('upstream_error/reset');
    const deaf = await rawServer((socket) => socket.pause());
    expect(await kindOf(upstream.send(requestTo(deaf, { body: large })))).toBe('timeout_error/first_byte_timeout');
  });
});

test('connections are kept and used again', async () => {
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

test("Bun's own limit on silence, 5 minutes by default, cuts nothing that the channel allows", async () => {
  expect((await answerAfterLongSilence).trim()).toBe('late');
});

test('a body of pieces is sent with its length, and not chunked', async () => {
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
  // Twice: a failover sends the same body again.
  for (let times = 0; times < 2; times++) {
    heard = '';
    const answer = await upstream.send(requestTo(`http://127.0.0.1:${server.port}`, { body }));
    if (answer instanceof Failure) throw new Error(answer.details.message);
    await answer.body.readAll({ limitBytes: 100 });
    expect(heard).toBe('7 null {"a":1}');
  }
});

test.each([0, 1, 5])(
  'a file that cannot be read after %d MB is no fault of the upstream, and not sent on',
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
