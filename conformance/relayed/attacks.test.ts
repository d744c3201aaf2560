import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { answerOf } from '../shared/answer.ts';
import { until } from '../shared/until.ts';
import { ACME, BETA, NARROW, NOBODY, type RelayedBed, startRelayedBed } from './bed.ts';

/* Misbehaving clients and upstreams on the pass-through of requests for stored objects. */

let bed: RelayedBed;

beforeAll(async () => {
  bed = await startRelayedBed();
});
afterAll(() => bed?.stop());
beforeEach(() => {
  bed.upstream.answer = null;
  bed.upstream.seen.splice(0);
});

const call = async (path: string, init: RequestInit & { key?: string } = {}) => {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${init.key ?? ACME}`);
  return answerOf(await fetch(bed.serving.origin + path, { redirect: 'manual', ...init, headers }));
};

/** Sends the request as a client without URL normalization would. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(bed.serving.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    socket.write(text);
  });
}

const get = (path: string) =>
  raw(`GET ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${ACME}\r\nConnection: close\r\n\r\n`);

describe('a path', () => {
  const tricks = [
    '/v1/files/%2e%2e/models',
    '/v1/files/..%2fmodels',
    '/v1/files/a%2f..%2f..%2fmodels',
    '/v1/files/%252e%252e/models',
    '/v1/files/a%5c..%5cmodels',
    '/v1/files/a%00b',
    '/v1/files/a%0d%0aX-Y:1',
    '/v1/files/https:%2f%2fevil.example',
    '/v1/files/a/../../models',
    '/v1/files/.../x',
  ];
  test.each(tricks)('%s never leaves the API', async (path) => {
    const answer = await get(path);
    expect(answer).not.toMatch(/^HTTP\/1.1 5/);
    for (const { url } of bed.upstream.seen) expect(url.pathname).toStartWith('/v1/files/');
    for (const { url } of bed.upstream.seen) expect(decodeURIComponent(url.pathname)).not.toMatch(/\.\.|\/\/|\\/);
  });

  test('with doubled slashes is normalized', async () => {
    await get('/v1//files//file-x');
    expect(bed.upstream.seen.map(({ url }) => url.pathname)).toEqual(['/v1/files/file-x']);
  });

  test('keeps its query, without the client’s key', async () => {
    await call(`/v1/files?limit=2&after=x%26y&key=${BETA}&api-version=1`);
    expect(bed.upstream.seen[0]?.url.search).toBe('?limit=2&after=x%26y');
  });
});

describe('an upload', () => {
  const upload = (body: string | Uint8Array<ArrayBuffer> | ReadableStream, headers: Record<string, string> = {}) =>
    call('/v1/files', {
      method: 'POST',
      body,
      headers: { 'content-type': 'multipart/form-data; boundary=x', ...headers },
    });

  test('is forwarded whole, with its length', async () => {
    const { status, json } = await upload(new Uint8Array(5_000_000));
    expect({ status, bytes: json.bytes }).toEqual({ status: 200, bytes: 5_000_000 });
    expect(bed.upstream.seen[0]?.headers.get('content-length')).toBe('5000000');
  });

  test('of unknown length is forwarded, too', async () => {
    const pieces = [new Uint8Array(100_000), new Uint8Array(23)];
    const body = new ReadableStream({ pull: (to) => (pieces.length > 0 ? to.enqueue(pieces.pop()) : to.close()) });
    expect((await upload(body)).json.bytes).toBe(100_023);
  });

  test('that is too large is refused at once, or as soon as it exceeds the limit', async () => {
    const length = bed.mostBytes + 1;
    const told = await raw(
      `POST /v1/files HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${ACME}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`,
    );
    expect(told).toStartWith('HTTP/1.1 413');
    expect(told).toContain('payload_too_large');
    let sent = 0;
    const body = new ReadableStream({
      pull: (to) => {
        sent += 1_000_000;
        if (sent > 2 * length) to.close();
        else to.enqueue(new Uint8Array(1_000_000));
      },
    });
    const { status, error } = await upload(body);
    expect({ status, code: error.code }).toEqual({ status: 413, code: 'payload_too_large' });
  });

  test('is aborted upstream if its client disconnects, and does not count as a channel failure', async () => {
    const socket = connect(bed.serving.port, '127.0.0.1');
    socket.write(
      `POST /v1/files HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${ACME}\r\nContent-Type: text/plain\r\nContent-Length: 2000000\r\n\r\n${'x'.repeat(70_000)}`,
    );
    await until('the upload has begun', () => bed.upstream.seen.length === 1);
    socket.destroy();
    await until('the request is logged', () =>
      rows().some(({ failure_kind: kind }) => kind === 'client_closed_request'),
    );
    expect((await call('/v1/files')).status).toBe(200);
  });

  test('has its identity headers removed', async () => {
    await upload('x', { 'openai-organization': 'org-x', cookie: 'a=b', 'x-forwarded-for': '1.2.3.4', host: 'gateway' });
    const { headers } = bed.upstream.seen[0] ?? { headers: new Headers() };
    expect(headers.get('authorization')).toBe('Bearer key-of-acme-openai');
    for (const name of ['openai-organization', 'cookie', 'x-forwarded-for']) expect(headers.get(name)).toBeNull();
  });
});

describe('an upstream', () => {
  test('that responds with an HTML page causes a 502', async () => {
    bed.upstream.answer = () => new Response('<html>', { headers: { 'content-type': 'text/html' } });
    const { status, error } = await call('/v1/files');
    expect({ status, code: error.code }).toEqual({ status: 502, code: 'upstream_error' });
  });

  test('that redirects is not followed and causes a 502', async () => {
    bed.upstream.answer = (_, url) => Response.redirect(`${url.origin}/v1/stolen`, 307);
    const { status, headers, error } = await call('/v1/files/file-1/content');
    expect({ status, location: headers.get('location') }).toEqual({ status: 502, location: null });
    expect(String(error.message)).toContain('redirect');
    expect(bed.upstream.seen).toHaveLength(1);
  });

  test('that breaks off a download breaks off the client’s, too', async () => {
    const begun = Promise.withResolvers<void>();
    bed.upstream.answer = () => {
      let pieces = 0;
      const body = new ReadableStream({
        pull: async (to) => {
          if (++pieces <= 3) return to.enqueue(new Uint8Array(1_000));
          await begun.promise;
          to.error(undefined);
        },
      });
      return new Response(body, { headers: { 'content-type': 'application/octet-stream' } });
    };
    const answer = await fetch(`${bed.serving.baseUrl}/files/file-1/content`, {
      headers: { authorization: `Bearer ${ACME}` },
    });
    expect(answer.status).toBe(200);
    begun.resolve();
    await expect(answer.bytes()).rejects.toThrow();
  });

  test('that echoes its key has the key redacted', async () => {
    bed.upstream.answer = () =>
      Response.json({ error: { message: 'bad: key-of-acme-openai', code: 'x' } }, { status: 409 });
    const { status, text } = await call('/v1/files/file-1', { method: 'DELETE' });
    expect(status).toBe(409);
    expect(text).not.toContain('key-of-acme');
  });

  test('cannot set cookies, show its organisation or have stored content executed', async () => {
    const { json } = await call('/v1/files', { method: 'POST', body: 'x', headers: { 'content-type': 'text/html' } });
    const told = await call(`/v1/files/${json.id}`);
    expect(told.headers.get('openai-organization')).toBeNull();
    const content = await call(`/v1/files/${json.id}/content`);
    expect(content.headers.get('set-cookie')).toBeNull();
    expect(content.headers.get('content-security-policy')).toContain('sandbox');
    expect(content.headers.get('x-routing')).toContain('acme-openai');
  });

  test('that gives an upload URL on another host is not followed', async () => {
    bed.upstream.answer = () =>
      new Response('{}', { headers: { 'x-goog-upload-url': 'https://evil.example/upload/v1beta/files?upload_id=1' } });
    const { headers } = await call('/upload/v1beta/files', {
      method: 'POST',
      headers: { 'x-goog-upload-protocol': 'resumable' },
    });
    expect(headers.get('x-goog-upload-url')).toBeNull();
  });
});

describe('an object of another account', () => {
  test('is requested only from the caller’s own channel, whatever the header names', async () => {
    const init = { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } };
    const { json } = await call('/v1/files', { ...init, key: BETA });
    bed.upstream.seen.splice(0);
    expect((await call(`/v1/files/${json.id}`)).status).toBe(404);
    const batch = JSON.stringify({ input_file_id: json.id });
    const started = { method: 'POST', body: batch, headers: { 'content-type': 'application/json' } };
    expect((await call('/v1/batches', started)).status).toBe(404);
    expect(bed.upstream.seen.map(({ key }) => key)).toEqual(['key-of-acme-openai', 'key-of-acme-openai']);
    bed.upstream.seen.splice(0);
    const answers = await Promise.all(
      ['beta-openai', 'platform', 'no-such'].map((id) =>
        call(`/v1/files/${json.id}`, { headers: { 'x-switchyard-channel': id } }),
      ),
    );
    for (const { status, error } of answers) expect([status, error]).toEqual([400, answers[0]?.error ?? {}]);
    expect(answers[0]?.text).not.toContain('beta');
    expect(bed.upstream.seen).toEqual([]);
  });
});

describe('a key with an allow-list', () => {
  const json = { 'content-type': 'application/json' };
  const asks = (path: string, body: string, headers: Record<string, string> = json) =>
    call(path, { method: 'POST', body, headers, key: NARROW });

  test.each([
    ['/v1/realtime/client_secrets', '{"session":{"Model":"my-realtime"}}'],
    ['/v1/realtime/client_secrets', '{"session":{"model ":"my-realtime"}}'],
    ['/v1/realtime/calls?Model=my-realtime', '{}'],
    ['/v1/realtime/calls?model=gpt-4.1-mini&model%20=my-realtime', '{}'],
    ['/v1beta/cachedContents', '{"MODEL":"models/my-gemini"}'],
  ])('cannot name a model in a misspelled field: %s %s', async (path, body) => {
    const { status, error } = await asks(path, body);
    expect(status).toBe(400);
    expect(JSON.stringify(error)).toContain('spelling');
    expect(bed.upstream.seen).toEqual([]);
  });

  test('may not send a form, whose models are not checked, but a session description', async () => {
    const form = '--x\r\nContent-Disposition: form-data; name="session"\r\n\r\n{"model":"my-realtime"}\r\n--x--\r\n';
    const type = { 'content-type': 'multipart/form-data; boundary=x' };
    for (const query of ['', '?model=gpt-4.1-mini']) {
      const { status, error } = await asks(`/v1/realtime/calls${query}`, form, type);
      expect([status, error.code]).toEqual([403, 'model_not_allowed']);
    }
    expect(bed.upstream.seen).toEqual([]);
    await asks('/v1/realtime/calls?model=gpt-4.1-mini', 'v=0', { 'content-type': 'application/sdp' });
    expect(bed.upstream.seen).toHaveLength(1);
  });
});

describe('headers', () => {
  const post = (headers: string, body: string) =>
    raw(
      `POST /v1/files HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${ACME}\r\nContent-Type: text/plain\r\nConnection: close\r\n${headers}\r\n${body}`,
    );
  const hidden = 'GET /v1/files/hidden HTTP/1.1\r\nHost: gateway\r\n\r\n';

  test.each([
    [`Content-Length: ${hidden.length + 5}\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${hidden}`],
    [`Transfer-Encoding: chunked\r\nContent-Length: 0\r\n`, `0\r\n\r\n${hidden}`],
    ['Content-Length: 3\r\nContent-Length: 30\r\n', `abc${hidden}`],
    ['Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${hidden}`],
    ['Content-Length: +3\r\n', `abc${hidden}`],
  ])('%j smuggle no second request', async (headers, body) => {
    await post(headers, body);
    for (const { url } of bed.upstream.seen) expect(url.pathname).toBe('/v1/files');
    expect(bed.upstream.seen.length).toBeLessThan(2);
  });

  test('that a client lists in Connection remove none of the channel’s headers', async () => {
    const names = 'Connection: close, authorization, x-api-key, anthropic-version\r\n';
    await raw(
      `GET /v1/files HTTP/1.1\r\nHost: gateway\r\nx-api-key: ${ACME}\r\nanthropic-version: 2023-06-01\r\n${names}\r\n`,
    );
    const [seen] = bed.upstream.seen;
    expect([seen?.key, seen?.headers.get('anthropic-version')]).toEqual(['key-of-acme-anthropic', '2023-06-01']);
    expect(seen?.headers.get('connection') ?? '').not.toContain('x-api-key');
  });

  test('have no content encoding after the gateway has decoded the body', async () => {
    const { json } = await call('/v1/files', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } });
    const answer = await call('/v1/batches', {
      ...{ method: 'POST', body: Bun.gzipSync(Buffer.from(JSON.stringify({ input_file_id: json.id }))) },
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    expect([answer.status, answer.json.input_file_id]).toEqual([200, json.id]);
    expect(bed.upstream.seen.at(-1)?.headers.get('content-encoding')).toBeNull();
  });
});

