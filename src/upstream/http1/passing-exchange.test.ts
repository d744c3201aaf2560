import { afterAll, beforeAll, describe, expect, jest, test } from 'bun:test';
import net from 'node:net';
import tls from 'node:tls';
import { pause, until } from '../../domain/testing/until.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../testing/self-signed-certificate.ts';
import type { Exchange } from './exchange.ts';
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

interface Server {
  readonly url: string;
  readonly sockets: net.Socket[];
  readonly heard: string[];
}

/** Starts a server; `onData` receives the last characters that a connection has sent so far, and their total number. */
async function serve(
  onData: (socket: net.Socket, tail: string, length: number) => void,
  isSecure = false,
): Promise<Server> {
  const sockets: net.Socket[] = [];
  const heard: string[] = [];
  const onSocket = (socket: net.Socket) => {
    const index = sockets.push(socket) - 1;
    heard[index] = '';
    let tail = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      heard[index] += text;
      // Reading the end of a growing string would flatten it each time.
      tail = (tail + text).slice(-20);
      onData(socket, tail, heard[index]?.length ?? 0);
    });
  };
  const secured = { cert: CERTIFICATE, key: CERTIFICATE_KEY };
  const server = isSecure ? tls.createServer(secured, onSocket) : net.createServer(onSocket);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closers.push(() => server.close());
  const { port } = server.address() as net.AddressInfo;
  return { url: `http${isSecure ? 's' : ''}://127.0.0.1:${port}/`, sockets, heard };
}

interface Source {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  pulled: number;
  cancelled: boolean;
}

