import { expect, test } from 'bun:test';
import { Guard } from './guard.ts';
import type { RouteHandler } from './route.ts';

const connections = { timeout: () => undefined, upgrade: () => false, requestIP: () => null };

function guarding(handler: RouteHandler) {
  const lines: string[] = [];
  const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const guard = new Guard({
    newRequestId: () => 'req_1',
    logger: { debug: note, info: note, warn: note, error: note },
  });
  const ask = (path: string, headers: Record<string, string> = {}) =>
    guard.around(handler)(new Request(`http://gateway${path}`, { headers }), connections);
  return { guard, ask, lines };
}

const ENVELOPES = [
  ['/v1/chat/completions', {}, { error: { code: 'internal_error', type: 'internal_error' } }],
  ['/v1/responses/resp_1', {}, { error: { code: 'internal_error' } }],
  ['/v1/messages', {}, { type: 'error', error: { type: 'api_error' } }],
  ['/v1beta/models/x:generateContent', {}, { error: { code: 500, status: 'INTERNAL' } }],
  ['/v1/models', { 'anthropic-version': '2023-06-01' }, { type: 'error' }],
  ['/v1/models/x', { 'x-goog-api-key': 'k' }, { error: { code: 500 } }],
  ['/metrics', {}, { error: { code: 'internal_error' } }],
] as const;

const broken = () => new Error('cannot read http://gateway/v1beta/models?key=sk-secret-of-a-client');
const WAYS: readonly (readonly [string, RouteHandler])[] = [
  [
    'thrown',
    () => {
      throw broken();
    },
  ],
  ['rejected', () => Promise.reject(broken())],
];

test.each(WAYS.flatMap(([way, handler]) => ENVELOPES.map((one) => [way, ...one, handler] as const)))(
  'an exception that is %s at %s',
  async (_way, path, headers, envelope, handler) => {
    const { ask, lines } = guarding(handler);
    const answer = await ask(`${path}?key=sk-secret-of-a-client`, headers);
    const text = await answer.text();
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([500, 'req_1']);
    expect(JSON.parse(text)).toMatchObject(envelope);
    expect(lines).toHaveLength(1);
    expect(text + lines).not.toContain('secret-of-a-client');
    expect(text).not.toContain('.ts');
  },
);

test('an error outside of any route has an envelope too', async () => {
  const { guard } = guarding(() => new Response());
  const answer = guard.lastResort(broken());
  expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
    500,
    'internal_error',
  ]);
});

test.each([
  'a',
  'A.example:80',
  '127.0.0.1:8787',
  '[::1]:8787',
  '[::ffff:127.0.0.1]',
  'under_score',
  'xn--bcher-kva.example',
  '',
])('the host %p is one', async (host) => {
  expect((await guarding(() => new Response('fine')).ask('/v1/models', { host })).status).toBe(200);
});

test.each([
  'a, b',
  'a, a',
  'user:pass@a',
  'a/b',
  'a b',
  'a:b',
  'a:123456',
  '[::::/v1',
  '%%% ',
  'a?key=sk-x',
  'a'.repeat(256),
])('the host %p is none', async (host) => {
  const answer = await guarding(() => new Response('fine')).ask('/v1/messages', { host });
  expect([answer.status, await answer.json()]).toMatchObject([400, { type: 'error' }]);
});
