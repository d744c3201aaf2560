import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Gateway, MANAGEMENT_TOKEN, startGatewayWith } from '../shared/gateway.ts';
import { TestClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';

const PER_MINUTE = 5;
const ANONYMOUS_PER_MINUTE = 20;
const IN_FLIGHT = 3;

let gateway: Gateway;
const clock = new TestClock();

beforeAll(async () => {
  const server = {
    management_requests_per_minute: PER_MINUTE,
    anonymous_requests_per_minute: ANONYMOUS_PER_MINUTE,
    anonymous_requests_in_flight: IN_FLIGHT,
    // So that a test can send requests from several addresses.
    trusted_proxies: ['127.0.0.0/8', '::1/128'],
  };
  gateway = await startGatewayWith([], { sandbox: true, server }, {}, { clock });
});
afterAll(() => gateway.stop());

async function ask(path: string, headers: Readonly<Record<string, string>>, method = 'GET') {
  const body = method === 'POST' ? { body: '{}' } : {};
  const answer = await fetch(`${gateway.origin}${path}`, { method, headers, ...body });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  const error = isJson ? JSON.parse(text).error : undefined;
  return { status: answer.status, code: error?.code, wait: answer.headers.get('retry-after') };
}

const REFUSED = { status: 429, code: 'rate_limit_exceeded' };
const LIMITS = '/v1/management/limits?account_id=conformance';

test('Retry-After gives the time until a token may send its next request', async () => {
  const asToken = { authorization: `Bearer ${MANAGEMENT_TOKEN}` };
  for (let index = 0; index < PER_MINUTE; index++) expect((await ask(LIMITS, asToken)).status).toBe(200);
  clock.advance(18_000);
  expect(await ask(LIMITS, asToken)).toEqual({ ...REFUSED, wait: '42' });
  clock.advance(41_999);
  expect(await ask(LIMITS, asToken)).toEqual({ ...REFUSED, wait: '1' });
  clock.advance(1);
  expect((await ask(LIMITS, asToken)).status).toBe(200);
});

test('requests without a session, sign-in included, are limited per address', async () => {
  const from = (address: string) => ({ 'x-forwarded-for': address, 'content-type': 'application/json' });
  const office = from('203.0.113.7');
  const open = [
    ['/v1/management/sign-in-options', 'GET', 200],
    ['/v1/management/invitations/lookup', 'POST', 400],
    ['/v1/management/auth/sign-in/email', 'POST', 403],
    [LIMITS, 'GET', 401],
  ] as const;
  for (let round = 0; round < ANONYMOUS_PER_MINUTE / open.length; round++) {
    for (const [path, method, status] of open) expect((await ask(path, office, method)).status).toBe(status);
  }
  for (const [path, method] of open) expect(await ask(path, office, method)).toEqual({ ...REFUSED, wait: '60' });
  expect((await ask('/v1/management/sign-in-options', from('203.0.113.8'))).status).toBe(200);
  clock.advance(60_000);
  expect((await ask('/v1/management/sign-in-options', office)).status).toBe(200);
});

test('public routes limit the requests in flight of an address', async () => {
  const stranger = { 'x-forwarded-for': '198.51.100.1' };
  // Responses that the client has read hold no slot.
  for (let index = 0; index < 3 * IN_FLIGHT; index++) expect((await ask('/docs', stranger)).status).toBe(200);
  const { hostname, port, host } = new URL(gateway.origin);
  const head = [
    'POST /v1/management/auth/sign-in/email HTTP/1.1',
    `Host: ${host}`,
    `Origin: ${gateway.origin}`,
    'X-Forwarded-For: 198.51.100.1',
    'Content-Type: application/json',
    'Content-Length: 100',
  ];
  const open = () =>
    Bun.connect({
      hostname,
      port: Number(port),
      socket: { open: (one) => void one.write(`${head.join('\r\n')}\r\n\r\n`), data() {} },
    });
  const connections = await Promise.all(Array.from({ length: IN_FLIGHT }, open));
  for (const path of ['/docs', '/dashboard', '/openapi.json', '/nothing/here']) {
    await until(`${path} is refused`, async () => (await ask(path, stranger)).status === 429);
    expect(await ask(path, stranger)).toEqual({ ...REFUSED, wait: '1' });
    expect((await ask(path, { 'x-forwarded-for': '198.51.100.2' })).status).not.toBe(429);
  }
  for (const connection of connections) connection.terminate();
  await until('the slots are free', async () => (await ask('/docs', stranger)).status === 200);
});
