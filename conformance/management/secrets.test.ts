import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';
import { Browser, codeOf } from './browser.ts';
import { pathOf, ROUTES } from './routes.ts';

/*
 * Every operation with a secret runs once, also with wrong input. Afterwards no secret may be in the data folder, the gateway's output or
 * any readable response, neither in plain text nor in common encodings.
 */

const OPERATOR_TOKEN = 'mt-operator-of-the-search-0000000001';
const METRICS_TOKEN = 'metrics-token-of-the-search-000001';
const MAIL_PASSWORD = 'mail-password-of-the-search';
const PROVIDER_KEY = 'sk-provider-key-of-the-search-000001';
const OTHER_KEY = 'sk-other-provider-key-of-the-search-1';
const PRIVATE_KEY = 'private-key-of-the-search-0000000001';
const PASSWORD = 'password of the search 1';
const NEW_PASSWORD = 'password of the search 2';
const WRONG_PASSWORD = 'wrong password of the search';

let space: Workspace;
let serving: Serving;
/** The secrets that must not be found, by name. */
const secrets = new Map<string, string>(
  Object.entries({
    OPERATOR_TOKEN,
    METRICS_TOKEN,
    MAIL_PASSWORD,
    PROVIDER_KEY,
    OTHER_KEY,
    PRIVATE_KEY,
    PASSWORD,
    NEW_PASSWORD,
  }),
);
secrets.set('wrong password', WRONG_PASSWORD);

beforeAll(async () => {
  space = await Workspace.create();
  const file = await space.write('switchyard.yaml', {
    sandbox: true,
    server: { metrics_token: METRICS_TOKEN },
    mail: { smtp_url: `smtp://user:${MAIL_PASSWORD}@127.0.0.1:1`, from: 'ai@example.com' },
    accounts: [
      {
        ...{ id: 'house', admin: true, billing: 'unlimited', keys: [] },
        management_tokens: [{ id: 'ops', name: 'Ops', secret: OPERATOR_TOKEN }],
      },
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG: file, LOG_LEVEL: 'debug' } });
}, 600_000);

afterAll(() => space.remove());

