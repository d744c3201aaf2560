import { afterAll, afterEach, describe, expect, jest, test } from 'bun:test';
import net from 'node:net';
import { parseAddressRange } from '../domain/access/network-address.ts';
import { Failure } from '../domain/failure/failure.ts';
import { pause, until } from '../domain/testing/until.ts';
import { DEFAULT_MEDIA_SETTINGS, type FetchedMedia, type MediaSettings } from '../engine/ports/media-fetcher.ts';
import type { Resolve } from './address-guard.ts';
import { createMediaFetcher, type MediaFetcherOptions } from './media-fetcher.ts';
import { type RawServer, serveRaw } from './testing/raw-server.ts';
import { CERTIFICATE } from './testing/self-signed-certificate.ts';

const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});
afterEach(() => {
  jest.useRealTimers();
});

async function serve(...how: Parameters<typeof serveRaw>): Promise<RawServer> {
  const server = await serveRaw(...how);
  closers.push(server.close);
  return server;
}

const ranges = (...texts: string[]) =>
  texts.map((text) => {
    const parsed = parseAddressRange(text);
    if (!parsed.ok) throw new Error(parsed.problem);
    return parsed.range;
  });
const LOOPBACK = ranges('127.0.0.0/8');
const HELLO = 'HTTP/1.1 200 OK\r\ncontent-type: Image/PNG; a=b\r\ncontent-length: 5\r\n\r\nhello';
const redirect = (location: string) => `HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;

type Change = Partial<MediaSettings> & Omit<Partial<MediaFetcherOptions>, 'settings'>;

/** Returns a fetcher that allows loopback and http, without time limits, unless a test changes that; all names resolve to 127.0.0.1. */
function fetcher(change: Change = {}) {
  const { resolve, ownAddresses, certificateAuthorities, refusalMs, ...settings } = change;
  return createMediaFetcher({
    settings: {
      ...DEFAULT_MEDIA_SETTINGS,
      maxHeldBytes: 1024 ** 3,
      allowHttp: true,
      allowedRanges: LOOPBACK,
      connectMs: 60_000,
      totalMs: 60_000,
      ...settings,
    },
    resolve: resolve ?? (async () => ['127.0.0.1']),
    refusalMs: refusalMs ?? 0,
    ...(ownAddresses ? { ownAddresses } : {}),
    ...(certificateAuthorities ? { certificateAuthorities } : {}),
  });
}

const get = (url: string, change: Change = {}) => fetcher(change).open('acme').fetch(url);

async function fetched(result: Promise<FetchedMedia | Failure>): Promise<FetchedMedia> {
  const value = await result;
  if (value instanceof Failure) throw new Error(`${value.kind}: ${value.message}`);
  return value;
}
async function refused(result: Promise<FetchedMedia | Failure>): Promise<Failure> {
  const value = await result;
  if (value instanceof Failure) return value;
  throw new Error(`fetched ${value.bytes.length} bytes`);
}
const kindOf = async (result: Promise<FetchedMedia | Failure>) => (await refused(result)).kind;

describe('a file', () => {
  test('arrives with its bytes and type, and the request does not identify the caller', async () => {
    const server = await serve(HELLO);
    const media = await fetched(get(`http://media.example:${server.port}/a%20b.png?signature=1#top`));
    expect(new TextDecoder().decode(media.bytes)).toBe('hello');
    expect(media.mediaType).toBe('image/png');
    const [head = ''] = server.requests;
    expect(head).toStartWith('GET /a%20b.png?signature=1 HTTP/1.1\r\n');
    const names = [...head.matchAll(/^([\w-]+):/gm)].map(([, name]) => name?.toLowerCase());
    expect(names.sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
    expect(head).toMatch(new RegExp(`^host: media\\.example:${server.port}\r$`, 'im'));
  });

  test('may be chunked, follow early hints, or end with the connection', async () => {
    for (const answer of [
      'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n%PD\r\n5\r\nF-1.7\r\n0\r\n\r\n',
      'HTTP/1.0 200 OK\r\n\r\n%PDF-1.7',
    ]) {
      const server = await serve(answer);
      const media = await fetched(get(`http://media.example:${server.port}/`));
      expect(media).toMatchObject({ mediaType: 'application/pdf', bytes: { length: 8 } });
    }
  });

  test('is fetched through redirects, including relative ones', async () => {
    const end = await serve(HELLO);
    const start = await serve(redirect('/second'));
    const hops = await serve((socket) => socket.end(redirect(`http://b.example:${end.port}/end`)));
    expect(await kindOf(get(`http://a.example:${start.port}/first`))).toBe('media_too_many_redirects');
    expect(start.requests.length).toBe(6);
    expect(start.requests[1]).toStartWith('GET /second ');
    await fetched(get(`http://a.example:${hops.port}/`));
    expect(end.requests[0]).toMatch(new RegExp(`^host: b\\.example:${end.port}\r$`, 'im'));
  });
});

