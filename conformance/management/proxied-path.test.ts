import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

/* A trusted proxy serves the gateway below a path, and announces it. */

const PASSWORD = 'correct horse battery';
const PROXIED = {
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'ai.example.com',
  'x-forwarded-prefix': '/llm',
  origin: 'https://ai.example.com',
  'content-type': 'application/json',
};
const ADDRESS = 'https://ai.example.com/llm';

let space: Workspace;
let serving: Serving;
let cookie = '';

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    server: { trusted_proxies: ['127.0.0.1/32', '::1/128'] },
    accounts: [{ id: 'halyard', name: 'Halyard Robotics' }],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});
afterAll(() => space.remove());

async function ask(line: string, body?: object, headers: Readonly<Record<string, string>> = PROXIED) {
  const [method = 'GET', path = ''] = line.split(' ');
  const answer = await fetch(`${serving.origin}/v1/management${path}`, {
    method,
    headers: { ...headers, ...(cookie !== '' && { cookie }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const set = answer.headers.getSetCookie().map((one) => one.split(';')[0]);
  if (set.length > 0) cookie = set.join('; ');
  return { status: answer.status, body: (await answer.json()) as any };
}

test('sign-in, base URLs and links keep the path', async () => {
  await until('the link is printed', () => /\/welcome#(\w+)\s/.test(serving.stdout));
  const token = /\/welcome#(\w+)\s/.exec(serving.stdout)?.[1];
  const person = { token, email: 'op@example.com', name: 'Op', password: PASSWORD };
  expect((await ask('POST /invitations/accept', person)).status).toBe(201);
  expect((await ask('POST /auth/sign-in/email', { email: 'op@example.com', password: PASSWORD })).status).toBe(200);
  expect((await ask('GET /me')).body).toMatchObject({
    public_url: null,
    base_urls: { openai: `${ADDRESS}/v1`, anthropic: ADDRESS, gemini: ADDRESS },
  });
  const { body: made } = await ask('POST /invitations?account_id=halyard', { role: 'member' });
  expect(made).toMatchObject({ account: 'halyard', account_name: 'Halyard Robotics' });
  expect(made.link).toStartWith(`${ADDRESS}/welcome#`);
  const { body: seen } = await ask('POST /invitations/lookup', { token: made.link.split('#')[1] });
  expect(seen).toMatchObject({ purpose: 'join', account_name: 'Halyard Robotics' });
});

test('an invalid path is left out', async () => {
  for (const prefix of ['//evil.example', '/../x', 'https://evil.example']) {
    const { body } = await ask('GET /sign-in-options', undefined, { ...PROXIED, 'x-forwarded-prefix': prefix });
    expect(body.base_urls.anthropic).toBe('https://ai.example.com');
  }
});
