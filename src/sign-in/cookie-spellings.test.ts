import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { DEFAULT_QUOTAS } from '../domain/access/object-quotas.ts';
import { hashSecret } from '../engine/access/secrets.ts';
import { acceptInvitation } from '../engine/admin/people/accept.ts';
import { invite } from '../engine/admin/people/invite.ts';
import type { Store } from '../engine/ports/store.ts';
import { DEFAULT_BRANDING, DEFAULT_SIGN_IN } from '../engine/settings/settings.ts';
import { openSqliteStore } from '../stores/sqlite/sqlite-store.ts';
import { copyEmptyDatabase } from '../stores/sqlite/testing/empty-database.ts';
import { SignInAttempts } from './attempts.ts';
import { SIGN_IN_ENDPOINTS } from './endpoints.ts';
import { SIGN_IN_PATH } from './shape.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { Visitor } from './testing/visitor.ts';

/*
 * The gate before the sign-in library and the library itself must find the same person, whatever the request's cookies look like. The
 * visitor here knows only the password of a user whose second factor is required.
 */

const ORIGIN = 'https://ai.example.com';
const NAME = '__Secure-switchyard.session_token';
const EMAIL = 'ann@example.com';
const PASSWORD = 'correct horse battery';
const RUNS = 300;
const BODY = { password: PASSWORD, name: 'x', id: 'x', accountId: 'x', provider: 'x', response: {} };
const PASSKEY = `INSERT INTO sign_in_passkeys (id, public_key, user_id, credential_id, counter, device_type, backed_up)
  VALUES ('key', 'none', ?1, 'none', 0, 'singleDevice', 0)`;

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const passwords = {
  hash: async (password: string) => hashSecret(password),
  verify: async (hash: string, password: string) => hash === hashSecret(password),
};

let folder: string;
let store: Store;
let signIn: SignIn;
/** The value of the session cookie of a visitor who has given only the password. */
let value: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-cookies-'));
  const path = join(folder, 'store.sqlite');
  await copyEmptyDatabase(path);
  store = await openSqliteStore({ path, secret: 'the master secret', clock, logger });
  const { people, directory, audit, signIn: database } = store;
  const key = new Uint8Array(32).fill(7);
  const settings = { ...DEFAULT_SIGN_IN, requireTwoFactor: 'all' as const };
  const attempts = new SignInAttempts(people, clock, key);
  // The limits of attempts are not tested here.
  const unlimited = {
    take: async () => ({ waitMs: null, forgive: async () => {} }),
    newDevice: (email: string) => attempts.newDevice(email),
  };
  signIn = createSignIn({
    serviceName: 'Acme AI',
    people,
    database,
    audit,
    passwords,
    attempts: unlimited as never,
    settings,
    clock,
    logger,
    key,
  });
  const ports = {
    people,
    directory,
    clock,
    passwords,
    mailer: null,
    branding: async () => DEFAULT_BRANDING,
    settings: DEFAULT_SIGN_IN,
    quotas: DEFAULT_QUOTAS,
  };
  const operator = {
    origin: { actor: { kind: 'command_line', id: null, name: 'root' }, address: null, requestId: null },
    isOperator: true,
    publicOrigin: ORIGIN,
  } as const;
  const { link } = await invite(ports, operator, { email: EMAIL, operator: true });
  const token = link?.split('#')[1] ?? '';
  await acceptInvitation(ports, { address: '203.0.113.7', requestId: 'req_1' }, null, {
    token,
    name: 'Ann',
    password: PASSWORD,
  });
  const user = (await people.userByEmail(EMAIL)) ?? expect.unreachable();
  await database.run(PASSKEY, [user.id]);
  const thief = new Visitor(signIn);
  await thief.post('/sign-in/email', { email: EMAIL, password: PASSWORD });
  value = thief.cookies.get(NAME) ?? '';
});

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns other spellings of the signature's last character before the `=`: two of its bits are ignored when decoding. */
function sameBits(text: string): readonly string[] {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const decoded = readable(text);
  const last = alphabet.indexOf(decoded.at(-2) ?? '');
  return [1, 2, 3].map((bits) => encodeURIComponent(`${decoded.slice(0, -2)}${alphabet[last ^ bits]}=`));
}

