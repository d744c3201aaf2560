import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { SETTING_CLASSES } from '../../src/engine/admin/settings/classes.ts';
import { asObject } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { RunningClock } from '../shared/test-clock.ts';
import { Workspace } from '../shared/workspace.ts';
import { Browser, codeOf, type Seen } from './browser.ts';
import { OPERATOR_PASSWORD as PASSWORD, signUpOperator } from './first-operator.ts';

/*
 * Settings on which the gateway's trust depends: no token can change them, and an operator only after using a
 * second factor recently.
 */

setDefaultTimeout(600_000);

const TOKEN = 'mt-operator-of-the-anchors-000001';
const TEN_MINUTES = 600_000;

/** A value of each anchor, in the form of the configuration file. */
const ANCHORS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  server: { trusted_proxies: ['10.0.0.0/8'], cors_origins: [], public_url: 'https://evil.example' },
  media: { allow_http: true, allowed_ranges: ['10.0.0.0/8'], denied_ranges: ['8.8.8.8'] },
  cache: { encrypt: false, shared: true },
  retention: { audit_days: 1 },
  usage: { end_users: 'plain' },
  sign_in: { registration: 'open', require_two_factor: 'all', session_hours: 720, invitation_days: 90 },
  mail: { smtp_url: 'smtp://evil.example', from: 'gateway@evil.example' },
  branding: { support_address: 'help@evil.example' },
  telemetry: { 'traces.client_address': true, 'traces.tags': true, 'traces.content_accounts': ['house'] },
};
const EACH = Object.entries(ANCHORS).flatMap(([section, fields]) =>
  Object.entries(fields).map(([field, value]) => [`${section}.${field}`, { [section]: { [field]: value } }] as const),
);

let space: Workspace;
let serving: Serving;
let operator: Browser;
let backupCodes: string[];
const clock = new RunningClock();

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    sandbox: true,
    accounts: [
      {
        ...{ id: 'house', admin: true, billing: 'unlimited' },
        management_tokens: [{ id: 'ops', secret: TOKEN }],
      },
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, clock });
  operator = await signUpOperator([serving]);
});
afterAll(() => space?.remove());

const told = ({ status, json }: Seen) => {
  const { code, param } = asObject(json.error ?? {});
  return [status, code, param];
};
const change = (settings: object) => operator.ask(0, 'PATCH /settings', settings);