/** Sends a request with the operators' token. */
async function ask(line: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const [method = 'GET', where = ''] = line.split(' ');
  const answer = await fetch(`${serving.origin}${where.startsWith('/v1/') ? where : `/v1/management${where}`}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type') === 'application/json' && text !== '';
  return { status: answer.status, text, json: isJson ? JSON.parse(text) : {} };
}

function keep(name: string, secret: unknown): string {
  if (typeof secret !== 'string' || secret.length < 8)
    throw new Error(`There is no ${name}: ${JSON.stringify(secret)}`);
  secrets.set(name, secret);
  return secret;
}

async function credentials(): Promise<void> {
  await ask('POST /accounts', { id: 'acme', balance_usd: '5' });
  const once = (key: string) => ({ 'idempotency-key': key });
  for (const kind of ['keys', 'tokens']) {
    const body = kind === 'tokens' ? { scopes: ['usage:read'] } : {};
    const { json } = await ask(`POST /${kind}?account_id=acme`, body, once(`make-${kind}`));
    keep(`${kind}: first`, json.secret);
    const rotated = await ask(
      `POST /${kind}/${json.id}/rotate?account_id=acme`,
      { grace_seconds: 60 },
      once(`rotate-${kind}`),
    );
    keep(`${kind}: rotated`, rotated.json.secret);
    await ask(`GET /requests?account_id=acme&nonsense=${json.secret}`, undefined, {
      authorization: `Bearer ${json.secret}`,
    });
    await ask('POST /v1/chat/completions', { model: 'x' }, { authorization: `Bearer ${rotated.json.secret}` });
  }
}

async function channelsAndHooks(): Promise<void> {
  const channel = { id: 'own', provider: 'openai', api_key: PROVIDER_KEY, models: ['gpt-5-mini'] };
  expect((await ask('POST /channels', channel, { 'idempotency-key': 'channel' })).status).toBe(201);
  expect((await ask('PATCH /channels/own', { api_key: OTHER_KEY })).status).toBe(200);
  const wrong = [
    { api_key: [PROVIDER_KEY] },
    { api_key: `${PROVIDER_KEY}\n` },
    { apikey: PROVIDER_KEY },
    { provider: PROVIDER_KEY },
  ];
  for (const one of wrong) {
    const { status, text } = await ask('POST /channels', { ...channel, id: 'wrong', ...one });
    expect([status, text.includes(PROVIDER_KEY)]).toEqual([400, false]);
  }
  await credentialsFiles();
  const hook = await ask('POST /alerts/webhooks', { url: 'https://hooks.example.com/a/hook-secret-of-the-search' });
  keep('webhook secret', hook.json.secret);
  keep('webhook secret, rotated', (await ask(`POST /alerts/webhooks/${hook.json.id}/rotate-secret`)).json.secret);
  secrets.set('webhook address', 'hook-secret-of-the-search');
}

/** A service account as Google issues it, with line breaks and as JSON, and a broken one. */
async function credentialsFiles(): Promise<void> {
  const file = { type: 'service_account', private_key: `-----BEGIN PRIVATE KEY-----\n${PRIVATE_KEY}\n` };
  const text = JSON.stringify(file, null, 2);
  const channel = {
    id: 'vertex',
    provider: 'vertex',
    settings: { project: 'a-project' },
    models: ['gemini-2.5-flash'],
  };
  const made = await ask('POST /channels', { ...channel, api_key: text });
  expect([made.status, made.json.api_key_preview]).toEqual([201, '{…}']);
  expect((await ask('PATCH /channels/vertex', { api_key: file })).status).toBe(200);
  expect((await ask('PATCH /channels/vertex', { weight: 2 })).status).toBe(200);
  for (const [provider, key] of [
    ['vertex', text.slice(0, -4)],
    ['openai', text],
    ['openai', file],
  ]) {
    const refused = await ask('POST /channels', { ...channel, id: 'wrong', settings: {}, provider, api_key: key });
    expect([refused.status, refused.text.includes(PRIVATE_KEY)]).toEqual([400, false]);
    expect(refused.text).toContain('api_key');
  }
}

/** From the printed link to backup codes, a new password and a new device. */
async function people(): Promise<Browser[]> {
  const first = new Browser([serving]);
  const printed = /\/welcome#(\w{40})/.exec(serving.stdout)?.[1] ?? '';
  const tokenIn = (link: unknown) => keep(`link ${secrets.size}`, String(link).split('#')[1]);
  const accept = { token: printed, email: 'root@example.com', name: 'Root', password: PASSWORD };
  expect((await first.ask(0, 'POST /invitations/accept', accept)).status).toBe(201);
  await first.ask(0, 'POST /auth/sign-in/email', { email: 'root@example.com', password: WRONG_PASSWORD });
  await first.ask(0, 'POST /auth/sign-in/email', { email: WRONG_PASSWORD, password: PASSWORD });
  await first.ask(0, 'POST /auth/sign-in/email', { email: 'root@example.com', password: PASSWORD });
  const { json: factor } = await first.ask(0, 'POST /auth/two-factor/enable', { password: PASSWORD });
  const uri = String(factor.totpURI);
  keep('TOTP', new URL(uri).searchParams.get('secret'));
  for (const [at, code] of (factor.backupCodes as string[]).entries()) keep(`backup code ${at}`, code);
  expect((await first.ask(0, 'POST /auth/two-factor/verify-totp', { code: codeOf(uri) })).status).toBe(200);
  const invited = await first.ask(0, 'POST /invitations?account_id=acme', { email: 'ann@example.com' });
  tokenIn(invited.json.link);
  const ann = new Browser([serving]);
  const { link } = invited.json;
  const joined = { token: String(link).split('#')[1], name: 'Ann', password: PASSWORD };
  const { json: user } = await ann.ask(0, 'POST /invitations/accept', joined);
  await ann.ask(0, 'POST /invitations/accept', joined);
  tokenIn((await ask(`POST /users/${user.id}/reset-link`)).json.link);
  const reset = [...secrets.values()].at(-1);
  await ann.ask(0, 'POST /password-resets/accept', { token: reset, password: 'short' });
  expect((await ann.ask(0, 'POST /password-resets/accept', { token: reset, password: NEW_PASSWORD })).status).toBe(204);
  await ann.ask(0, 'POST /auth/sign-in/email', { email: 'ann@example.com', password: NEW_PASSWORD });
  for (const browser of [first, ann])
    for (const cookie of browser.secrets) if (cookie.length > 30) keep(`cookie ${secrets.size}`, cookie.split('.')[0]);
  return [first, ann];
}

/** Returns the responses of all routes that only read. */
async function allThatCanBeRead(browsers: readonly Browser[]): Promise<string> {
  const texts: string[] = [];
  // A live view never ends, and the list contains the same data.
  const lists = ROUTES.filter(({ method, operationId }) => method === 'get' && operationId !== 'watchRequests');
  for (const route of lists) {
    const place = pathOf(route, { id: 'own' }).slice('/v1/management'.length);
    for (const query of ['', '?account_id=acme']) {
      texts.push((await ask(`GET ${place}${query}`)).text);
      if (route.operationId === 'exportAudit') continue;
      for (const browser of browsers) texts.push(JSON.stringify((await browser.ask(0, `GET ${place}${query}`)).json));
    }
  }
  const metrics = await fetch(`${serving.origin}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  expect(metrics.status).toBe(200);
  return [...texts, await metrics.text()].join('\n');
}

async function filesIn(folder: string): Promise<readonly (readonly [string, Buffer])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ parentPath, name }) => [name, await readFile(path.join(parentPath, name))] as const),
  );
}

/** Returns the secret in plain text, base64, hex and URL encoding. */
function forms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64').replace(/.{0,4}$/, '');
  return [...new Set([secret, base64, bytes.toString('hex'), encodeURIComponent(secret)])];
}

test('no secret is in files, logs, answers and metrics', async () => {
  await credentials();
  await channelsAndHooks();
  const browsers = await people();
  const answers = await allThatCanBeRead(browsers);
  const places: (readonly [string, Buffer])[] = [
    ['answers', Buffer.from(answers)],
    ['stderr', Buffer.from(serving.stderr)],
    ...(await filesIn(space.data)),
  ];
  expect(places.length).toBeGreaterThan(2);
  // Proves that the search works: it finds a value that is not a secret.
  for (const place of ['answers', 'switchyard.sqlite'])
    expect(places.some(([name, content]) => name.startsWith(place) && content.includes('ann@example.com'))).toBe(true);
  const found: string[] = [];
  for (const [name, secret] of secrets) {
    for (const form of forms(secret)) {
      for (const [place, content] of places) if (content.includes(form)) found.push(`${name} in ${place}`);
    }
  }
  expect(found).toEqual([]);
}, 600_000);