const junk = fc.string({ unit: fc.constantFrom(...'ab1.=+/%"\'\\ ,'), maxLength: 4 });
const spelled = fc.oneof(
  fc.constant((text: string) => text),
  junk.map((end) => (text: string) => `"${text}"${end}`),
  junk.map((end) => (text: string) => `"${text}${end}`),
  junk.map((end) => (text: string) => `${text}${end}`),
  junk.map((start) => (text: string) => `${start}${text}`),
  fc.nat(2).map((index) => (text: string) => sameBits(text)[index] ?? text),
  fc.constant(readable),
  fc.constant((text: string) => encodeURIComponent(text)),
  fc.constant((text: string) => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
  fc
    .nat(20)
    .map((at) => (text: string) => `${text.slice(0, at)}%${text.charCodeAt(at).toString(16)}${text.slice(at + 1)}`),
);
/** A whole header: several spellings, and the cookie beside others of its name. */
const header = fc
  .record({
    spellings: fc.array(spelled, { minLength: 1, maxLength: 3 }),
    name: fc.constantFrom(NAME, ` ${NAME}`, `${NAME} `, `\t${NAME}`, NAME.toLowerCase(), NAME.replace('__Secure-', '')),
    around: fc.constantFrom(
      (cookie: string) => cookie,
      (cookie: string) => `a=1; ${cookie}; b=2`,
      (cookie: string) => `a=1;${cookie};`,
      (cookie: string) => `${NAME}=wrong; ${cookie}`,
      (cookie: string) => `${cookie}; ${NAME}=wrong`,
      (cookie: string) => `a="; ${cookie}; b="`,
      (cookie: string) => `a=1, ${cookie}`,
    ),
  })
  .map(({ spellings, name, around }) => around(`${name}=${spellings.reduce((text, spell) => spell(text), value)}`));

const GUARDED = SIGN_IN_ENDPOINTS.filter(
  ({ changes, enrols, path }) => (changes ?? enrols) !== undefined && !path.startsWith('/two-factor/verify-'),
);

async function ask(
  method: string,
  path: string,
  cookie: string,
): Promise<{ status: number; text: string; set: string[] }> {
  const request = new Request(`http://internal${SIGN_IN_PATH}${path}`, {
    method,
    headers: { cookie, origin: ORIGIN, 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: JSON.stringify(BODY) } : {}),
  });
  const answer = await signIn.handle(request, { address: '203.0.113.9', publicOrigin: ORIGIN, requestId: 'req_2' });
  return { status: answer.status, text: await answer.text(), set: answer.headers.getSetCookie() };
}

test('nothing can be changed or enrolled before the second factor, however the session cookie is written', async () => {
  const property = fc.asyncProperty(header, fc.constantFrom(...GUARDED), async (cookie, { method, path }) => {
    const { status, set } = await ask(method, path, cookie);
    const isRefused = status === 401 || status === 403;
    expect({ path, cookie, isRefused, set }).toEqual({ path, cookie, isRefused: true, set: [] });
  });
  await fc.assert(property, { numRuns: RUNS, examples: GUARDED.map((one) => [`${NAME}="${value}"`, one]) });
});

test('the library recognises a person exactly where our own parser does', async () => {
  const property = fc.asyncProperty(header, async (cookie) => {
    const ours = await signIn.personOf(new Headers({ cookie }), ORIGIN);
    const { status } = await ask('GET', '/list-accounts', cookie);
    expect({ cookie, status }).toEqual({ cookie, status: ours === null ? 401 : 200 });
  });
  await fc.assert(property, { numRuns: RUNS, examples: [[`${NAME}=${value}`], [`${NAME}="${value}"`]] });
});
