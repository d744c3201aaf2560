import { afterAll, expect, test } from 'bun:test';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';
import { firstToken } from './first-operator.ts';

/* A proxy serves the gateway below a path. */

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

async function open(server: object): Promise<void> {
  await space?.remove();
  cookie = '';
  space = await Workspace.create();
  const accounts = [{ id: 'halyard', name: 'Halyard Robotics' }];
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', { server, accounts });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
}

afterAll(() => space?.remove());

/** Joins by the printed link, and signs in. */
async function signIn(): Promise<void> {
  const person = { token: await firstToken(serving), email: 'op@example.com', name: 'Op', password: PASSWORD };
  expect((await ask('POST /invitations/accept', person)).status).toBe(201);
  expect((await ask('POST /auth/sign-in/email', { email: 'op@example.com', password: PASSWORD })).status).toBe(200);
}

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

test('sign-in, base URLs and links keep the path that a trusted proxy announces', async () => {
  await open({ trusted_proxies: ['127.0.0.1/32', '::1/128'] });
  await signIn();
  expect((await ask('GET /me')).body).toMatchObject({
    public_url: null,
    base_urls: { openai: `${ADDRESS}/v1`, anthropic: ADDRESS, gemini: ADDRESS },
  });
  const { body: made } = await ask('POST /invitations?account_id=halyard', { role: 'member' });
  expect(made).toMatchObject({ account: 'halyard', account_name: 'Halyard Robotics' });
  expect(made.link).toStartWith(`${ADDRESS}/welcome#`);
  const { body: seen } = await ask('POST /invitations/lookup', { token: made.link.split('#')[1] });
  expect(seen).toMatchObject({ purpose: 'join', account_name: 'Halyard Robotics' });
  for (const prefix of ['//evil.example', '/../x', 'https://evil.example']) {
    const { body } = await ask('GET /sign-in-options', undefined, { ...PROXIED, 'x-forwarded-prefix': prefix });
    expect(body.base_urls.anthropic).toBe('https://ai.example.com');
  }
});

test('a configured address comes first', async () => {
  await open({ trusted_proxies: ['127.0.0.1/32', '::1/128'], public_url: 'https://ai.example.com/other' });
  await signIn();
  const { body } = await ask('GET /me');
  expect(body).toMatchObject({
    public_url: 'https://ai.example.com/other',
    base_urls: { openai: 'https://ai.example.com/other/v1' },
  });
  const { body: made } = await ask('POST /invitations?account_id=halyard', { role: 'member' });
  expect(made.link).toStartWith('https://ai.example.com/other/welcome#');
});
