import { afterAll, afterEach, describe, expect, jest, test } from 'bun:test';
import type net from 'node:net';
import { parseAddressRange } from '../domain/access/network-address.ts';
import { Failure } from '../domain/failure/failure.ts';
import { pause, until } from '../domain/testing/until.ts';
import {
  DEFAULT_MEDIA_SETTINGS,
  type MediaSettings,
  type OpenedMedia,
  type OpenMediaOptions,
} from '../engine/ports/media-fetcher.ts';
import { createMediaFetcher } from './media-fetcher.ts';
import { type RawServer, serveRaw } from './testing/raw-server.ts';

const MIB = 1024 * 1024;
const servers: RawServer[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});
afterEach(() => {
  jest.useRealTimers();
});

async function serve(answer: Parameters<typeof serveRaw>[0]): Promise<RawServer> {
  const server = await serveRaw(answer);
  servers.push(server);
  return server;
}

const loopback = parseAddressRange('127.0.0.0/8');

/** Returns a fetcher that resolves names to 127.0.0.1 and allows it, without time limits, unless a test changes that. */
function fetcher(settings: Partial<MediaSettings> = {}, address = '127.0.0.1') {
  if (!loopback.ok) throw new Error(loopback.problem);
  return createMediaFetcher({
    settings: {
      ...{
        ...DEFAULT_MEDIA_SETTINGS,
        maxHeldBytes: 1024 ** 3,
        allowHttp: true,
        allowedRanges: [loopback.range],
        connectMs: 60_000,
        totalMs: 60_000,
      },
      ...settings,
    },
    resolve: async () => [address],
    refusalMs: 0,
  });
}

const urlOf = ({ port }: RawServer) => `http://media.example:${port}/a.mp4`;

function open(server: RawServer, options: Partial<OpenMediaOptions> = {}): Promise<OpenedMedia | Failure> {
  return fetcher()
    .open('acme')
    .open(urlOf(server), { maxBytes: 100 * MIB, totalMs: 60_000, idleMs: 60_000, ...options });
}

async function opened(result: Promise<OpenedMedia | Failure>): Promise<OpenedMedia> {
  const value = await result;
  if (value instanceof Failure) throw new Error(`${value.kind}: ${value.message}`);
  return value;
}

async function refusalOf(result: Promise<OpenedMedia | Failure>): Promise<string | undefined> {
  const value = await result;
  if (value instanceof Failure) return value.kind;
  throw new Error('opened');
}

/** Reads the file; resolves to its length and the kind of the failure that ended it, `null` if it is complete. */
async function readAll({ stream }: OpenedMedia): Promise<{ bytes: number; ending: string | undefined | null }> {
  let bytes = 0;
  try {
    for await (const piece of stream) bytes += piece.length;
    return { bytes, ending: null };
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    return { bytes, ending: error instanceof Failure ? error.kind : undefined };
  }
}

const untilClosed = ({ connections }: RawServer) =>
  until('all connections are closed', () => connections.closed === connections.opened);

const head = (fields: string) => `HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\n${fields}\r\n`;

/** Returns a server's behaviour that sends as much as the connection takes while it is open, and the amount sent. */
function endless(first: string): { answer: (socket: net.Socket) => void; sent: () => number } {
  let sent = 0;
  const answer = (socket: net.Socket) => {
    socket.write(first);
    const more = () => {
      while (!socket.destroyed) {
        sent += 65_536;
        if (!socket.write('x'.repeat(65_536))) return;
      }
    };
    socket.on('drain', more);
    more();
  };
  return { answer, sent: () => sent };
}

