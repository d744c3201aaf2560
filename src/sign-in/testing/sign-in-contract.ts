import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createOTP } from '@better-auth/utils/otp';
import { getMigrations } from 'better-auth/db/migration';
import { Kysely } from 'kysely';
import { DEFAULT_QUOTAS } from '../../domain/access/object-quotas.ts';
import { hashSecret } from '../../engine/access/secrets.ts';
import { acceptInvitation, resetPassword } from '../../engine/admin/people/accept.ts';
import { invite, resetLink } from '../../engine/admin/people/invite.ts';
import { changeUser, revokeSession } from '../../engine/admin/people/users.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { Store } from '../../engine/ports/store.ts';
import { DEFAULT_BRANDING, DEFAULT_SIGN_IN, type SignInSettings } from '../../engine/settings/settings.ts';
import { SignInAttempts } from '../attempts.ts';
import { pluginsOf, tablesOf } from '../auth.ts';
import { signInDialect } from '../dialect.ts';
import { SIGN_IN_ENDPOINTS } from '../endpoints.ts';
import { createSignIn, type SignIn } from '../sign-in.ts';
import { FakeIssuer } from './fake-issuer.ts';
import { Visitor } from './visitor.ts';

/** How a store is opened for these tests. */
export interface StoreOptions {
  readonly secret: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const secret = 'the master secret of these tests';
const KEY = new Uint8Array(32).fill(7);
const PASSWORD = 'correct horse battery';

let now = Date.now();
const clock = { nowMs: () => now, monotonicMs: () => now };

/** Replaces Argon2, which is slow by design and has its own test. */
const passwords = {
  hash: async (password: string) => hashSecret(password),
  verify: async (hash: string, password: string) => hash === hashSecret(password),
};

const operator = {
  origin: { actor: { kind: 'command_line', id: null, name: 'root' }, address: null, requestId: null },
  isOperator: true,
  publicOrigin: 'https://ai.example.com',
} as const;
const visitorOrigin = 'https://ai.example.com';
const visitor = { address: '203.0.113.7', requestId: 'req_1' };

/** Registers the sign-in tests; `open` returns an empty store for each of them. */
export function describeSignIn(name: string, open: (options: StoreOptions) => Promise<Store>): void {
  describe(`sign-in on ${name}`, () => testSignIn(open));
}

function testSignIn(open: (options: StoreOptions) => Promise<Store>): void {
  let store: Store;
  let ports: Parameters<typeof acceptInvitation>[0];

  const node = (settings: Partial<SignInSettings> = {}): SignIn =>
    createSignIn({
      serviceName: 'Acme AI',
      people: store.people,
      database: store.signIn,
      audit: store.audit,
      passwords,
      attempts: new SignInAttempts(store.people, clock, KEY),
      settings: { ...DEFAULT_SIGN_IN, ...settings },
      clock,
      logger,
      key: KEY,
    });

  const ann = async (input: object = {}) => {
    const { link } = await invite(ports, operator, { email: 'Ann@Example.com', operator: true, ...input });
    const token = link?.split('#')[1] ?? '';
    return await acceptInvitation(ports, visitor, null, { token, name: 'Ann', password: PASSWORD });
  };
  const credentials = { email: 'ANN@example.com', password: PASSWORD };
  const actions = async () =>
    (await store.audit.page({ order: 'oldest', after: null, limit: 100 })).map(({ action }) => action);

  beforeEach(async () => {
    now = Date.now();
    store = await open({ secret, clock, logger });
    const { people, directory } = store;
    const common = { people, directory, clock, passwords, branding: async () => DEFAULT_BRANDING };
    ports = { ...common, mailer: null, settings: DEFAULT_SIGN_IN, quotas: DEFAULT_QUOTAS };
  });
  afterEach(() => store.close());

  test('the library requires no change of our tables', async () => {
    const options = {
      ...tablesOf({ database: store.signIn }),
      plugins: pluginsOf({ origin: 'https://a.example', hostname: 'a.example', serviceName: 'Acme AI', providers: [] }),
      logger: { disabled: true },
      database: { db: new Kysely<never>({ dialect: signInDialect(store.signIn) }), type: store.signIn.dialect },
    };
    const planned = await getMigrations(options);
    expect([planned.toBeCreated, planned.toBeAdded, planned.toBeAddedIndexes]).toEqual([[], [], []]);
    expect((await planned.compileMigrations()).replaceAll(';', '').trim()).toBe('');
  });

  test('a person signs in with two factors, and no code works twice', async () => {
    await ann();
    const first = new Visitor(node());
    expect((await first.post('/sign-up/email', { ...credentials, name: 'A' })).status).toBe(404);
    expect(await first.who()).toBeNull();
    const signedIn = await first.post('/sign-in/email', credentials);
    expect(signedIn.status).toBe(200);
    const cookie = signedIn.headers.getSetCookie().find((one) => one.startsWith('__Secure-switchyard.session_token'));
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/Secure/);
    expect(cookie).toMatch(/SameSite=Lax/);
    expect(await first.who()).toMatchObject({
      user: { operator: true },
      secondFactor: false,
      needsSecondFactor: false,
    });
    // A passkey may include its maker's certificates, so a signed-in person may send more than a stranger.
    const long = { name: 'Ann', attestation: 'x'.repeat(20_000) };
    expect((await first.post('/update-user', long)).status).toBe(200);
    expect((await new Visitor(node()).post('/update-user', long)).status).toBe(413);

    const { body } = await first.post('/two-factor/enable', { password: PASSWORD });
    const secretText = new URL(String(body.totpURI)).searchParams.get('secret') ?? '';
    const backupCodes = body.backupCodes as string[];
    const otp = createOTP(Buffer.from(base32(secretText)));
    const code = await otp.totp();
    expect((await first.post('/two-factor/verify-totp', { code })).status).toBe(200);
    expect(await first.who()).toMatchObject({ user: { twoFactorEnabled: true }, secondFactor: true });

    const second = new Visitor(node());
    expect((await second.post('/sign-in/email', credentials)).body).toMatchObject({ twoFactorRedirect: true });
    expect(await second.who()).toBeNull();
    expect((await second.post('/two-factor/verify-totp', { code })).status).toBe(401);
    const next = await otp.hotp(Math.floor(Date.now() / 30_000) + 1);
    const once = await Promise.all([1, 2, 3].map(() => second.post('/two-factor/verify-totp', { code: next })));
    expect(once.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    if (!once.some(({ status }) => status === 200)) throw new Error('no code was taken');
    expect(await second.who()).toMatchObject({ secondFactor: true, needsSecondFactor: false });

    const third = new Visitor(node());
    await third.post('/sign-in/email', credentials);
    const [backup] = backupCodes;
    expect((await third.post('/two-factor/verify-backup-code', { code: backup })).status).toBe(200);
    const fourth = new Visitor(node());
    await fourth.post('/sign-in/email', credentials);
    expect((await fourth.post('/two-factor/verify-backup-code', { code: backup })).status).toBe(401);
    expect(await fourth.who()).toBeNull();

    const person = await third.who();
    if (person === null) throw new Error('nobody');
    await revokeSession(ports, operator, person.user.id, person.sessionId);
    expect(await third.who()).toBeNull();
    expect((await third.get('/passkey/list-user-passkeys')).status).toBe(401);
    expect(await second.who()).not.toBeNull();
    expect(await actions()).toEqual(
      expect.arrayContaining(['session.create', 'session.refuse', 'two_factor.enable', 'session.revoke']),
    );
    const tokens = [first, second].map((one) => one.cookies.get('__Secure-switchyard.session_token') ?? '');
    await expectNoSecrets([...tokens, PASSWORD, code, next, secretText, ...backupCodes]);
    for (const token of tokens)
      for (const text of [...first.seen, ...second.seen]) expect(text).not.toContain(token.split('.')[0] ?? '?');
  });

  test('the second factor counts from its last use, and a new password is not a use', async () => {
    await ann();
    const browser = new Visitor(node());
    const usedAt = async () => (await browser.who())?.secondFactorAtMs ?? null;
    await browser.post('/sign-in/email', credentials);
    const beginPasskey = async () => (await browser.get('/passkey/generate-register-options')).status;
    expect([await usedAt(), await beginPasskey()]).toEqual([null, 200]);
    const { body } = await browser.post('/two-factor/enable', { password: PASSWORD });
    const otp = createOTP(Buffer.from(base32(new URL(String(body.totpURI)).searchParams.get('secret') ?? '')));
    expect((await browser.post('/two-factor/verify-totp', { code: await otp.totp() })).status).toBe(200);
    expect(await usedAt()).toBe(now);
    const enrolledAt = now;
    now += 3_600_000;
    // A stolen session cannot add another way to sign in.
    expect([await usedAt(), await beginPasskey()]).toEqual([enrolledAt, 403]);
    expect((await browser.post('/passkey/verify-registration', { response: {} })).status).toBe(403);
    const [first, second] = body.backupCodes as string[];
    expect((await browser.post('/two-factor/verify-backup-code', { code: first })).status).toBe(200);
    expect([await usedAt(), await beginPasskey()]).toEqual([now, 200]);
    expect((await browser.post('/two-factor/verify-backup-code', { code: first })).status).toBe(401);
    const changed = { currentPassword: PASSWORD, newPassword: 'another horse battery' };
    expect((await browser.post('/change-password', changed)).status).toBe(200);
    expect(await browser.who()).toMatchObject({ secondFactor: true, secondFactorAtMs: null });
    const again = new Visitor(node());
    await again.post('/sign-in/email', { ...credentials, password: changed.newPassword });
    await again.post('/two-factor/verify-backup-code', { code: second });
    expect((await again.who())?.secondFactorAtMs).toBe(now);
  });

  /** Expects that the database contains none of these secrets, nor the part of a cookie before its signature. */
  const expectNoSecrets = async (secrets: readonly string[]) => {
    const tables = ['users', 'invitations', 'audit_log', 'sign_in_attempts'];
    const dumps = ['sessions', 'credentials', 'verifications', 'two_factors', 'passkeys'].map(
      (one) => `sign_in_${one}`,
    );
    const rows = await Promise.all([...tables, ...dumps].map((one) => store.signIn.run(`SELECT * FROM ${one}`, [])));
    const dump = JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(dump).toContain('ann@example.com');
    for (const secret of secrets) {
      const plain = decodeURIComponent(secret).split('.')[0] ?? '';
      expect(plain.length).toBeGreaterThan(5);
      expect(dump).not.toContain(plain);
    }
    const token = decodeURIComponent(secrets[0] ?? '').split('.')[0] ?? '';
    expect(dump).toContain(hashSecret(token));
  };

  test('only the cookie signed by the library identifies a person', async () => {
    await ann();
    const visitor = new Visitor(node());
    await visitor.post('/sign-in/email', credentials);
    const name = '__Secure-switchyard.session_token';
    const whole = decodeURIComponent(visitor.cookies.get(name) ?? '');
    const [token = '', signature = ''] = whole.split('.');
    const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
    const who = async (cookie: string, publicOrigin = visitorOrigin) =>
      await node().personOf(new Headers({ cookie }), publicOrigin);
    expect(await who(`${name}=${encodeURIComponent(whole)}`)).not.toBeNull();
    expect(await who(`other=1; ${name}=${encodeURIComponent(whole)}; another=2`)).not.toBeNull();
    const wrong = ['', token, `${token}.`, `.${signature}`, `${token}.${flipped(signature)}`];
    wrong.push(`${flipped(token)}.${signature}`, `${whole}A`, `${hashSecret(token)}.${signature}`, '%', '%E0%A4%A');
    for (const value of wrong) expect(await who(`${name}=${value}`)).toBeNull();
    // Without TLS anybody on the network path could set a cookie.
    expect(await who(`switchyard.session_token=${encodeURIComponent(whole)}`)).toBeNull();
    expect(await who(`${name}=${encodeURIComponent(whole)}`, 'http://ai.example.com')).toBeNull();
    const otherKey = createSignIn({
      serviceName: 'Acme AI',
      ...{ people: store.people, database: store.signIn, audit: store.audit, passwords, clock, logger },
      ...{ attempts: new SignInAttempts(store.people, clock, KEY), settings: DEFAULT_SIGN_IN },
      key: new Uint8Array(32).fill(8),
    });
    expect(await otherKey.personOf(new Headers({ cookie: visitor.cookie }), visitorOrigin)).toBeNull();
    // The library created the session by the machine's real clock.
    now = Date.now() + DEFAULT_SIGN_IN.sessionMs + 1_000;
    expect(await visitor.who()).toBeNull();
  });

  test('signing out takes effect with the next request, on each node', async () => {
    const { id } = await ann();
    const [one, other] = [node(), node()];
    const leaving: readonly ((visitor: Visitor) => Promise<unknown>)[] = [
      (visitor) => visitor.post('/sign-out'),
      async (visitor) => revokeSession(ports, operator, id, (await visitor.who())?.sessionId ?? ''),
      () => store.people.endSessions(id, null),
      async () => {
        const { link } = await resetLink(ports, operator, id);
        await resetPassword(ports, visitor, { token: link?.split('#')[1] ?? '', password: PASSWORD });
      },
      async () => {
        const changing = new Visitor(one, '203.0.113.8');
        await changing.post('/sign-in/email', credentials);
        const change = { currentPassword: PASSWORD, newPassword: PASSWORD };
        expect((await changing.post('/change-password', change)).status).toBe(200);
      },
      () => store.people.changeUser(id, { disabledAtMs: now }, now),
    ];
    await ann({ email: 'second@example.com' });
    for (const leave of leaving) {
      const inside = new Visitor(one);
      expect((await inside.post('/sign-in/email', credentials)).status).toBe(200);
      const headers = new Headers({ cookie: inside.cookie });
      const whoOn = (signIn: SignIn) => signIn.personOf(headers, visitorOrigin);
      expect([await whoOn(one), await whoOn(other)]).not.toContain(null);
      await leave(inside);
      expect([await whoOn(one), await whoOn(other)]).toEqual([null, null]);
    }
  });

  test('a disabled person is signed out at once, and cannot sign in again', async () => {
    await ann();
    const user = await ann({ email: 'bob@example.com' });
    const bob = { email: 'bob@example.com', password: PASSWORD };
    const signIn = node();
    const inside = new Visitor(signIn);
    await inside.post('/sign-in/email', bob);
    expect(await inside.who()).not.toBeNull();
    await changeUser(ports, operator, user.id, { disabled: true });
    expect(await inside.who()).toBeNull();
    const refused = await new Visitor(signIn).post('/sign-in/email', bob);
    const wrong = await new Visitor(signIn).post('/sign-in/email', { ...bob, password: 'something else' });
    const unknown = await new Visitor(signIn).post('/sign-in/email', { ...bob, email: 'nobody@example.com' });
    expect([refused.status, wrong.status, unknown.status]).toEqual([401, 401, 401]);
    expect(wrong.body).toEqual(refused.body);
    expect(unknown.body).toEqual(refused.body);
    await changeUser(ports, operator, user.id, { disabled: false });
    expect((await new Visitor(signIn).post('/sign-in/email', bob)).status).toBe(200);
  });

  test('a new password ends the other sessions, and a reset link all of them', async () => {
    const user = await ann();
    const [here, there] = [new Visitor(node()), new Visitor(node())];
    for (const one of [here, there]) await one.post('/sign-in/email', credentials);
    const change = { currentPassword: PASSWORD, newPassword: 'another long one' };
    expect((await here.post('/change-password', { ...change, currentPassword: 'wrong one' })).status).toBe(400);
    expect((await here.post('/change-password', { ...change, newPassword: 'short' })).status).toBe(400);
    expect(await there.who()).not.toBeNull();
    expect((await here.post('/change-password', change)).status).toBe(200);
    expect(await here.who()).not.toBeNull();
    expect(await there.who()).toBeNull();
    const { link } = await resetLink(ports, operator, user.id);
    const token = link?.split('#')[1] ?? '';
    await resetPassword(ports, visitor, { token, password: 'a third long one' });
    await expect(resetPassword(ports, visitor, { token, password: 'a fourth one' })).rejects.toThrow('already used');
    expect(await here.who()).toBeNull();
    expect((await here.post('/sign-in/email', { ...credentials, password: 'a third long one' })).status).toBe(200);
    expect(await actions()).toEqual(expect.arrayContaining(['user.change_password', 'user.reset_password']));
  });

  test('guessing is limited by email on all nodes, and does not lock out known devices', async () => {
    await ann();
    const [one, other] = [node(), node()];
    const known = new Visitor(one);
    expect((await known.post('/sign-in/email', credentials)).status).toBe(200);
    const guess = (signIn: SignIn, email: string, at: number) =>
      new Visitor(signIn, `198.51.100.${at}`).post('/sign-in/email', { email, password: `wrong ${at} xxxx` });
    for (const email of ['ann@example.com', 'nobody@example.com']) {
      const statuses: number[] = [];
      for (let at = 0; at < 11; at++) statuses.push((await guess(at % 2 === 0 ? one : other, email, at)).status);
      expect(statuses).toEqual([...Array(10).fill(401), 429]);
    }
    const stranger = await new Visitor(other, '192.0.2.1').post('/sign-in/email', credentials);
    expect(stranger.status).toBe(429);
    const wait = Number(stranger.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(800);
    expect(wait).toBeLessThanOrEqual(900);
    expect((await known.post('/sign-in/email', credentials)).status).toBe(200);
    now += wait * 1_000;
    expect((await new Visitor(other, '192.0.2.1').post('/sign-in/email', credentials)).status).toBe(200);
  });

  test('a member of a body that is not text, or too long, is refused by name', async () => {
    await ann();
    const browser = new Visitor(node());
    await browser.post('/sign-in/email', credentials);
    const wrong = [
      ['x'],
      { toString: 'x' },
      7,
      true,
      null,
      Array.from({ length: 90 }, (_, at) => at),
      'x'.repeat(2_001),
    ];
    for (const { method, path, fields } of SIGN_IN_ENDPOINTS) {
      if (method !== 'POST') continue;
      for (const field of fields.filter((name) => name !== 'response')) {
        for (const value of wrong) {
          const { status, body } = await browser.post(path, { [field]: value });
          // Without a recent second factor some are refused before the body is checked.
          if (status !== 403) expect([path, status, body.error]).toMatchObject([path, 400, { param: field }]);
        }
      }
    }
    const { status, body } = await browser.post('/update-user', { name: ' ' });
    expect([status, body.error]).toMatchObject([400, { code: 'invalid_value', param: 'name' }]);
  });

  test('another page cannot send requests in the person’s name', async () => {
    await ann();
    const browser = new Visitor(node());
    await browser.post('/sign-in/email', credentials);
    const evil = { origin: 'https://evil.example' };
    for (const path of ['/sign-out', '/sign-in/email', '/update-user'])
      expect((await browser.post(path, credentials, evil)).status).toBe(403);
    expect((await browser.send('POST', '/sign-out', {}, {})).status).toBe(403);
    expect((await browser.send('POST', '/sign-out', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(await browser.who()).not.toBeNull();
    expect((await browser.post('/sign-out')).status).toBe(200);
    expect(await browser.who()).toBeNull();
  });

  test('an issuer signs in users by verified address, and creates users only if allowed', async () => {
    await ann();
    const issuer = new FakeIssuer();
    const provider = { id: 'co', name: 'Co', issuer: issuer.url, clientId: 'c', clientSecret: 's' };
    const common = { ...provider, scopes: ['openid', 'email'], secondFactor: false };
    const closed = node({ oidc: [{ ...common, mayCreateUsers: false, joins: null }] });
    const joins = { accountId: 'acme', role: 'member' as const };
    const open = node({ oidc: [{ ...common, mayCreateUsers: true, joins }], requireTwoFactor: 'operators' });
    const enter = async (signIn: SignIn, claims: object) => {
      const browser = new Visitor(signIn);
      const begun = await browser.post('/sign-in/social', { provider: 'co', callbackURL: '/welcome' });
      const answer = await browser.get(`/callback/co${issuer.authorize(String(begun.body.url), claims)}`);
      return { answer, person: await browser.who() };
    };
    try {
      const linked = await enter(closed, { sub: '1', email: 'ann@example.com', email_verified: true, name: 'Ann' });
      expect(linked.person).toMatchObject({ user: { email: 'ann@example.com', name: 'Ann' }, secondFactor: false });
      expect((await enter(open, { sub: '1', email: 'ann@example.com', email_verified: true })).person).toMatchObject({
        needsSecondFactor: true,
      });
      const stranger = { sub: '2', email: 'new@example.com', email_verified: true, name: 'New' };
      expect((await enter(closed, stranger)).person).toBeNull();
      expect((await enter(open, { ...stranger, email_verified: false })).person).toBeNull();
      expect((await enter(open, stranger)).person).toMatchObject({
        user: { email: 'new@example.com', operator: false, memberships: [{ accountId: 'acme', role: 'member' }] },
        needsSecondFactor: false,
      });
      expect((await enter(closed, { sub: '3', email: 'ann@example.com', email_verified: false })).person).toBeNull();
      const { rows } = await store.signIn.run('SELECT access_token, id_token FROM sign_in_credentials', []);
      expect(rows.every((row) => row.access_token === null && row.id_token === null)).toBe(true);
    } finally {
      issuer.stop();
    }
  });

  test('an issuer cannot take over a user with an unverified address, whatever the spelling', async () => {
    const { link } = await invite(ports, operator, { operator: true });
    const [token, email] = [link?.split('#')[1] ?? '', 'boss@example.com'];
    await acceptInvitation(ports, visitor, null, { token, email, name: 'Mallory', password: PASSWORD });
    await ann({ email: 'jos\u00e9@example.com' });
    const issuer = new FakeIssuer();
    const provider = { id: 'co', name: 'Co', issuer: issuer.url, clientId: 'c', clientSecret: 's' };
    const signIn = node({
      oidc: [{ ...provider, scopes: ['openid', 'email'], secondFactor: false, mayCreateUsers: true, joins: null }],
    });
    const boss = { sub: '1', email: 'BOSS@example.com', email_verified: true, name: 'Boss' };
    const enter = async (claims: object) => {
      const browser = new Visitor(signIn);
      const begun = await browser.post('/sign-in/social', { provider: 'co', callbackURL: '/welcome' });
      await browser.get(`/callback/co${issuer.authorize(String(begun.body.url), claims)}`);
      return (await browser.who())?.user ?? null;
    };
    try {
      expect(await enter(boss)).toBeNull();
      expect(await store.people.userByEmail(email)).toMatchObject({ name: 'Mallory', emailVerified: false });
      const taker = new Visitor(signIn);
      await taker.post('/sign-in/email', { email, password: PASSWORD });
      const begun = await taker.post('/link-social', { provider: 'co', callbackURL: '/profile' });
      await taker.get(`/callback/co${issuer.authorize(String(begun.body.url), boss)}`);
      expect(await enter(boss)).toMatchObject({ email, emailVerified: false });
      const composed = await enter({ ...boss, sub: '2', email: 'JOSE\u0301@example.com' });
      expect(composed).toMatchObject({ email: 'jos\u00e9@example.com', emailVerified: true });
      expect(await store.people.users({ limit: 10, after: null })).toHaveLength(2);
    } finally {
      issuer.stop();
    }
  });

  test('an issuer’s response without an ID token signs nobody in', async () => {
    await ann();
    const issuer = new FakeIssuer({}, false);
    const provider = { id: 'co', name: 'Co', issuer: issuer.url, clientId: 'c', clientSecret: 's' };
    const oidc = [{ ...provider, scopes: ['openid', 'email'], secondFactor: false, mayCreateUsers: true, joins: null }];
    try {
      const browser = new Visitor(node({ oidc }));
      const begun = await browser.post('/sign-in/social', { provider: 'co', callbackURL: '/welcome' });
      const claims = { sub: '1', email: 'ann@example.com', email_verified: true, name: 'Ann' };
      const answer = await browser.get(`/callback/co${issuer.authorize(String(begun.body.url), claims)}`);
      expect(answer.headers.get('location')).toContain('error=');
      expect(await browser.who()).toBeNull();
      const { rows } = await store.signIn.run("SELECT 1 FROM sign_in_credentials WHERE provider_id = 'co'", []);
      expect(rows).toEqual([]);
    } finally {
      issuer.stop();
    }
  });
}

/** Decodes base32 (RFC 4648). */
function base32(text: string): Uint8Array {
  const bits = [...text.replace(/=+$/, '')].map((one) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(one).toString(2).padStart(5, '0'),
  );
  return new Uint8Array((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
