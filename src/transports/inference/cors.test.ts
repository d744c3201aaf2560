import { describe, expect, test } from 'bun:test';
import { Cors, type CorsOrigins } from './cors.ts';

const connections = { timeout: () => undefined, upgrade: () => false, requestIP: () => null };
const APP = 'https://app.example.com';

async function ask(origins: CorsOrigins, headers: Record<string, string>, method = 'POST') {
  const handler = new Cors(origins).around(
    async () => new Response('made', { status: 401, headers: { vary: 'accept' } }),
  );
  const answer = await handler(new Request('http://gateway/v1/messages', { method, headers }), connections);
  const names = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'];
  return { status: answer.status, headers: answer.headers, values: names.map((name) => answer.headers.get(name)) };
}

test('a page can read a response of any status', async () => {
  expect((await ask('*', { origin: APP })).values).toEqual(['*', '*', 'accept']);
  expect((await ask('*', { origin: 'null' })).values).toEqual(['*', '*', 'accept']);
  expect((await ask(new Set([APP]), { origin: APP })).values).toEqual([APP, '*', 'accept, origin']);
});

test.each<[string, CorsOrigins, Record<string, string>]>([
  ['another origin', new Set([APP]), { origin: 'https://evil.example' }],
  ['an origin that begins alike', new Set([APP]), { origin: `${APP}.evil.example` }],
  ['none is allowed', new Set(), { origin: APP }],
  ['no page', '*', {}],
])('nothing is said where the request is of %s', async (_what, origins, headers) => {
  const { status, headers: said } = await ask(origins, headers);
  expect([status, [...said.keys()].filter((name) => name.startsWith('access-control'))]).toEqual([401, []]);
});

describe('a preflight', () => {
  const preflight = (asked: string, origin = APP, origins: CorsOrigins = '*') =>
    ask(
      origins,
      { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': asked },
      'OPTIONS',
    );

  test('allows the headers of SDKs, without credentials', async () => {
    const sdk =
      'anthropic-dangerous-direct-browser-access,anthropic-version,authorization,content-type,openai-organization,x-api-key,x-goog-api-client,x-stainless-retry-count';
    const { status, headers } = await preflight(sdk);
    expect([status, headers.get('access-control-allow-headers')]).toEqual([204, sdk.replaceAll(',', ', ')]);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-methods')).toContain('POST');
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });

  test('leaves out proxy headers and invalid names', async () => {
    const { headers } = await preflight('X-Forwarded-For, x-real-ip, cookie, x-trace, a b, x-é');
    expect(headers.get('access-control-allow-headers')).toBe('x-trace');
  });

  test('from another origin is treated as any OPTIONS request', async () => {
    expect((await preflight('authorization', 'https://evil.example', new Set([APP]))).status).toBe(401);
  });

  test('needs more than the method OPTIONS', async () => {
    expect((await ask('*', { origin: APP }, 'OPTIONS')).status).toBe(401);
  });
});