/** Returns a stream of the results of `next`, which may throw; `null` ends it. */
function sourceOf(next: (count: number) => string | null | Promise<string | null>): Source {
  const source = { pulled: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const piece = await next(source.pulled++);
        if (piece === null) controller.close();
        else controller.enqueue(new Uint8Array(Buffer.from(piece)));
      },
      cancel() {
        source.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return Object.assign(source, { stream });
}

const listed = (pieces: readonly string[]) => sourceOf((count) => pieces[count] ?? null);

interface Passed {
  readonly url: string;
  readonly length?: number | null;
  readonly method?: string;
}

function open(pool: ConnectionPool, { stream }: Source, { url, length = null, method = 'POST' }: Passed): Exchange {
  const proof = { serverName: 'media.example', ca: [CERTIFICATE] };
  return pool.pass({ url, method, headers: {}, body: { stream, length } }, url.startsWith('https') ? proof : undefined);
}

async function outcomeOf(exchange: Exchange): Promise<string> {
  try {
    const status = await new Promise<number>((headCame, headLost) => exchange.send({ headCame, headLost }));
    return `${status} ${Buffer.from(await exchange.bytes()).toString('latin1')}`;
  } catch (error) {
    return String((error as { code?: string }).code ?? (error as Error).constructor.name);
  }
}

const reply = (text: string, status = '200 OK') =>
  `HTTP/1.1 ${status}\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
const HEAD = 'accept: */*\r\naccept-encoding: identity\r\n';

describe('a body that is still arriving', () => {
  test('of known length is sent unchanged', async () => {
    const server = await serve((socket, tail) => tail.endsWith('cde') && socket.write(reply('ok')));
    const asked = open(new ConnectionPool(), listed(['ab', '', 'cde', '']), { url: server.url, length: 5 });
    expect(await outcomeOf(asked)).toBe('200 ok');
    const host = new URL(server.url).host;
    expect(server.heard).toEqual([`POST / HTTP/1.1\r\nhost: ${host}\r\n${HEAD}content-length: 5\r\n\r\nabcde`]);
  });

  test('of unknown length is sent in chunks, of which only the last is empty', async () => {
    const server = await serve((socket, tail) => tail.endsWith('\r\n0\r\n\r\n') && socket.write(reply('ok')));
    const long = 'x'.repeat(300);
    expect(await outcomeOf(open(new ConnectionPool(), listed(['ab', '', long]), server))).toBe('200 ok');
    expect(server.heard[0]).toEndWith(
      `${HEAD}transfer-encoding: chunked\r\n\r\n2\r\nab\r\n12c\r\n${long}\r\n0\r\n\r\n`,
    );
  });

  test.each([0, null])('that is empty (length %p) is a request without one', async (length) => {
    const server = await serve((socket) => socket.write(reply('ok')));
    expect(await outcomeOf(open(new ConnectionPool(), listed([]), { ...server, length }))).toBe('200 ok');
    expect(server.heard[0]).toEndWith(length === 0 ? 'content-length: 0\r\n\r\n' : 'chunked\r\n\r\n0\r\n\r\n');
  });

  test.each([false, true])('is read only as fast as the server accepts it (TLS: %p)', async (isSecure) => {
    const piece = 'x'.repeat(100_000);
    const sourceOf200 = () => sourceOf((count) => (count < 200 ? piece : null));
    const source = sourceOf200();
    const server = await serve((socket, tail) => tail.endsWith('\r\n0\r\n\r\n') && socket.write(reply('ok')), isSecure);
    const asked = outcomeOf(open(new ConnectionPool(), source, server));
    await until('it has come', () => server.sockets.length === 1);
    server.sockets[0]?.pause();
    // Meanwhile the same amount has been sent to a server that reads it.
    expect(await outcomeOf(open(new ConnectionPool(), sourceOf200(), server))).toBe('200 ok');
    expect(source.pulled).toBeLessThan(150);
    server.sockets[0]?.resume();
    expect(await asked).toBe('200 ok');
    expect(server.heard[0]?.length).toBeGreaterThan(200 * piece.length);
  });

  test('takes its own connection, which others may reuse', async () => {
    const server = await serve((socket, tail) => tail.endsWith('END') && socket.write(reply('ok')));
    const pool = new ConnectionPool();
    const whole = () =>
      outcomeOf(pool.open({ url: server.url, method: 'POST', headers: {}, body: Buffer.from('END') }, undefined));
    expect(await whole()).toBe('200 ok');
    expect(await outcomeOf(open(pool, listed(['E', 'ND']), { ...server, length: 3 }))).toBe('200 ok');
    expect(server.sockets).toHaveLength(2);
    expect(await whole()).toBe('200 ok');
    expect(server.sockets).toHaveLength(2);
  });

  test.each(['GET', 'PUT', 'POST'])('is never retried (%s)', async (method) => {
    const server = await serve((socket) => socket.destroy());
    const source = listed(['ab', 'c']);
    expect(await outcomeOf(open(new ConnectionPool(), source, { ...server, length: 3, method }))).toBe('ECONNRESET');
    expect(server.sockets).toHaveLength(1);
  });

  test('is not read if there is no connection', async () => {
    const source = listed(['abc']);
    expect(await outcomeOf(open(new ConnectionPool(), source, { url: 'http://127.0.0.1:1/' }))).toBe('ECONNREFUSED');
    expect([source.pulled, source.stream.locked]).toEqual([0, false]);
  });
});

describe('a response before the end of the body', () => {
  const endless = () => sourceOf(() => 'x'.repeat(50_000));

  test.each<readonly [string, (socket: net.Socket) => void]>([
    ['is kept open', (socket) => socket.write(reply('no', '413 Payload Too Large'))],
    ['is closed', (socket) => socket.end(reply('no', '413 Payload Too Large'))],
    ['is not read any more', (socket) => socket.pause().write(reply('no', '413 Payload Too Large'))],
    [
      'is reset with bytes on the way',
      (socket) => {
        socket.pause();
        socket.write(reply('no', '413 Payload Too Large'));
        // The client must read the answer first, or it would see only the reset.
        pause()
          .then(pause)
          .then(() => socket.destroy());
      },
    ],
  ])('is told, and the body let go, where the connection %s', async (_, refuse) => {
    const server = await serve((socket, _tail, length) => {
      if (length > 100_000 && socket.bytesWritten === 0) refuse(socket);
    });
    const pool = new ConnectionPool();
    const source = endless();
    expect(await outcomeOf(open(pool, source, server))).toBe('413 no');
    expect(source.cancelled).toBe(true);
    const after = source.pulled;
    const next = outcomeOf(pool.open({ url: server.url, method: 'POST', headers: {}, body: null }, undefined));
    await until('it has come', () => server.sockets.length === 2);
    server.sockets[1]?.write(reply('own'));
    expect(await next).toBe('200 own');
    expect(source.pulled).toBe(after);
  });

  test('is read in parallel to the sending if it succeeded', async () => {
    const server = await serve((socket, tail) => {
      if (socket.bytesWritten === 0) socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n');
      if (tail.endsWith('END\r\n0\r\n\r\n')) socket.write('2\r\ncd\r\n0\r\n\r\n');
    });
    const source = sourceOf(async (count) => {
      await pause();
      return count < 5 ? 'x' : count === 5 ? 'END' : null;
    });
    expect(await outcomeOf(open(new ConnectionPool(), source, server))).toBe('200 abcd');
  });

  test('ends the sending once it is complete', async () => {
    const server = await serve((socket) => socket.bytesWritten === 0 && socket.write(reply('early')));
    const source = endless();
    expect(await outcomeOf(open(new ConnectionPool(), source, server))).toBe('200 early');
    expect(source.cancelled).toBe(true);
  });
});

describe('a body that cannot be sent completely', () => {
  test.each<readonly [string, readonly string[]]>([
    ['shorter than it was said', ['ab']],
    ['longer', ['ab', 'cd']],
    ['longer by a piece after its end', ['abc', 'd']],
  ])('because it is %s: the server never has the whole of it', async (_, pieces) => {
    const server = await serve(() => {});
    expect(await outcomeOf(open(new ConnectionPool(), listed(pieces), { ...server, length: 3 }))).toBe('WrongLength');
    await until('the connection is cut', () => server.sockets[0]?.readyState === 'closed');
    expect((server.heard[0] ?? '\r\n\r\n').split('\r\n\r\n')[1] ?? '').not.toBe('abc');
  });

  test('reports the reason when its stream fails', async () => {
    const server = await serve(() => {});
    const source = sourceOf((count) => {
      if (count === 2) throw Object.assign(new Error('gone'), { code: 'EGONE' });
      return 'x';
    });
    expect(await outcomeOf(open(new ConnectionPool(), source, server))).toBe('EGONE');
    await until('the connection is cut', () => server.sockets[0]?.readyState === 'closed');
  });

  test('is released when its response is abandoned, and its connection is cut', async () => {
    const server = await serve(() => {});
    const source = sourceOf((count) => (count === 0 ? 'x' : new Promise<null>(() => {})));
    const exchange = open(new ConnectionPool(), source, server);
    const asked = outcomeOf(exchange);
    await until('its beginning has come', () => (server.heard[0] ?? '').includes('\r\nx\r\n'));
    exchange.abort();
    expect(await asked).toBe('20');
    expect(source.cancelled).toBe(true);
    await until('the connection is cut', () => server.sockets[0]?.readyState === 'closed');
  });
});