describe('a URL', () => {
  test.each([
    ['not a url', 'media_invalid_url'],
    ['https://a.example:99999/', 'media_invalid_url'],
    [`https://a.example/${'x'.repeat(20_000)}`, 'media_invalid_url'],
    ['https://[fe80::1%25eth0]/', 'media_invalid_url'],
    ['http://a.example/', 'media_scheme'],
    ['ftp://a.example/', 'media_scheme'],
    ['file:///etc/passwd', 'media_scheme'],
    ['data:text/plain,hello', 'media_scheme'],
    ['https://user:secret@a.example/', 'media_credentials'],
  ])('%s is refused', async (url, kind) => {
    const failure = await refused(get(url, { allowHttp: false }));
    expect(failure).toMatchObject({ kind, code: 'invalid_value', status: 400, side: 'client', retry: 'never' });
    expect(failure.message).not.toContain('secret');
    expect(failure.message).toContain('inline');
  });

  test('shows only its host in the message', async () => {
    const failure = await refused(get('https://files.example/private/path?token=hush', { allowedRanges: [] }));
    expect(failure.message).toContain('"files.example"');
    expect(failure.message).toContain('media.allowed_ranges');
    expect(failure.message).not.toMatch(/hush|private\/path|127\.0\.0\.1/);
  });
});

