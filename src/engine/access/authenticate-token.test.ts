import { expect, test } from 'bun:test';
import type { Credential } from '../../domain/access/api-key.ts';
import { principalOf } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { sampleAccount, sampleCredential } from '../ports/testing/samples.ts';
import { authenticate } from './authenticate.ts';
import { authenticateToken } from './authenticate-token.ts';
import { hashSecret } from './secrets.ts';

const NOW_MS = 1_700_000_000_000;
const SECRET = 'mt-a-token-of-this-test';

const outcome = (change: Partial<Credential>, secret: string | null = SECRET, archivedAtMs: number | null = null) => {
  const token = sampleCredential({ kind: 'management', secretHash: hashSecret(SECRET), ...change });
  const find = (hash: string) =>
    [token.secretHash, token.previousSecret?.secretHash, hashSecret(SECRET)].includes(hash)
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
  expect(outcome({}, SECRET, 1)).toBe('401 expired_api_key: The account of the management token is archived.');
});

test('an old secret is accepted until its grace period ends', () => {
  const replaced = (endsAtMs: number) => ({
    secretHash: 'of the new one',
    previousSecret: { secretHash: hashSecret(SECRET), endsAtMs },
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
