import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Finding } from '../../src/main/cli/doctor/finding.ts';
import { checkPublicAddress } from '../../src/main/cli/doctor/public-address/check.ts';
import { probeTokens } from '../../src/main/probe-tokens.ts';
import { systemClock } from '../../src/main/system.ts';
import { HttpUpstream } from '../../src/upstream/http-upstream.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';
import { accountWith, keyNamed } from './upstream.ts';

/* `switchyard doctor`, which asks a gateway through reverse proxies that do things right and wrong. */

const SECRET = 'vT2kQ9wLxR4mZ8nB6cY1';
/** The gateway's limit for bodies. */
const BODY_BYTES = 1_048_576;
/** Longer than any answer takes. */
const LONG_MS = 300_000;
/** Shorter than the gateway holds its stream open. */
const SHORT_MS = 300;
const TIMEOUTS = { answerMs: LONG_MS, firstEventMs: LONG_MS, bodyMs: LONG_MS };

interface Habits {
  /** The path under which the proxy serves the gateway. */
  readonly path?: string;
  /** Passes that path on to the gateway. */
  readonly keepsPath?: boolean;
  /** Sends a response only when it is complete. */
  readonly buffers?: boolean;
  readonly maxBodyBytes?: number;
  readonly removes?: readonly string[];
  /** How the client's address is sent: appended to the header, not at all, or whatever the client has sent. */
  readonly forwardedFor?: 'appended' | 'removed' | 'passed';
}

const space = await Workspace.create();
const closers: (() => Promise<void>)[] = [];
/** Trusts proxies on this machine. */
let trusting: Serving;
/** Trusts none. */
let plain: Serving;

beforeAll(async () => {
  trusting = await start('trusting', { trusted_proxies: ['127.0.0.1'] });
  plain = await start('plain', {});
});
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  await space.remove();
});

async function start(name: string, server: object): Promise<Serving> {
  const SWITCHYARD_CONFIG = await space.write(`${name}.yaml`, {
    sandbox: true,
    accounts: [accountWith('acme', [keyNamed('main')])],
    server: { max_body_bytes: BODY_BYTES, ...server },
  });
  return space.serve({ env: { SWITCHYARD_CONFIG, SWITCHYARD_SECRET: SECRET, SWITCHYARD_DATA: space.path(name) } });
}

