import { heapStats } from 'bun:jsc';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Server } from 'bun';
import { Failure } from '../../domain/failure/failure.ts';
import { until } from '../../domain/testing/until.ts';
import { MEMORY_PER_BODY_BYTE } from '../../engine/settings/settings.ts';
import { readBody } from './body.ts';
import { BodyBudget, BodyLease } from './body-budget.ts';
import { Upload } from './uploads.ts';

const LIMIT = 4 * 1024 * 1024;
const budget = new BodyBudget(2 * LIMIT, LIMIT);
const held: BodyLease[] = [];
let server: Server<undefined>;
let mostHeldBytes = 0;
const uploads = new Set<CountedUpload>();

class CountedUpload extends Upload {
  cameBytes = 0;

  override received(bytes: number): void {
    super.received(bytes);
    this.cameBytes += bytes;
  }
}

/** Reports what became of the body; with the header `x-account` the body stays in memory until `free()`. */
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request) {
      const lease = new BodyLease(budget);
      lease.belongTo(request.headers.get('x-account') ?? 'passing');
      const upload = new CountedUpload('a');
      uploads.add(upload);
      const body = await readBody(request, { limitBytes: LIMIT, lease, upload });
      uploads.delete(upload);
      mostHeldBytes = Math.max(mostHeldBytes, budget.heldBytes);
      if (request.headers.has('x-account') && !(body instanceof Failure)) held.push(lease);
      else lease.end();
      if (body instanceof Failure) return Response.json({ code: body.code, kind: body.kind }, { status: body.status });
      return new Response(Bun.hash(body).toString());
    },
  });
});
afterAll(() => server.stop(true));

function free(): void {
  for (const lease of held.splice(0)) lease.end();
}

function send(body: Uint8Array<ArrayBuffer> | ReadableStream, headers: Record<string, string> = {}) {
  return fetch(server.url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
}

const ENCODERS = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  GZIP: gzipSync,
  deflate: deflateSync,
  // The default quality takes too long for 40 MB of zeros.
  br: (bytes: Uint8Array) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zstdCompressSync,
} as const;

describe('a body is read whole', () => {
  test.each([0, 1, 1_000, 65_536, 65_537, 1_500_000, LIMIT])(
    'of %p bytes, with and without its length',
    async (size) => {
      const bytes = crypto.getRandomValues(new Uint8Array(1_000));
      const body = new Uint8Array(Buffer.alloc(size, bytes));
      expect(await (await send(body)).text()).toBe(Bun.hash(body).toString());
      const stream = new Blob([body]).stream();
      expect(await (await send(stream)).text()).toBe(Bun.hash(body).toString());
      expect(budget.heldBytes).toBe(0);
    },
  );

  test.each(Object.entries(ENCODERS))('with the encoding %s', async (encoding, encode) => {
    const body = new TextEncoder().encode(JSON.stringify({ a: 'ä'.repeat(300_000) }));
    const answer = await send(new Uint8Array(encode(body)), { 'content-encoding': encoding });
    expect(await answer.text()).toBe(Bun.hash(body).toString());
    expect(budget.heldBytes).toBe(0);
  });
});

describe('a body is refused', () => {
  test.each(['compress', 'gzip, br', 'gzip, gzip', 'sdch'])('with the encoding %p', async (encoding) => {
    const answer = await send(new Uint8Array(10), { 'content-encoding': encoding });
    expect([answer.status, await answer.json()]).toMatchObject([415, { code: 'unsupported_content_type' }]);
  });

  test.each(Object.entries(ENCODERS))('that is too large once it is decoded: %s', async (encoding, encode) => {
    const bomb = new Uint8Array(encode(new Uint8Array(10 * LIMIT)));
    expect(bomb.length).toBeLessThan(LIMIT);
    mostHeldBytes = 0;
    const answer = await send(bomb, { 'content-encoding': encoding });
    expect([answer.status, await answer.json()]).toMatchObject([413, { code: 'payload_too_large' }]);
    expect(mostHeldBytes).toBeLessThanOrEqual(LIMIT * MEMORY_PER_BODY_BYTE);
    expect(budget.heldBytes).toBe(0);
  });

  test.each(Object.entries(ENCODERS))('that does not match its encoding: %s', async (encoding, encode) => {
    const whole = new Uint8Array(encode(new TextEncoder().encode('{"a":1}'.repeat(1_000))));
    // The zstd decoder outputs what it has of a truncated body, which is then refused as invalid JSON.
    const cut = encoding === 'zstd' ? [] : [whole.slice(0, whole.length - 9)];
    for (const body of [...cut, new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8])]) {
      const answer = await send(body, { 'content-encoding': encoding });
      expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'invalid_json' }]);
    }
    expect(budget.heldBytes).toBe(0);
  });

  test('over the limit, with and without its length', async () => {
    const body = new Uint8Array(LIMIT + 1);
    expect((await send(body)).status).toBe(413);
    expect((await send(new Blob([body]).stream())).status).toBe(413);
    expect(budget.heldBytes).toBe(0);
  });
});