describe('excessively many ids', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `file-many-${index}`);
  const known = (like: string) => {
    const database = new Database(bed.space.database, { readonly: true });
    try {
      const sql = 'SELECT account_id, count(*) AS count FROM object_origins WHERE object_id LIKE ? GROUP BY account_id';
      return database.query(sql).all(like);
    } finally {
      database.close();
    }
  };

  test('in a response are stored for the account, up to a limit', async () => {
    bed.upstream.answer = () => Response.json({ data: many(40_000).map((id) => ({ id })) });
    expect((await call('/v1/files')).status).toBe(200);
    expect(known('file-many-%')).toEqual([{ account_id: 'acme', count: 2_000 }]);
  });

  test('in a request are looked up, up to a limit, and forwarded unchanged', async () => {
    let sent = 0;
    bed.upstream.answer = async (request) => {
      sent = ((await request.json()) as { file_ids: string[] }).file_ids.length;
      return Response.json({ id: 'vs_1' });
    };
    const body = JSON.stringify({ file_ids: many(40_000) });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    expect((await call('/v1/vector_stores', init)).status).toBe(200);
    expect(sent).toBe(40_000);
  });
});

describe('a key', () => {
  test('that is unknown is refused without an upstream request', async () => {
    const { status, error } = await call('/v1/files', { key: 'sk-nobody-at-all-0000', method: 'POST', body: 'x' });
    expect({ status, code: error.code }).toEqual({ status: 401, code: 'invalid_api_key' });
    expect(bed.upstream.seen).toEqual([]);
  });

  test('with an allow-list cannot start a batch, whose models are not checked', async () => {
    const body = JSON.stringify({ input_file_id: 'file-1' });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    expect((await call('/v1/batches', { ...init, key: NARROW })).status).toBe(403);
    expect((await call('/v1/batches/batch_1', { key: NARROW })).status).toBe(200);
  });

  test('with an allow-list cannot name another model, escaped or duplicated', async () => {
    const ask = (body: string) =>
      call('/v1/realtime/client_secrets', {
        ...{ method: 'POST', body, headers: { 'content-type': 'application/json' }, key: NARROW },
      });
    expect((await ask('{"session":{"model":"my-realtime"}}')).status).toBe(403);
    expect((await ask('{"session":{"mod\\u0065l":"my-realtime"}}')).status).toBe(403);
    expect((await ask('{"session":{"model":"gpt-4.1-mini","model":"my-realtime"}}')).status).toBe(400);
    expect((await ask('{"session":{"model":"gpt-4.1-mini"},"session":{"model":"my-realtime"}}')).status).toBe(400);
    expect(bed.upstream.seen).toEqual([]);
  });

  test('of an account without a channel gets the same answer for every id', async () => {
    const one = await call('/v1/files/file-1', { key: NOBODY });
    const other = await call('/v1/files/file-2', { key: NOBODY });
    expect(one.error).toEqual(other.error);
  });
});

test('requests and responses have the public model id', async () => {
  const { json } = await call('/v1/realtime/client_secrets', {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: '{"session":{"type":"realtime","model":"my-realtime","speed":1.0}}',
  });
  expect(json.session).toEqual({ type: 'realtime', model: 'my-realtime', speed: 1 });
});

test('each call is in the request log', async () => {
  await call('/v1/files?limit=3');
  await until('the request is logged', () =>
    rows().some(({ channel_id: channel, status }) => channel === 'acme-openai' && status === 200),
  );
});

function rows(): Record<string, unknown>[] {
  const database = new Database(bed.space.database, { readonly: true });
  try {
    return database.query('SELECT * FROM request_log').all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}