/** Starts a reverse proxy; returns its address for clients. */
function startProxy(gateway: Serving, habits: Habits = {}): string {
  const { path = '', keepsPath = false, buffers = false, maxBodyBytes = Number.POSITIVE_INFINITY } = habits;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request, connections) {
      const url = new URL(request.url);
      if (!url.pathname.startsWith(`${path}/`)) return new Response('no such site', { status: 404 });
      const body = request.body === null ? null : await request.arrayBuffer();
      if ((body?.byteLength ?? 0) > maxBodyBytes) return new Response('too large', { status: 413 });
      const target = `${gateway.origin}${keepsPath ? url.pathname : url.pathname.slice(path.length)}${url.search}`;
      const headers = passedHeaders(request, connections.requestIP(request)?.address ?? '', habits);
      const answer = await fetch(target, { method: request.method, headers, body, signal: request.signal });
      const content = buffers ? await answer.arrayBuffer() : answer.body;
      const passed = new Headers(answer.headers);
      for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) passed.delete(name);
      return new Response(content, { status: answer.status, headers: passed });
    },
  });
  closers.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}${path}`;
}

function passedHeaders(request: Request, peer: string, { removes = [], forwardedFor = 'appended' }: Habits): Headers {
  const headers = new Headers(request.headers);
  for (const name of ['host', 'content-length', ...removes]) headers.delete(name);
  if (forwardedFor === 'removed') headers.delete('x-forwarded-for');
  if (forwardedFor === 'appended') headers.append('x-forwarded-for', peer);
  headers.set('x-forwarded-proto', 'http');
  headers.set('x-forwarded-host', request.headers.get('host') ?? '');
  return headers;
}

async function findings(url: string, firstEventMs = LONG_MS): Promise<readonly Finding[]> {
  const token = probeTokens(SECRET, systemClock).issue();
  const upstream = new HttpUpstream({ proxies: null });
  const found: Finding[] = [];
  const checks = checkPublicAddress({
    url,
    token,
    upstream,
    clock: systemClock,
    timeouts: { ...TIMEOUTS, firstEventMs },
  });
  for await (const finding of checks) found.push(finding);
  return found;
}

const of = (found: readonly Finding[], subject: string) => found.find((finding) => finding.subject === subject);
const wrongIn = (found: readonly Finding[]) => found.filter(({ level }) => level !== 'ok');

test('a gateway without a proxy, and one behind a good proxy, have no problem', async () => {
  expect(wrongIn(await findings(plain.origin))).toEqual([]);
  const found = await findings(startProxy(trusting));
  expect(wrongIn(found)).toEqual([]);
  expect(found.map(({ subject }) => subject)).toEqual([
    'public address',
    'proxy path',
    'proxy headers',
    'client address',
    'links',
    'proxy streams',
    'proxy sockets',
    'proxy bodies',
  ]);
});

test('a proxy that collects streams fails', async () => {
  const found = await findings(startProxy(trusting, { buffers: true }), SHORT_MS);
  expect(of(found, 'proxy streams')).toMatchObject({
    level: 'FAIL',
    message: expect.stringContaining('proxy_buffering off'),
  });
});

describe('below a path', () => {
  test('a proxy that keeps the path fails, with the remedy', async () => {
    const found = await findings(startProxy(trusting, { path: '/llm', keepsPath: true }));
    expect(of(found, 'proxy path')).toMatchObject({
      level: 'FAIL',
      message: expect.stringMatching(/receives \/llm\/v1\/doctor .* remove \/llm in the reverse proxy/),
    });
  });

  test('a proxy that removes the path and does not name it makes wrong links', async () => {
    const found = await findings(startProxy(trusting, { path: '/llm' }));
    expect(of(found, 'proxy path')?.level).toBe('ok');
    expect(of(found, 'links')).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('set server.public_url'),
    });
  });
});

test('a proxy that removes the header with the key fails', async () => {
  const found = await findings(startProxy(trusting, { removes: ['authorization', 'x-goog-api-key'] }));
  expect(of(found, 'proxy headers')).toMatchObject({
    level: 'FAIL',
    message: expect.stringMatching(/^authorization, x-goog-api-key do not arrive/),
  });
});

test('a proxy that does not pass on upgrades is a warning', async () => {
  const found = await findings(startProxy(trusting, { removes: ['upgrade'] }));
  expect(of(found, 'proxy sockets')).toMatchObject({
    level: 'warn',
    message: expect.stringContaining('cannot be opened'),
  });
  expect(wrongIn(found)).toHaveLength(1);
});

describe('the client address', () => {
  const levelOf = async (gateway: Serving, forwardedFor: NonNullable<Habits['forwardedFor']>) =>
    of(await findings(startProxy(gateway, { forwardedFor })), 'client address');

  test('fails behind a trusted proxy that passes on what clients claim', async () => {
    expect(await levelOf(trusting, 'passed')).toMatchObject({
      level: 'FAIL',
      message: expect.stringContaining('anyone can claim any address'),
    });
  });

  test('is a warning behind a proxy that is not trusted, and behind one that does not send it', async () => {
    expect(await levelOf(plain, 'passed')).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('sends no X-Forwarded-For'),
    });
    expect(await levelOf(plain, 'appended')).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('add it to server.trusted_proxies'),
    });
    expect(await levelOf(trusting, 'removed')).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('sends no X-Forwarded-For'),
    });
  });
});

test('a proxy with a lower limit for bodies is a warning with the size', async () => {
  const found = await findings(startProxy(trusting, { maxBodyBytes: BODY_BYTES - 1 }));
  expect(of(found, 'proxy bodies')).toMatchObject({
    level: 'warn',
    message: expect.stringMatching(/^a body of 1 MiB is answered with HTTP 413: .*client_max_body_size 1m/),
  });
});

describe('an address without the gateway', () => {
  const answering = (answer: () => Response) => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
    closers.push(() => server.stop(true));
    return `http://127.0.0.1:${server.port}`;
  };

  test.each([
    [() => new Response('hello', { headers: { server: 'nginx' } }), 'FAIL', 'HTTP 200 (nginx), and not the gateway'],
    [() => new Response('', { status: 502 }), 'warn', 'its reverse proxy does not reach the gateway'],
    [() => new Response('', { status: 401 }), 'FAIL', 'asks for credentials'],
    [
      () => Response.redirect('https://ai.example.com/v1/doctor?token=x', 308),
      'FAIL',
      'a redirect to https://ai.example.com:',
    ],
  ] as const)('%# is explained', async (answer, level, message) => {
    const [only, ...others] = await findings(answering(answer));
    expect(others).toEqual([]);
    expect(only).toMatchObject({ level, subject: 'public address', message: expect.stringContaining(message) });
  });

  test('that nobody listens to is a warning, since the gateway may not be started yet', async () => {
    expect(await findings('http://127.0.0.1:1')).toMatchObject([
      { level: 'warn', message: expect.stringContaining('nothing listens there') },
    ]);
  });
});

test('the command asks the address of its option, and another secret is not accepted', async () => {
  const url = startProxy(trusting, { removes: ['authorization'] });
  const run = (secret: string) =>
    space.run(['doctor', '--port', '0', '--url', `${url}/`], {
      env: { SWITCHYARD_SECRET: secret, SWITCHYARD_DATA: space.path('elsewhere') },
    });
  const { exitCode, stdout } = await run(SECRET);
  expect([exitCode, stdout]).toEqual([
    1,
    expect.stringMatching(/^FAIL +proxy headers +authorization does not arrive/m),
  ]);
  expect((await run('another-Vq3kQ9wLxR4mZ8nB')).stdout).toMatch(
    /^warn +public address +.* is a gateway that does not accept this command/m,
  );
});

test('to everybody else the path of the doctor does not exist', async () => {
  const other = await fetch(`${plain.origin}/v1/doctor-who`);
  for (const token of ['', '?token=', '?token=1800000000000.x']) {
    const answer = await fetch(`${plain.origin}/v1/doctor${token}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, other.headers.get('content-type')]);
    await answer.text();
  }
});