async function withToken(settings: object): Promise<unknown[]> {
  const answer = await fetch(`${serving.origin}/v1/management/settings`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  const { code, param, message } = asObject(asObject(await answer.json()).error ?? {});
  return [answer.status, code, param, /no management token can change it/.test(String(message))];
}

test('every anchor is tried here', () => {
  const anchors = Object.entries(SETTING_CLASSES).flatMap(([section, fields]) =>
    Object.entries(fields).flatMap(([field, one]) => (one === 'anchor' ? [`${section}.${field}`] : [])),
  );
  expect(EACH.map(([field]) => String(field)).toSorted()).toEqual(anchors.toSorted());
});

test('a token changes ordinary settings, but no trust anchor', async () => {
  expect(await withToken({ routing: { max_attempts: 3 } })).toEqual([200, undefined, undefined, false]);
  for (const [field, settings] of EACH) {
    expect(await withToken(settings)).toEqual([403, 'access_denied', field, true]);
  }
  const both = { routing: { max_attempts: 4 }, server: { public_url: 'https://evil.example' } };
  expect(await withToken(both)).toEqual([403, 'access_denied', 'server.public_url', true]);
  const { sections } = (await operator.ask(0, 'GET /settings')).json as Record<string, any>;
  expect(sections.routing.max_attempts).toMatchObject({ after_restart: 3 });
  expect(sections.server.public_url).toEqual({
    ...{ value: null, source: 'default', changeable: true },
    needs_second_factor: true,
  });
  // Setting the current value is no change.
  expect(await withToken({ server: { public_url: null } })).toEqual([200, undefined, undefined, false]);
});

test('an operator changes an anchor for ten minutes after using a second factor, which has to be set up first', async () => {
  const REFUSED = [403, 'access_denied'];
  const mine = { server: { public_url: 'https://ai.example.com' } };
  expect(told(await change(mine))).toEqual([...REFUSED, 'server.public_url']);
  expect(told(await change({ routing: { max_attempts: 5 } }))[0]).toBe(200);
  const enabling = await operator.ask(0, 'POST /auth/two-factor/enable', { password: PASSWORD });
  const { totpURI, ...codes } = enabling.json as { totpURI: string; backupCodes: string[] };
  backupCodes = codes.backupCodes;
  // The second factor has to be verified, too.
  expect(told(await change(mine))).toEqual([...REFUSED, 'server.public_url']);
  expect((await operator.ask(0, 'POST /auth/two-factor/verify-totp', { code: codeOf(totpURI) })).status).toBe(200);
  expect(told(await change(mine))[0]).toBe(200);
  expect(await withToken({ server: { public_url: null } })).toEqual([403, 'access_denied', 'server.public_url', true]);
  for (const [, settings] of EACH) expect(told(await change(settings))[0]).toBe(200);
  clock.advance(TEN_MINUTES);
  expect(told(await change({ server: { public_url: null } }))).toEqual([...REFUSED, 'server.public_url']);
  const code = { code: backupCodes[0] };
  expect((await operator.ask(0, 'POST /auth/two-factor/verify-backup-code', code)).status).toBe(200);
  expect(told(await change({ server: { public_url: null } }))[0]).toBe(200);
});

test('an operator erases a person with such a factor, and a token only counts what would go', async () => {
  const made = await operator.ask(0, 'POST /invitations', { email: 'ann@example.com', operator: true });
  const token = /#(\w+)$/.exec(String(made.json.link))?.[1] ?? '';
  const ann = await new Browser([serving]).ask(0, 'POST /invitations/accept', {
    token,
    name: 'Ann',
    password: PASSWORD,
  });
  const path = `/users/${asObject(ann.json).id}`;
  const asToken = async (query: string) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    return await fetch(`${serving.origin}/v1/management${path}${query}`, { method: 'DELETE', headers });
  };
  expect((await asToken('')).status).toBe(403);
  const counted = asObject(await (await asToken('?dry_run=true')).json());
  expect(counted).toMatchObject({ dry_run: true, pseudonym: null, removed: { passwords: 1, invitations: 1 } });
  clock.advance(TEN_MINUTES);
  expect(told(await operator.ask(0, `DELETE ${path}`))).toEqual([403, 'access_denied', 'user']);
  expect((await operator.ask(0, `GET ${path}`)).status).toBe(200);
  await operator.ask(0, 'POST /auth/two-factor/verify-backup-code', { code: backupCodes[1] });
  const { status, json } = await operator.ask(0, `DELETE ${path}`);
  expect([status, json]).toMatchObject([200, { dry_run: false, removed: { passwords: 1, invitations: 1 } }]);
  expect((await operator.ask(0, `GET ${path}`)).status).toBe(404);
  const audit = await fetch(`${serving.origin}/v1/management/audit?limit=100`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const text = await audit.text();
  expect(text).not.toContain('ann@example.com');
  expect(text).toContain(String(json.pseudonym));
});

test('an operator erases an archived account with such a factor, too', async () => {
  await operator.ask(0, 'POST /accounts', { id: 'leaving', name: 'Leaving Customer' });
  await operator.ask(0, 'POST /accounts/leaving/archive');
  const headers = { authorization: `Bearer ${TOKEN}` };
  const url = `${serving.origin}/v1/management/accounts/leaving`;
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(403);
  const counted = await fetch(`${url}?dry_run=true`, { method: 'DELETE', headers });
  expect(asObject(await counted.json())).toMatchObject({ dry_run: true, pseudonym: null });
  clock.advance(TEN_MINUTES);
  expect(told(await operator.ask(0, 'DELETE /accounts/leaving'))).toEqual([403, 'access_denied', 'account']);
  await operator.ask(0, 'POST /auth/two-factor/verify-backup-code', { code: backupCodes[2] });
  const { status, json } = await operator.ask(0, 'DELETE /accounts/leaving');
  expect([status, json]).toMatchObject([200, { object: 'account_erasure', id: 'leaving', dry_run: false }]);
  const shown = await operator.ask(0, 'GET /accounts/leaving');
  expect(shown.json).toMatchObject({ id: 'leaving', name: json.pseudonym, state: 'archived' });
});