describe('an address', () => {
  const spellings = (port: number) =>
    ['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.1.', '１２７.0.0.1', '0.0.0.0']
      .concat(
        [
          '[::1]',
          '[::]',
          '[::ffff:127.0.0.1]',
          '[::ffff:7f00:1]',
          '[::127.0.0.1]',
          '[64:ff9b::7f00:1]',
          '[2002:7f00:1::]',
        ],
        ['made-up.example', 'localhost', 'localhost.'],
      )
      .map((host) => `http://${host}:${port}/`);

  test('that is closed is refused in every notation, and never contacted', async () => {
    const server = await serve(HELLO);
    for (const url of spellings(server.port)) {
      expect([url, await kindOf(get(url, { allowedRanges: [] }))]).toEqual([url, 'media_address_refused']);
    }
    expect(server.connections.opened).toBe(0);
  });

  test('that is allowed is the one connected to, whatever the name resolves to elsewhere', async () => {
    const server = await serve(HELLO);
    const asked: string[] = [];
    const resolve: Resolve = async (name) => {
      asked.push(name);
      return ['127.0.0.1'];
    };
    await fetched(get(`http://made-up.invalid:${server.port}/`, { resolve }));
    await fetched(get(`http://[::ffff:127.0.0.1]:${server.port}/`, { resolve }));
    expect(asked).toEqual(['made-up.invalid']);
    expect(server.connections.opened).toBe(2);
  });

  test('that is closed closes the name, even beside open ones', async () => {
    const server = await serve(HELLO);
    for (const answers of [['8.8.8.8', '127.0.0.1'], ['127.0.0.1', '::1'], ['fe80::1%eth0'], ['nonsense']]) {
      const resolve = async () => answers;
      const allowedRanges = answers.includes('::1') ? LOOPBACK : [];
      expect(await kindOf(get(`http://a.example:${server.port}/`, { resolve, allowedRanges }))).toBe(
        'media_address_refused',
      );
    }
    expect(server.connections.opened).toBe(0);
  });

  test('is resolved once, so that a name cannot change after the check', async () => {
    const server = await serve(HELLO);
    const other = await serve(HELLO);
    const answers = ['127.0.0.2', '127.0.0.1'];
    let asked = 0;
    const resolve = async () => [answers[asked++] ?? '127.0.0.1'];
    // Only 127.0.0.2 is allowed, where nothing listens; the server at 127.0.0.1 must not be reached.
    const allowedRanges = ranges('127.0.0.2/32');
    const change = { resolve, allowedRanges };
    expect(await kindOf(get(`http://rebinding.example:${server.port}/`, change))).toBe('media_transport');
    expect(asked).toBe(1);
    // The second fetch resolves the name again, and is refused.
    expect(await kindOf(get(`http://rebinding.example:${other.port}/`, change))).toBe('media_address_refused');
    expect(server.connections.opened + other.connections.opened).toBe(0);
  });

  test('is checked again at every redirect', async () => {
    const secret = await serve(HELLO);
    const names: Record<string, string> = { 'open.example': '127.0.0.2', 'inside.example': '127.0.0.1' };
    const resolve = async (name: string) => [names[name] ?? '8.8.8.8'];
    for (const target of ['127.0.0.1', '0x7f.1', '[::ffff:7f00:1]', 'inside.example']) {
      const server = net.createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(redirect(`http://${target}:${secret.port}/`)));
      });
      await new Promise<void>((ready) => server.listen(0, '127.0.0.2', ready));
      const { port } = server.address() as net.AddressInfo;
      const failure = await refused(
        get(`http://open.example:${port}/`, { resolve, allowedRanges: ranges('127.0.0.2') }),
      );
      server.close();
      expect(failure.kind).toBe('media_address_refused');
      expect(failure.message).toContain(`redirected to from "open.example:${port}"`);
    }
    expect(secret.requests).toEqual([]);
  });

  test('of this machine is closed even if public, unless it is allowed', async () => {
    const ownAddresses = () => ['8.8.4.4', '127.0.0.1', 'fe80::1%eth0'];
    const change = { resolve: async () => ['8.8.4.4'], ownAddresses };
    expect(await kindOf(get('http://me.example/', change))).toBe('media_address_refused');
    const server = await serve(HELLO);
    await fetched(get(`http://me.example:${server.port}/`, { ownAddresses }));
  });

  test('a redirect to another scheme, to credentials or to nonsense is refused', async () => {
    for (const [location, kind] of [
      ['ftp://a.example/', 'media_scheme'],
      ['file:///etc/passwd', 'media_scheme'],
      ['http://user:pass@a.example/', 'media_credentials'],
      ['http://[', 'media_redirect'],
    ] as const) {
      const server = await serve(redirect(location));
      expect(await kindOf(get(`http://a.example:${server.port}/`))).toBe(`${kind}`);
    }
  });

  test('whose name is unknown, slow or closed is refused in the same words', async () => {
    const outcomes = await Promise.all(
      [
        { resolve: async () => ['10.0.0.1'] },
        { resolve: async () => [] },
        { resolve: () => Promise.reject(new Error('ENOTFOUND')) },
        { resolve: () => new Promise<string[]>(() => {}), connectMs: 40 },
      ].map((change) => refused(get('http://a.example/', change))),
    );
    expect(outcomes[0]?.kind).toBe('media_address_refused');
    for (const { kind, message } of outcomes) {
      expect([kind, message]).toEqual(['media_address_refused', outcomes[0]?.message ?? '']);
    }
  });

  test('is resolved with the system’s name servers by default', async () => {
    const media = createMediaFetcher({ settings: { ...DEFAULT_MEDIA_SETTINGS, maxHeldBytes: 1024 ** 3 } }).open('acme');
    expect(await kindOf(media.fetch('https://localhost/'))).toBe('media_address_refused');
    expect(await kindOf(media.fetch(`https://${'a'.repeat(64)}.invalid/`))).toBe('media_address_refused');
  });

  test('that does not respond gives way to the next one', async () => {
    const server = await serve(HELLO);
    const resolve = async () => ['127.0.0.9', '127.0.0.1'];
    await fetched(get(`http://a.example:${server.port}/`, { resolve }));
  });
});

describe('https', () => {
  test('an untrusted certificate is refused before a request is sent', async () => {
    const server = await serve(HELLO, true);
    const failure = await refused(get(`https://media.example:${server.port}/`));
    expect(failure).toMatchObject({ kind: 'media_tls', code: 'invalid_value' });
    expect(server.requests).toEqual([]);
  });

  test('the certificate is checked against the name of the URL, not the address', async () => {
    const server = await serve(HELLO, true);
    const change = { certificateAuthorities: [CERTIFICATE] };
    await fetched(get(`https://media.example:${server.port}/`, change));
    await fetched(get(`https://media.example.:${server.port}/`, change));
    await fetched(get(`https://127.0.0.1:${server.port}/`, change));
    expect(await kindOf(get(`https://other.example:${server.port}/`, change))).toBe('media_tls');
    expect(server.requests.length).toBe(3);
  });

  test('a redirect to http requires that http is allowed', async () => {
    const plain = await serve(HELLO);
    const server = await serve(redirect(`http://media.example:${plain.port}/`), true);
    const change = { certificateAuthorities: [CERTIFICATE], allowHttp: false };
    expect(await kindOf(get(`https://media.example:${server.port}/`, change))).toBe('media_scheme');
    expect(plain.connections.opened).toBe(0);
  });

  test('an endless handshake is cut', async () => {
    const server = await serve(() => {});
    expect(await kindOf(get(`https://a.example:${server.port}/`, { connectMs: 60 }))).toBe('media_connect_timeout');
  });
});

