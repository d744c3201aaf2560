import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parseAddressRange } from '../domain/access/network-address.ts';
import { DEFAULT_TIMEOUTS } from '../domain/catalog/channel.ts';
import { Failure } from '../domain/failure/failure.ts';
import { HttpUpstream } from './http-upstream.ts';
import { SocketUpstream } from './socket-upstream.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './testing/self-signed-certificate.ts';
import { UpstreamGuard } from './upstream-guard.ts';

const seen: string[] = [];
const answer = (request: Request, server: Bun.Server<undefined>) => {
  seen.push(request.headers.get('host') ?? '');
  return server.upgrade(request) ? undefined : new Response('hello');
};
const websocket = { message() {} };
const options = { port: 0, hostname: '127.0.0.1', fetch: answer, websocket };
let plain: Bun.Server<undefined>;
let secure: Bun.Server<undefined>;

beforeAll(() => {
  plain = Bun.serve(options);
  secure = Bun.serve({ ...options, tls: { cert: CERTIFICATE, key: CERTIFICATE_KEY } });
});
afterAll(async () => {
  await Promise.all([plain.stop(true), secure.stop(true)]);
});

const LOOPBACK = ['127.0.0.0/8'].flatMap((text) => {
  const parsed = parseAddressRange(text);
  return parsed.ok ? [parsed.range] : [];
});

/** Each look-up of a name takes the next of these answers. */
function guardOf(answers: readonly string[][], allowed = LOOPBACK): UpstreamGuard {
  const left = [...answers];
  return new UpstreamGuard({
    allowedRanges: allowed,
    deniedRanges: [],
    resolve: async () => left.shift() ?? [],
    ownAddresses: () => [],
    refusalMs: 0,
    certificateAuthorities: [CERTIFICATE],
  });
}

async function get(url: string, guard: UpstreamGuard): Promise<string> {
  const upstream = new HttpUpstream({ proxies: null, guard });
  const timeouts = { ...DEFAULT_TIMEOUTS, connectMs: 60_000 };
  const sent = await upstream.send({ url, method: 'GET', headers: {}, body: null, timeouts, isGuarded: true });
  if (sent instanceof Failure) return sent.kind;
  const bytes = await sent.body.readAll({ limitBytes: 100 });
  return bytes instanceof Failure ? bytes.kind : new TextDecoder().decode(bytes);
}

describe('a guarded request', () => {
  test('goes to the checked address under its name, with the certificate verified', async () => {
    seen.length = 0;
    expect(await get(`http://any.example:${plain.port}/`, guardOf([['127.0.0.1']]))).toBe('hello');
    expect(await get(`https://media.example:${secure.port}/`, guardOf([['127.0.0.1']]))).toBe('hello');
    expect(seen).toEqual([`any.example:${plain.port}`, `media.example:${secure.port}`]);
    expect(await get(`https://other.example:${secure.port}/`, guardOf([['127.0.0.1']]))).toBe('tls_certificate_name');
  });

  test('is checked each time, and one private address closes the name', async () => {
    const guard = guardOf([['127.0.0.1'], ['93.184.215.14', '10.0.0.1'], ['169.254.169.254'], []]);
    const url = `http://any.example:${plain.port}/`;
    const outcomes: string[] = [];
    for (let turn = 0; turn < 4; turn++) outcomes.push(await get(url, guard));
    expect(outcomes).toEqual(['hello', 'address_refused', 'address_refused', 'address_refused']);
  });

  test.each([
    'http://127.0.0.1:1/',
    'http://[::1]:1/',
    'http://[::ffff:10.0.0.1]/',
    'http://0x7f.1/',
    'http://2130706433/',
  ])('%s is refused', async (url) => {
    const guard = guardOf([], []);
    expect([await get(url, guard), await guard.check(url)]).toEqual(['address_refused', 'forbidden']);
  });

  test('also works over a WebSocket', async () => {
    const connect = (guard: UpstreamGuard) =>
      new SocketUpstream(guard).connect({
        url: `wss://media.example:${secure.port}/`,
        ...{ headers: {}, isGuarded: true, timeoutMs: 60_000, signal: new AbortController().signal },
      });
    const open = await connect(guardOf([['127.0.0.1']]));
    expect(open).not.toBeInstanceOf(Failure);
    if (!(open instanceof Failure)) open.close(1000, '');
    expect(await connect(guardOf([['10.0.0.1']]))).toMatchObject({ kind: 'address_refused' });
  });
});
