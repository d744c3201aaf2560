import { expect, test } from 'bun:test';
import type { Credential } from '../../domain/access/api-key.ts';
import { principalOf } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { sampleAccount, sampleCredential } from '../ports/testing/samples.ts';
import { authenticate, authenticateToken } from './authenticate.ts';
import { DelegatedKey } from './caller.ts';
import { hashSecret } from './secrets.ts';

const NOW_MS = 1_700_000_000_000;
const SECRET = 'sk-a-key-of-this-test';

const account = sampleAccount();

const codeFor = (change: Partial<Credential>, secret: string | DelegatedKey | null = SECRET, owner = account) => {
  const credential = sampleCredential({ secretHash: hashSecret(SECRET), ...change });
  const principals = {
    find: (hash: string) => (hash === credential.secretHash ? { account: owner, credential } : null),
  };
  const found = authenticate(principals, secret, NOW_MS);
  if (found instanceof Promise) throw new Error('what is known is answered at once');
  return found instanceof Failure ? [found.status, found.code, found.message] : found.credential.id;
};

test('a key is valid until the moment it expires, then refused with 401', () => {
  expect(codeFor({})).toBe('ci');
  expect(codeFor({ expiresAtMs: NOW_MS + 1 })).toBe('ci');
  expect(codeFor({ expiresAtMs: NOW_MS })).toEqual([
    401,
    'expired_api_key',
    'The API key expired on 2023-11-14T22:13:20.000Z.',
  ]);
});

test('a revoked key is reported as revoked, expired or not', () => {
  const revoked = [401, 'expired_api_key', 'The API key has been revoked.'];
  expect(codeFor({ revokedAtMs: 1 })).toEqual(revoked);
  expect(codeFor({ revokedAtMs: 1, expiresAtMs: 1 })).toEqual(revoked);
});

test('a key of an archived account is refused with 401 until the account is restored', () => {
  expect(codeFor({}, SECRET, sampleAccount({ archivedAtMs: 1 }))).toEqual([
    401,
    'expired_api_key',
    'The account of the API key is archived.',
  ]);
});

test('a delegated key expires like one that is sent, and its hash is not accepted as a key', () => {
  const delegated = new DelegatedKey(hashSecret(SECRET));
  expect(codeFor({}, delegated)).toBe('ci');
  for (const change of [{ revokedAtMs: 1 }, { expiresAtMs: NOW_MS }]) {
    expect(codeFor(change, delegated)).toEqual([401, 'expired_api_key', expect.any(String)]);
  }
  expect(codeFor({}, delegated, sampleAccount({ archivedAtMs: 1 }))).toEqual([
    401,
    'expired_api_key',
    expect.any(String),
  ]);
  expect(codeFor({ kind: 'management' }, delegated)).toEqual([401, 'invalid_api_key', expect.any(String)]);
  expect(codeFor({}, delegated.secretHash)).toEqual([401, 'invalid_api_key', expect.any(String)]);
});

test('a secret that is not a key of this gateway is invalid', () => {
  for (const secret of [null, '', 'sk-another-key', 'mt-a-token', 'Bearer']) {
    expect(codeFor({}, secret)).toEqual([401, 'invalid_api_key', expect.any(String)]);
  }
  expect(codeFor({ kind: 'management' })).toEqual([401, 'invalid_api_key', expect.any(String)]);
});

test('an unavailable store makes no key invalid', async () => {
  const away = () => {
    throw new Error('the database is unavailable');
  };
  for (const find of [away, async () => away()]) {
    const found = await authenticate({ find }, SECRET, NOW_MS);
    if (!(found instanceof Failure)) throw new Error('nobody can be known');
    expect([found.status, found.code, found.side]).toEqual([503, 'storage_unavailable', 'gateway']);
    expect(found.message).not.toContain('database');
  }
});

const TOKEN = 'mt-a-token-of-this-test';

const outcome = (change: Partial<Credential>, secret: string | null = TOKEN, archivedAtMs: number | null = null) => {
  const token = sampleCredential({ kind: 'management', secretHash: hashSecret(TOKEN), ...change });
  const find = (hash: string) =>
    [token.secretHash, token.previousSecret?.secretHash, hashSecret(TOKEN)].includes(hash)
      ? principalOf(sampleAccount({ archivedAtMs }), token, hash)
      : null;
  const found = authenticateToken({ find }, secret, NOW_MS);
  if (found instanceof Promise) throw new Error('what is known is answered at once');
  return found instanceof Failure ? `${found.status} ${found.code}: ${found.message}` : found.credential.id;
};

test('a token is valid until it expires', () => {
  expect(outcome({ expiresAtMs: NOW_MS + 1 })).toBe('ci');
  expect(outcome({ expiresAtMs: NOW_MS })).toStartWith('401 expired_api_key: The management token expired on 2023');
  expect(outcome({ revokedAtMs: 1 })).toBe('401 expired_api_key: The management token has been revoked.');
  expect(outcome({}, TOKEN, 1)).toBe('401 expired_api_key: The account of the management token is archived.');
});

test('an old secret is accepted until its grace period ends', () => {
  const replaced = (endsAtMs: number) => ({
    secretHash: 'of the new one',
    previousSecret: { secretHash: hashSecret(TOKEN), endsAtMs },
  });
  expect(outcome(replaced(NOW_MS + 1))).toBe('ci');
  const ended = '401 expired_api_key: The management token has been replaced by a new one.';
  expect(outcome(replaced(NOW_MS))).toBe(ended);
  expect(outcome({ secretHash: 'of the newest one', previousSecret: null })).toBe(ended);
});

test('any other secret is invalid, and for an API key the message explains its purpose', () => {
  expect(outcome({}, 'sk-a-key')).toBe('401 invalid_api_key: An API key (sk-…) cannot be used for the management API.');
  for (const secret of [null, '', 'mt-another', 'Bearer'])
    expect(outcome({}, secret)).toStartWith('401 invalid_api_key');
  expect(outcome({ kind: 'inference' })).toStartWith('401 invalid_api_key');
});

test('the old secret of an API key has a grace period, too', () => {
  const secret = 'sk-a-key-of-this-test';
  const previousSecret = { secretHash: hashSecret(secret), endsAtMs: NOW_MS };
  const key = sampleCredential({ secretHash: 'new', previousSecret });
  const find = (hash: string) => principalOf(sampleAccount(), key, hash);
  expect(authenticate({ find }, secret, NOW_MS)).toMatchObject({ code: 'expired_api_key' });
  expect(authenticate({ find }, secret, NOW_MS - 1)).toMatchObject({ credential: key });
});