describe('bounds', () => {
  test('a file declared too large is refused by its head alone', async () => {
    const server = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n'));
    const failure = await refused(get(`http://a.example:${server.port}/`, { maxBytes: 1_000 }));
    expect(failure).toMatchObject({ code: 'payload_too_large', status: 413, side: 'client' });
  });

  test('an endless body is cut at the limit', async () => {
    let sent = 0;
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(16_384))) sent += 16_384;
      };
      socket.on('drain', more);
      more();
    });
    const failure = await refused(get(`http://a.example:${server.port}/`, { maxBytes: 100_000 }));
    expect(failure.code).toBe('payload_too_large');
    await until('the connection is closed', () => server.connections.closed === 1);
    expect(sent).toBeLessThan(50_000_000);
  });

  test('a file of exactly the limit is not too large', async () => {
    const server = await serve(`HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n${'x'.repeat(1000)}`);
    expect((await fetched(get(`http://a.example:${server.port}/`, { maxBytes: 1_000 }))).bytes.length).toBe(1_000);
  });

  test('the body of an error or redirect is not awaited', async () => {
    for (const [head, kind] of [
      ['HTTP/1.1 404 Not Found', 'media_http_404'],
      ['HTTP/1.1 302 Found\r\nlocation: http://[::1]/', 'media_address_refused'],
    ]) {
      const server = await serve((socket) => socket.write(`${head}\r\ncontent-length: 100\r\n\r\nsome`));
      expect(await kindOf(get(`http://a.example:${server.port}/`))).toBe(`${kind}`);
      await until('the connection is closed', () => server.connections.closed === 1);
    }
  });

  test('a body shorter than declared is an error', async () => {
    for (const answer of [
      'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n',
    ]) {
      const server = await serve(answer);
      expect(await kindOf(get(`http://a.example:${server.port}/`))).toBe('media_transport');
    }
  });

  test('a slow body, a slow head and silence all end with the total time', async () => {
    const dripping = (head: string) => (socket: net.Socket) => {
      socket.write(head);
      const timer = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(timer));
    };
    jest.useFakeTimers();
    for (const answer of [dripping('HTTP/1.1 200 OK\r\n\r\n'), dripping('HTTP/1.1 200 OK\r\nx-a: '), () => {}]) {
      const server = await serve(answer);
      const result = refused(get(`http://slow.example:${server.port}/`, { totalMs: 80 }));
      await until('the request has come', () => server.requests.length === 1);
      jest.advanceTimersByTime(79);
      await pause();
      expect(server.connections.closed).toBe(0);
      jest.advanceTimersByTime(1);
      const failure = await result;
      expect(failure).toMatchObject({ kind: 'media_total_timeout', code: 'invalid_value', status: 400 });
      expect(failure.message).toContain('slow.example');
      await until('the connection is closed', () => server.connections.closed === 1);
    }
  });

  test('a client that leaves closes the connection', async () => {
    const server = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nsome'));
    const client = new AbortController();
    const result = fetcher().open('acme').fetch(`http://a.example:${server.port}/`, { signal: client.signal });
    await until('the request has come', () => server.requests.length === 1);
    client.abort();
    expect((await refused(result)).code).toBe('client_closed_request');
    await until('the connection is closed', () => server.connections.closed === 1);
    expect((await refused(fetcher().open('acme').fetch('http://a.example/', { signal: client.signal }))).code).toBe(
      'client_closed_request',
    );
  });

  test('concurrent and waiting fetches are limited', async () => {
    const open: net.Socket[] = [];
    const server = await serve((socket) => void open.push(socket));
    const media = fetcher({ maxConcurrent: 4 }).open('acme');
    const fetches = Array.from({ length: 12 }, () => media.fetch(`http://a.example:${server.port}/`));
    let most = 0;
    for (let left = 10; left > 0; left--) {
      await until('its turn has come', () => open.length >= Math.min(2, left));
      most = Math.max(most, open.length);
      open.shift()?.end(HELLO);
    }
    const failures = (await Promise.all(fetches)).filter((result) => result instanceof Failure);
    expect(most).toBe(2);
    expect(failures.map(({ code, side, retryAfterSeconds }) => [code, side, retryAfterSeconds])).toEqual([
      ['rate_limit_exceeded', 'gateway', 1],
      ['rate_limit_exceeded', 'gateway', 1],
    ]);
    // An account has half of the slots, and half of the queue. A slot is released after a failure, too.
    expect(await kindOf(media.fetch('http://[::1]/'))).toBe('media_address_refused');
    const again = fetched(media.fetch(`http://a.example:${server.port}/`));
    await until('it has come', () => open.length === 1);
    open[0]?.end(HELLO);
    await again;
  });
});

