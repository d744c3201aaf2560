import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type Gateway, startGatewayWith } from './shared/gateway.ts';
import { asObject } from './shared/json.ts';

/* A mail counts before it is sent, whether or not it arrives, so the limits can be tested without a mail server. */

setDefaultTimeout(600_000);

const TOKEN = 'mt-operator-of-the-mails-0000001';
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGatewayWith([], {
    sandbox: true,
    server: { public_url: 'https://ai.example.com' },
    // Nothing listens on this port.
    mail: { smtp_url: 'smtp://127.0.0.1:1', from: 'gate@example.com', max_per_recipient_per_hour: 2, max_per_hour: 5 },
    accounts: [{ id: 'house', admin: true, management_tokens: [{ id: 'ops', secret: TOKEN }] }],
  });
});
afterAll(() => gateway.stop());

async function post(path: string, body: object) {
  const answer = await fetch(`${gateway.origin}/v1/management/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json = asObject(await answer.json());
  const { code, param } = asObject(json.error ?? {});
  return { told: [answer.status, code, param], retryAfter: Number(answer.headers.get('retry-after') ?? 0), json };
}

test('invitations and password links get the same 429, whether or not the address is known', async () => {
  for (const email of ['ann@example.com', 'ANN@example.com']) {
    expect((await post('invitations?account_id=house', { email })).told[0]).toBe(201);
  }
  const REFUSED = [429, 'rate_limit_exceeded', 'email'];
  const third = await post('invitations?account_id=house', { email: 'ann@example.com' });
  expect(third.told).toEqual(REFUSED);
  expect(third.retryAfter).toBeGreaterThan(3_000);
  expect((await post('password-resets', { email: 'ann@example.com' })).told).toEqual(REFUSED);
  for (const status of [202, 202, 429]) {
    expect((await post('password-resets', { email: 'nobody@example.com' })).told[0]).toBe(status);
  }
  const invitations = await fetch(`${gateway.origin}/v1/management/invitations`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const made = asObject(await invitations.json()).data as readonly { readonly email: string | null }[];
  expect(made.filter(({ email }) => email !== null)).toHaveLength(2);
});
