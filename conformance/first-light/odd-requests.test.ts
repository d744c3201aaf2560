import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rawRequest } from '../shared/answer.ts';
import { asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';

/* Requests that no client library sends: the gateway answers as far as possible, and does not print their content. */

const SECRET = 'sk-secret-in-an-address';
let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  serving = await space.serve();
});
afterAll(() => space.remove());

const NONE = '(none)';
const PATHS = [
  ['GET', '/v1beta/models'],
  ['GET', '/v1beta/models/x'],
  ['POST', '/v1beta/models/x:generateContent'],
  ['GET', '/v1/models'],
  ['GET', '/v1/models/x'],
  ['GET', '/v1/pricing'],
  ['POST', '/v1/chat/completions'],
  ['GET', '/v1/chat/completions'],
  ['POST', '/v1/messages'],
  ['GET', '/v1/messages'],
  ['GET', '/v1/responses/resp_1'],
  ['GET', '/v1/responses/resp_1/input_items'],
  ['DELETE', '/v1/responses/resp_1'],
  ['GET', '/healthz'],
  ['GET', '/nothing'],
  ['GET', '//v1/models'],
  ['GET', '/v1/models/%00'],
  ['GET', '/v1/models/%zz%ff'],
  ['OPTIONS', '/v1/messages'],
  ['PROPFIND', '/v1/messages'],
] as const;
const HOSTS = [
  'Host: a b[c',
  'Host: [::::',
  'Host: a:b',
  'Host: %%%',
  'Host: u:p@a',
  'Host: a\r\nHost: b',
  'Host: ',
  NONE,
];
const BODY = '{"model": "m"}';

const requestOf = (method: string, path: string, host: string) =>
  `${method} ${path}?key=${SECRET} HTTP/1.${host === NONE ? 0 : 1}\r\n${host === NONE ? '' : `${host}\r\n`}` +
  `content-type: application/json\r\nconnection: close\r\ncontent-length: ${method === 'POST' ? BODY.length : 0}\r\n\r\n${method === 'POST' ? BODY : ''}`;

test.each(PATHS)('%s %s with an invalid host, or with none', async (method, path) => {
  for (const host of HOSTS) {
    const { status, body, headers } = await rawRequest(serving.port, requestOf(method, path, host));
    const isAllowed = host === 'Host: ' || host === NONE;
    if (isAllowed) expect([host, [200, 401, 404, 405].includes(status)]).toEqual([host, true]);
    else expect([host, status]).toEqual([host, 400]);
    expect(headers).toContain('x-request-id');
    if (!path.startsWith('/healthz') || !isAllowed)
      expect(asObject(asObject(parseJson(body)).error).message).toBeString();
    expect(body).not.toMatch(/secret-in|\.ts|at [^.]*:\d+:\d+/);
  }
});

test.each([
  [
    'an absolute URL',
    `GET http://other.example/v1beta/models?key=${SECRET} HTTP/1.1\r\nHost: a\r\nconnection: close\r\n\r\n`,
    401,
  ],
  ['a long URL', `GET /v1beta/models?key=${SECRET}${'a'.repeat(30_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ['a long header', `GET /v1/models HTTP/1.1\r\nHost: a\r\nx: ${'a'.repeat(70_000)}\r\n\r\n`, 431],
  ['no HTTP', `${SECRET}\r\n\r\n`, 400],
])('%s', async (_what, text, expected) => {
  const { status, body } = await rawRequest(serving.port, text);
  expect(status).toBe(expected);
  expect(body).not.toContain(SECRET);
});

test('none of their content was printed', async () => {
  // Once it has stopped, everything has been written.
  await serving.stop();
  expect(serving.stdout + serving.stderr).not.toContain(SECRET);
  expect(serving.stderr).toBe('');
  expect(await space.dataFilesWith(SECRET)).toEqual([]);
});