describe('all bodies together', () => {
  test('one account gets half of the memory, and others still get theirs', async () => {
    const body = new Uint8Array(LIMIT / 2);
    expect((await send(body, { 'x-account': 'a' })).status).toBe(200);
    expect((await send(body, { 'x-account': 'a' })).status).toBe(200);
    const refused = await send(body, { 'x-account': 'a' });
    expect([refused.status, await refused.json()]).toMatchObject([429, { kind: 'body_memory' }]);
    expect((await send(body, { 'x-account': 'b' })).status).toBe(200);
    expect((await send(body, { 'x-account': 'c' })).status).toBe(200);
    expect((await send(body, { 'x-account': 'd' })).status).toBe(429);
    free();
    expect(budget.heldBytes).toBe(0);
    expect((await send(body, { 'x-account': 'd' })).status).toBe(200);
    free();
  });

  test('an announced body that is never sent reserves nothing, and a lost connection releases its memory', async () => {
    const socket = connect(server.port ?? 0, '127.0.0.1');
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${LIMIT}\r\n\r\n{"a":`,
    );
    await until('its beginning has come', () => [...uploads].some(({ cameBytes }) => cameBytes > 0));
    expect(budget.heldBytes).toBeLessThan(1_000);
    socket.destroy();
    await until('it is over', () => uploads.size === 0);
    expect(budget.heldBytes).toBe(0);
  });
});

describe('a slow body', () => {
  const HEADS = {
    'short, of a known length': 'content-length: 1000\r\n\r\n{"a":',
    'long, of a known length': `content-length: ${LIMIT}\r\n\r\n{"a":`,
    'of an unknown length': 'transfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n',
    'that is encoded': 'content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n2\r\n\x1f\x8b\r\n',
  };

  test.each(Object.entries(HEADS))('%s is abandoned with the reason of whoever ends it', async (_name, head) => {
    const failure = new Failure('request_timeout', { message: 'too slow' });
    const socket = connect(server.port ?? 0, '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write(Buffer.from(`POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${head}`, 'latin1'));
    await until('it is waited for', () => [...uploads].some(({ stop }) => stop !== null));
    for (const upload of uploads) upload.end(failure);
    expect(await answer).toContain('408');
    expect([uploads.size, budget.heldBytes]).toEqual([0, 0]);
    socket.destroy();
  });

  test('in a million pieces is not stored as a million pieces', async () => {
    const socket = connect(server.port ?? 0, '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    const pieces = '1\r\nx\r\n'.repeat(10_000);
    const before = heldArrays();
    for (let i = 0; i < 100; i++) await new Promise<void>((written) => socket.write(pieces, () => written()));
    await until('all of them have come', () => [...uploads].some(({ cameBytes }) => cameBytes === 1_000_000));
    expect(heldArrays() - before).toBeLessThan(50_000);
    socket.write('0\r\n\r\n');
    expect(await answer).toContain(Bun.hash(Buffer.alloc(1_000_000, 'x')).toString());
    socket.destroy();
  });
});

/** Returns the number of live byte arrays; resident memory would include what other tests have left behind. */
function heldArrays(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts.Uint8Array ?? 0;
}
