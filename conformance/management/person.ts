import { expect } from 'bun:test';
import { chatBody } from '../shared/answer.ts';
import { asObject } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Browser, codeOf, type Seen } from './browser.ts';
import { firstToken } from './first-operator.ts';

const PASSWORD = 'correct horse battery staple';

/**
 * A person without a terminal is invited, makes a key and is locked out, with the requests of the page. Each goes to
 * the next of the nodes, which have just been started.
 */
export async function expectPersonalStory(nodes: readonly Serving[]): Promise<void> {
  const [first] = nodes as [Serving];
  const model = /"model":"([^"]+)"/.exec(first.curlLine)?.[1] ?? '';
  const link = await firstToken(first);
  const operator = await welcomed(nodes, link, 'root@example.com');
  /** Waits until every node applies the change: immediately, or later if a busy machine exceeded the time for which a change waits. */
  const inForce = async (seen: Seen) => {
    const isNamed = seen.headers.has('x-switchyard-unconfirmed-nodes');
    if (isNamed) await until('all nodes have the change', () => isInForce(operator));
    return done(seen);
  };
  await inForce(await operator.ask(0, 'POST /accounts', { id: 'acme', balance_usd: '100' }));
  await inForce(await operator.ask(1, `PATCH /models/${encodeURIComponent(model)}`, PRICED));
  const ada = await welcomed(nodes, await invited(operator, 'ada@example.com'), 'ada@example.com');
  const ben = await welcomed(nodes, await invited(ada, 'ben@example.com'), 'ben@example.com');
  await enrolled(ben);

  const key = await inForce(await ben.ask(0, 'POST /keys', { name: 'Mine', limit_usd: '50' }));
  const token = await inForce(await ben.ask(1, 'POST /tokens', { name: 'CI', scopes: ['usage:read'] }));
  const answered = await Promise.all(nodes.map((node) => node.chat(String(key.secret), chatBody(model))));
  expect(answered.map(({ status, json }) => [status, json.error])).toEqual(nodes.map(() => [200, undefined]));
  await sees(ben, nodes.length);

  const rotated = await inForce(await ben.ask(2, `POST /tokens/${token.id}/rotate`, {}));
  expect(await usageWith(nodes, token.secret)).toEqual(nodes.map(() => '401 expired_api_key'));
  expect(await usageWith(nodes, rotated.secret)).toEqual(nodes.map(() => '200'));
  expect(await usageWith(nodes, key.secret)).toEqual(nodes.map(() => '401 invalid_api_key'));

  const { id: userId } = done(await ben.ask(0, 'GET /me'));
  await inForce(await ada.ask(1, `DELETE /keys/${key.id}`));
  await inForce(await ada.ask(2, `DELETE /tokens/${token.id}`));
  await inForce(await ada.ask(0, `DELETE /members/${userId}`));
  for (const [at, node] of nodes.entries()) {
    const { status, json } = await node.chat(String(key.secret), chatBody(model));
    expect([status, asObject(json.error).code]).toEqual([401, 'expired_api_key']);
    expect((await ben.ask(at, 'GET /keys?account_id=acme')).status).toBe(403);
  }
  expect(await usageWith(nodes, rotated.secret)).toEqual(nodes.map(() => '401 expired_api_key'));
  await told(operator);
}

const PRICED = { pricing: { input_per_1m: '1', output_per_1m: '1' } };