describe('memory', () => {
  const FILE = 64 * 1024;
  const BODY = `HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: ${FILE}\r\n\r\n${'x'.repeat(FILE)}`;

  test('is held until the request ends, including copies of the file', async () => {
    const server = await serve(BODY);
    const url = `http://a.example:${server.port}/`;
    // Room for four files and their copies, half of it for one account.
    const media = fetcher({ maxHeldBytes: 4 * 4 * FILE });
    const first = media.open('acme');
    await fetched(first.fetch(url, { uses: 2 }));
    const full = await refused(media.open('acme').fetch(url));
    expect(full).toMatchObject({ kind: 'media_memory_full', status: 429, side: 'gateway', retryAfterSeconds: 1 });
    const other = media.open('other');
    await fetched(other.fetch(url));
    await fetched(other.fetch(url));
    expect(await kindOf(media.open('third').fetch(url))).toBe('media_memory_full');
    first.release();
    first.release();
    await fetched(media.open('acme').fetch(url));
    await fetched(media.open('acme').fetch(url));
    expect(await kindOf(media.open('acme').fetch(url))).toBe('media_memory_full');
  });

  test('of an ended request is not reserved again, and its fetches end', async () => {
    const server = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nsome'));
    const files = fetcher().open('acme');
    const result = files.fetch(`http://a.example:${server.port}/`);
    await until('the request has come', () => server.requests.length === 1);
    files.release();
    expect((await refused(result)).code).toBe('client_closed_request');
    expect((await refused(files.fetch('http://a.example/'))).code).toBe('client_closed_request');
  });
});

test('slow names of one account do not block the files of others', async () => {
  jest.useFakeTimers();
  const server = await serve(HELLO);
  const resolve: Resolve = (name) => (name === 'slow.example' ? new Promise(() => {}) : Promise.resolve(['127.0.0.1']));
  const media = fetcher({ resolve, maxConcurrent: 8, connectMs: 5_000 });
  const slow = Array.from({ length: 20 }, () => kindOf(media.open('slow').fetch('http://slow.example/')));
  const files = Array.from({ length: 10 }, () => fetched(media.open('acme').fetch(`http://a.example:${server.port}/`)));
  // The slow files have used no time when the last of these arrives.
  await Promise.all(files);
  // Four of them run at a time.
  for (let turn = 0; turn < 5; turn++) {
    jest.advanceTimersByTime(5_000);
    await pause();
  }
  expect(new Set(await Promise.all(slow))).toEqual(new Set(['media_address_refused']));
});

describe('an answer', () => {
  test.each([
    ['HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n', 'media_http_404'],
    ['HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n', 'media_http_503'],
    ['HTTP/1.1 206 Partial\r\ncontent-length: 1\r\n\r\nx', 'media_http_206'],
    ['HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n', 'media_http_302'],
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'media_empty'],
    ['HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx', 'media_content_encoding'],
    [
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
      'media_transport',
    ],
    ['SSH-2.0-OpenSSH_9.6\r\n', 'media_transport'],
    ['', 'media_transport'],
    ['HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\nabc', 'media_transport'],
    [`HTTP/1.1 200 OK\r\n${'x-a: bbbbbbbbbbbbbbbb\r\n'.repeat(2_000)}\r\n`, 'media_transport'],
  ])('%#: %p', async (answer, kind) => {
    const server = await serve(answer);
    const failure = await refused(get(`http://a.example:${server.port}/`));
    expect(failure).toMatchObject({ kind, code: 'invalid_value', side: 'client' });
  });
});