describe('a forwarded file', () => {
  test('arrives whole, however large, and closes its connection', async () => {
    const body = Buffer.alloc(24 * MIB, 'The quick brown fox');
    const server = await serve((socket) => {
      socket.write(head(`content-length: ${body.length}\r\n`));
      socket.end(body);
    });
    const media = await opened(open(server));
    expect(media.mediaType).toBe('video/mp4');
    const hash = new Bun.CryptoHasher('sha256');
    let largest = 0;
    for await (const piece of media.stream) {
      hash.update(piece);
      largest = Math.max(largest, piece.length);
    }
    expect(hash.digest('hex')).toBe(new Bun.CryptoHasher('sha256').update(body).digest('hex'));
    expect(largest).toBeLessThan(2 * MIB);
    await untilClosed(server);
  });

  test('has the type of its first bytes if the head has none, even if they drip', async () => {
    const server = await serve(async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ntransfer-encoding: chunked\r\n\r\n');
      for (const letter of '%PDF-1.7') {
        socket.write(`1\r\n${letter}\r\n`);
        await pause();
      }
      socket.end('0\r\n\r\n');
    });
    const media = await opened(open(server));
    expect(media.mediaType).toBe('application/pdf');
    expect(await new Response(media.stream).text()).toBe('%PDF-1.7');
  });

  test('may end with its connection if no length was declared', async () => {
    const server = await serve(`HTTP/1.0 200 OK\r\ncontent-type: video/mp4\r\n\r\n${'x'.repeat(1_000)}`);
    expect(await readAll(await opened(open(server)))).toEqual({ bytes: 1_000, ending: null });
  });

  test('of exactly the limit is accepted', async () => {
    const server = await serve(`${head('content-length: 70000\r\n')}${'x'.repeat(70_000)}`);
    const media = await opened(open(server, { maxBytes: 70_000 }));
    expect(await readAll(media)).toEqual({ bytes: 70_000, ending: null });
  });

  test('waits for its reader, so that an endless host is not read ahead', async () => {
    const { answer, sent } = endless(head('content-length: 1000000000\r\n'));
    const server = await serve(answer);
    const media = await opened(open(server, { maxBytes: 2 ** 40 }));
    const reader = media.stream.getReader();
    await reader.read();
    // While this file is read, the other host could have sent as much again.
    const other = await serve(endless(head('content-length: 1000000000\r\n')).answer);
    const { stream } = await opened(open(other, { maxBytes: 2 ** 40 }));
    const otherReader = stream.getReader();
    for (let read = 0; read < 64 * MIB; ) read += (await otherReader.read()).value?.length ?? 0;
    await otherReader.cancel();
    const before = sent();
    // The capacity of both sides' socket buffers.
    expect(before).toBeLessThan(16 * MIB);
    for (let read = 0; read < 32 * MIB; ) read += (await reader.read()).value?.length ?? 0;
    expect(sent()).toBeGreaterThan(before);
    await reader.cancel();
    await untilClosed(server);
  });

  test('that nobody needs any more closes its connection', async () => {
    const { answer } = endless(head(''));
    const server = await serve(answer);
    const media = await opened(open(server));
    await media.stream.cancel();
    await untilClosed(server);
    const second = await opened(open(server));
    const reader = second.stream.getReader();
    await reader.read();
    // A read may be pending.
    const reading = reader.read();
    await reader.cancel();
    await reading;
    await untilClosed(server);
  });
});