function done({ status, json }: Seen): Readonly<Record<string, unknown>> {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(json)}`);
  return json;
}

async function isInForce(operator: Browser): Promise<boolean> {
  const { nodes } = done(await operator.ask(0, 'GET /system'));
  return (nodes as { is_current: boolean }[]).every(({ is_current }) => is_current);
}

/** Accepts an invitation at one node and signs in at the next. */
async function welcomed(nodes: readonly Serving[], token: string, email: string): Promise<Browser> {
  const browser = new Browser(nodes);
  done(await browser.ask(0, 'POST /invitations/accept', { token, email, name: email, password: PASSWORD }));
  expect(
    (await browser.ask(1, 'POST /invitations/accept', { token, email, name: email, password: PASSWORD })).status,
  ).toBe(404);
  done(await browser.ask(1, 'POST /auth/sign-in/email', { email, password: PASSWORD }));
  expect(done(await browser.ask(2, 'GET /me')).email).toBe(email);
  expect(done(await browser.ask(0, 'GET /sign-in-options')).signed_in).toBe(true);
  return browser;
}

async function invited(by: Browser, email: string): Promise<string> {
  const { link } = done(await by.ask(2, 'POST /invitations?account_id=acme', { email, role: 'owner' }));
  return String(link).split('#')[1] ?? '';
}

/** Sets up an authenticator, signs out, and comes back in with password and code. */
async function enrolled(browser: Browser): Promise<void> {
  const { totpURI } = done(await browser.ask(0, 'POST /auth/two-factor/enable', { password: PASSWORD }));
  done(await browser.ask(1, 'POST /auth/two-factor/verify-totp', { code: codeOf(String(totpURI)) }));
  const { email } = done(await browser.ask(2, 'GET /me'));
  done(await browser.ask(2, 'POST /auth/sign-out', {}));
  expect((await browser.ask(0, 'GET /me')).status).toBe(401);
  const half = done(await browser.ask(0, 'POST /auth/sign-in/email', { email, password: PASSWORD }));
  expect(half.twoFactorRedirect).toBe(true);
  expect((await browser.ask(1, 'GET /keys')).status).toBe(401);
  done(await browser.ask(1, 'POST /auth/two-factor/verify-totp', { code: codeOf(String(totpURI), 1) }));
}

/** Checks that every view shows the same cost of the requests. */
async function sees(browser: Browser, requests: number): Promise<void> {
  const from = new Date(Math.floor(Date.now() / 3_600_000 - 1) * 3_600_000).toISOString();
  const to = new Date(Math.ceil(Date.now() / 3_600_000 + 1) * 3_600_000).toISOString();
  const logged = async () => done(await browser.ask(1, 'GET /requests')).data as { cost_usd: string }[];
  await until('the requests are in the log', async () => (await logged()).length === requests);
  for (const { cost_usd } of await logged()) expect(Number(cost_usd)).toBeGreaterThan(0);
  const { data } = done(await browser.ask(0, 'GET /ledger?kind=charge'));
  const charged = (data as { amount_usd: string }[]).map(({ amount_usd }) => Number(amount_usd));
  expect(charged).toHaveLength(requests);
  const cost = -charged.reduce((sum, one) => sum + one, 0);
  expect(cost).toBeGreaterThan(0);
  const { total } = done(await browser.ask(1, `GET /usage?from=${from}&to=${to}`));
  expect(Number(asObject(total).cost_usd)).toBeCloseTo(cost, 9);
  const [key] = done(await browser.ask(2, 'GET /keys')).data as { spent_usd: string }[];
  expect(Number(key?.spent_usd)).toBeCloseTo(cost, 9);
  const { balance_usd } = done(await browser.ask(0, 'GET /balance'));
  expect(Number(balance_usd)).toBeCloseTo(100 - cost, 9);
}

/** Resolves to each node's response to a usage request with this secret; the nodes are asked concurrently. */
function usageWith(nodes: readonly Serving[], secret: unknown): Promise<string[]> {
  return Promise.all(
    nodes.map(async ({ baseUrl }) => {
      const headers = { authorization: `Bearer ${secret}` };
      const answer = await fetch(`${baseUrl}/management/usage?from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00Z`, {
        headers,
      });
      const { error } = asObject(await answer.json());
      return error === undefined ? String(answer.status) : `${answer.status} ${asObject(error).code}`;
    }),
  );
}

/** Checks that the audit log has every action with its actor. */
async function told(operator: Browser): Promise<void> {
  const { data } = done(await operator.ask(0, 'GET /audit?order=oldest&limit=200&account_id=acme'));
  const told = (data as { action: string; actor: { name: string } }[]).map(
    ({ action, actor }) => `${actor.name} ${action}`,
  );
  for (const line of [
    'root@example.com account.create',
    'ben@example.com key.create',
    'ben@example.com token.rotate',
    'ada@example.com key.revoke',
    'ada@example.com token.revoke',
  ]) {
    expect(told).toContain(line);
  }
}