describe('a file that does not arrive whole is an error', () => {
  test.each<[string, (socket: net.Socket) => void]>([
    [
      'a connection that ends before the length',
      (socket) => socket.end(`${head('content-length: 9000\r\n')}${'x'.repeat(5_000)}`),
    ],
    [
      'a connection that is reset',
      (socket) => {
        socket.write(`${head('content-length: 9000\r\n')}${'x'.repeat(5_000)}`);
        // Before or after the data has arrived: both must end in the same way.
        setTimeout(() => socket.resetAndDestroy(), 5);
      },
    ],
    [
      'chunks without the last one',
      (socket) => socket.end(`${head('transfer-encoding: chunked\r\n')}1388\r\n${'x'.repeat(5_000)}\r\n`),
    ],
    [
      'a chunk that is cut',
      (socket) => socket.end(`${head('transfer-encoding: chunked\r\n')}2328\r\n${'x'.repeat(5_000)}`),
    ],
    [
      'chunks that are none',
      (socket) => socket.end(`${head('transfer-encoding: chunked\r\n')}1388\r\n${'x'.repeat(5_000)}\r\nnonsense\r\n`),
    ],
  ])('%s', async (_name, answer) => {
    const server = await serve(answer);
    const result = await open(server);
    // The file may be refused before anything is passed on.
    if (result instanceof Failure) expect(result.kind).toBe('media_transport');
    else expect(await readAll(result)).toMatchObject({ ending: 'media_transport' });
    await untilClosed(server);
  });

  test('a host that exceeds the limit is cut at it', async () => {
    const { answer } = endless(head(''));
    const server = await serve(answer);
    const media = await opened(open(server, { maxBytes: 3 * MIB }));
    const { bytes, ending } = await readAll(media);
    expect(bytes).toBeLessThanOrEqual(3 * MIB);
    expect(ending).toBe('media_too_large');
    await untilClosed(server);
  });

  test('a dripping host is cut at the total time', async () => {
    const server = await serve((socket) => {
      socket.write(`${head('')}${'x'.repeat(600)}`);
      const timer = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    jest.useFakeTimers();
    const media = await opened(open(server, { totalMs: 150, idleMs: 100 }));
    const reader = media.stream.getReader();
    await reader.read();
    for (let piece = 0; piece < 14; piece++) {
      const reading = reader.read();
      jest.advanceTimersByTime(10);
      expect((await reading).done).toBe(false);
    }
    const reading = reader.read();
    jest.advanceTimersByTime(10);
    await expect(reading).rejects.toMatchObject({ kind: 'media_total_timeout' });
    await untilClosed(server);
  });

  test('a silent host is cut long before', async () => {
    const server = await serve((socket) => socket.write(`${head('')}${'x'.repeat(600)}`));
    jest.useFakeTimers();
    const media = await opened(open(server, { idleMs: 60 }));
    const reader = media.stream.getReader();
    expect((await reader.read()).value).toHaveLength(600);
    const reading = reader.read();
    jest.advanceTimersByTime(60);
    await expect(reading).rejects.toMatchObject({ kind: 'media_idle_timeout' });
    await untilClosed(server);
  });

  test('a slow reader is not a silent host, but has the total time only', async () => {
    const { answer } = endless(head(''));
    const server = await serve(answer);
    jest.useFakeTimers();
    const media = await opened(open(server, { idleMs: 30, totalMs: 400 }));
    const reader = media.stream.getReader();
    for (let reads = 0; reads < 4; reads++) {
      jest.advanceTimersByTime(60);
      expect((await reader.read()).done).toBe(false);
    }
    jest.advanceTimersByTime(160);
    await untilClosed(server);
    await expect(reader.read()).rejects.toMatchObject({ kind: 'media_total_timeout' });
  });

  test('a client that leaves, or the end of the request, ends the forwarding', async () => {
    const { answer } = endless(head(''));
    const server = await serve(answer);
    const client = new AbortController();
    const media = await opened(open(server, { signal: client.signal }));
    client.abort();
    await expect(media.stream.getReader().read()).rejects.toMatchObject({ code: 'client_closed_request' });
    const files = fetcher().open('acme');
    const second = await opened(files.open(urlOf(server), { maxBytes: 2 ** 40 }));
    files.release();
    await expect(second.stream.getReader().read()).rejects.toMatchObject({ code: 'client_closed_request' });
    expect(await files.open(urlOf(server), { maxBytes: 1 })).toMatchObject({ code: 'client_closed_request' });
    await untilClosed(server);
  });
});

describe('before its first byte', () => {
  test.each([
    ['HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n', 'media_http_404'],
    ['HTTP/1.1 206 Partial\r\ncontent-length: 1\r\n\r\nx', 'media_http_206'],
    [head('content-length: 0\r\n'), 'media_empty'],
    [`${head('content-encoding: gzip\r\ncontent-length: 1\r\n')}x`, 'media_content_encoding'],
    [head('content-length: 104857601\r\n'), 'media_too_large'],
    [
      'HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/latest\r\ncontent-length: 0\r\n\r\n',
      'media_address_refused',
    ],
    ['HTTP/1.1 302 Found\r\nlocation: http://[::ffff:10.0.0.1]/\r\ncontent-length: 0\r\n\r\n', 'media_address_refused'],
    ['HTTP/1.1 302 Found\r\nlocation: file:///etc/passwd\r\ncontent-length: 0\r\n\r\n', 'media_scheme'],
    ['SSH-2.0-OpenSSH_9.6\r\n', 'media_transport'],
    ['', 'media_transport'],
  ])('%#: %p is refused', async (answer, kind) => {
    const server = await serve(answer);
    expect(await refusalOf(open(server))).toBe(kind);
    await untilClosed(server);
  });

  test('a closed address is refused and never contacted', async () => {
    const server = await serve(head('content-length: 0\r\n'));
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254']) {
      const files = fetcher({ allowedRanges: [] }, address).open('acme');
      expect(await refusalOf(files.open(urlOf(server), { maxBytes: 9 }))).toBe('media_address_refused');
    }
    expect(await refusalOf(fetcher().open('acme').open('nonsense', { maxBytes: 9 }))).toBe('media_invalid_url');
    expect(server.connections.opened).toBe(0);
  });

  test('silence before or after the head ends in time', async () => {
    const afterHead = await serve((socket) => socket.write(head('')));
    expect(await refusalOf(open(afterHead, { idleMs: 40 }))).toBe('media_idle_timeout');
    const silent = await serve(() => {});
    expect(await refusalOf(open(silent, { totalMs: 60 }))).toBe('media_total_timeout');
    await untilClosed(afterHead);
    await untilClosed(silent);
  });

  test('an account has a limit of concurrent files, separate from those fetched for requests', async () => {
    const { answer } = endless(head(''));
    const server = await serve(answer);
    const small = await serve(`${head('content-length: 2\r\n')}ok`);
    const files = fetcher({ maxConcurrent: 2 }).open('acme');
    const options = { maxBytes: 2 ** 40, totalMs: 60_000 };
    const first = await opened(files.open(urlOf(server), options));
    const waiting = Array.from({ length: 4 }, () => files.open(urlOf(small), options));
    expect(await refusalOf(files.open(urlOf(small), options))).toBe('media_queue_full');
    expect(await files.fetch(urlOf(small))).toMatchObject({ mediaType: 'video/mp4' });
    expect(small.connections.opened).toBe(1);
    await first.stream.cancel();
    // Each starts when the previous one has ended, successfully or not.
    for (const next of waiting) expect(await readAll(await opened(next))).toEqual({ bytes: 2, ending: null });
  });
});
