import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hashSecret } from '../../../src/engine/access/secrets.ts';
import { createAccount } from '../../../src/engine/admin/accounts/change-accounts.ts';
import { listAccounts } from '../../../src/engine/admin/accounts/read-accounts.ts';
import { AdminError } from '../../../src/engine/admin/admin-error.ts';
import { createKey, revokeKey } from '../../../src/engine/admin/keys/change-keys.ts';
import { DEFAULT_ACCOUNT_ID, ensureFirstKey } from '../../../src/engine/admin/keys/ensure-first-key.ts';
import { listKeys } from '../../../src/engine/admin/keys/read-keys.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import type { DirectoryStore } from '../../../src/engine/ports/directory-store.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { openTrailedStore, type TestStore } from '../../../src/stores/sqlite/testing/trailed-store.ts';

let stores: TestStore;
let store: DirectoryStore;
let clock: FakeClock;

beforeEach(async () => {
  stores = await openTrailedStore();
  store = stores.directory;
  clock = new FakeClock();
});
afterEach(closeTestStores);

const failure = async (promise: Promise<unknown>): Promise<AdminError> => {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AdminError)) throw new Error(`expected an AdminError, got ${error}`);
  return error;
};

/** Makes a new key and returns its secret. */
const make = async (accountId: string, input: Record<string, unknown> = {}) => {
  const { secret, credential } = await createKey(store, clock, { accountId, kind: 'inference' }, input);
  if (secret === null) throw new Error(`the key ${credential.id} was there before`);
  return { secret, credential };
};

describe('the first key', () => {
  test('belongs to an unlimited administrator account, and is created once', async () => {
    const first = await ensureFirstKey(store, clock);
    expect(first?.secret).toMatch(/^sk-/);
    expect(await ensureFirstKey(store, clock)).toBeNull();
    expect((await listAccounts(stores, {})).items).toMatchObject([
      { account: { id: DEFAULT_ACCOUNT_ID, role: 'VIP', admin: true, billing: 'unlimited' } },
    ]);
  });

  test('is created once if two starts race', async () => {
    const both = await Promise.all([ensureFirstKey(store, clock), ensureFirstKey(store, clock)]);
    expect(both.filter((created) => created !== null)).toHaveLength(1);
  });

  test('is created again, in the same account, once every key is revoked', async () => {
    const first = await ensureFirstKey(store, clock);
    await revokeKey(store, clock, first!.secret);
    expect(await ensureFirstKey(store, clock)).not.toBeNull();
    expect((await listAccounts(stores, {})).items).toHaveLength(1);
    expect((await listKeys(stores, {})).items).toHaveLength(2);
  });

  test('is created again once every key has expired', async () => {
    await createAccount(stores, clock, { id: 'acme' });
    await make('acme', { expires_at: new Date(clock.nowMs() + 1_000).toISOString() });
    expect(await ensureFirstKey(store, clock)).toBeNull();
    clock.advance(1_000);
    expect(await ensureFirstKey(store, clock)).not.toBeNull();
  });

  test('does not count a management token', async () => {
    await createAccount(stores, clock, { id: 'acme' });
    await createKey(store, clock, { accountId: 'acme', kind: 'management' }, {});
    expect(await ensureFirstKey(store, clock)).not.toBeNull();
  });
});

describe('accounts', () => {
  test('have the documented defaults', async () => {
    expect((await createAccount(stores, clock, { id: 'acme' })).account).toEqual({
      id: 'acme',
      name: 'acme',
      role: 'User',
      admin: false,
      billing: 'prepaid',
      requestsPerMinute: null,
      tokensPerMinute: null,
      maxConcurrent: null,
      budget: null,
      strategy: null,
      cache: null,
      capture: 'none',
      captureDays: null,
      quotas: null,
      billingDetails: null,
      fallbacks: [],
      createdAtMs: clock.nowMs(),
      archivedAtMs: null,
      origin: 'operator',
    });
  });

  test('are created once; different content is refused', async () => {
    const { account } = await createAccount(stores, clock, { id: 'acme' });
    const state = await store.state();
    clock.advance(1);
    const again = await createAccount(stores, clock, { id: 'acme', name: 'acme', billing: 'prepaid' });
    expect(again).toMatchObject({ account, alreadyThere: true });
    expect(await failure(createAccount(stores, clock, { id: 'acme', role: 'VIP', admin: true }))).toMatchObject({
      code: 'already_exists',
      message: 'id: the account "acme" already exists with a different role, admin; change it, or choose another id',
    });
    expect(await store.state()).toEqual(state);
  });

  test.each([
    [{ id: 'a b' }, 'id'],
    [{ id: '' }, 'id'],
    [{ id: 'a', name: ' ' }, 'name'],
    [{ id: 'a', role: 'Boss' }, 'role'],
    [{ id: 'a', billing: 'postpaid' }, 'billing'],
    [{ id: 'a', requests_per_minute: 0 }, 'requests_per_minute'],
    [{ id: 'a', requests_per_minute: Number.NaN }, 'requests_per_minute'],
    [{ id: 'a', tokens_per_minute: 0.5 }, 'tokens_per_minute'],
    [{ id: 'a', max_concurrent: 1_000_001 }, 'max_concurrent'],
  ])('refuses %p, naming %s', async (input, field) => {
    expect(await failure(createAccount(stores, clock, input))).toMatchObject({ code: 'invalid_value', field });
    expect(await store.state()).toEqual({ servingVersion: 0, accessVersion: 0, hasSeveralAccounts: false });
  });
});

describe('keys', () => {
  beforeEach(async () => {
    await createAccount(stores, clock, { id: 'acme' });
  });

  test('are stored as a hash, a preview and an exact limit', async () => {
    const { secret, credential } = await make('acme', {
      name: 'CI',
      limit_usd: '5.000000001',
      models: ['gpt-4o-mini', 'gpt-4o-mini', 'claude-*'],
    });
    expect(credential).toMatchObject({ limitNanoUsd: 5_000_000_001n, models: ['gpt-4o-mini', 'claude-*'], name: 'CI' });
    expect(credential.secretHash).toBe(hashSecret(secret));
    const stored = JSON.stringify(await store.read('all'), (_key, value) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    expect(stored).not.toContain(secret);
  });

  test.each([
    [{ limit_usd: '1e3' }, 'limit_usd', 'invalid_value'],
    [{ limit_usd: '-1' }, 'limit_usd', 'invalid_value'],
    [{ limit_usd: '0.0000000001' }, 'limit_usd', 'invalid_value'],
    [{ limit_usd: '1000000001' }, 'limit_usd', 'invalid_value'],
    [{ models: [] }, 'models', 'invalid_value'],
    [{ requests_per_minute: 0 }, 'requests_per_minute', 'invalid_value'],
    [{ expires_at: '2023-11-14T22:13:20Z' }, 'expires_at', 'invalid_value'],
    [{ name: '' }, 'name', 'invalid_value'],
  ])('refuses %p, naming %s', async (input, field, code) => {
    expect(await failure(make('acme', input))).toMatchObject({ code, field });
  });

  test('are listed by account and id, for one account or all', async () => {
    await createAccount(stores, clock, { id: 'other' });
    const { credential: second } = await make('other', { id: 'a' });
    clock.advance(1);
    const { credential: first } = await make('acme', { id: 'b' });
    expect((await listKeys(stores, {})).items.map(({ credential }) => credential.id)).toEqual([first.id, second.id]);
    expect((await listKeys(stores, { accountId: 'other' })).items.map(({ credential }) => credential.id)).toEqual([
      second.id,
    ]);
    expect((await failure(listKeys(stores, { accountId: 'nobody' }))).field).toBe('account');
  });

  test('are revoked by secret, id, account and id, or preview', async () => {
    for (const selectorOf of [
      (secret: string) => secret,
      (_secret: string, id: string) => id,
      (_secret: string, id: string) => `acme/${id}`,
      (secret: string) => `${secret.slice(0, 5)}…${secret.slice(-4)}`,
      (secret: string) => `${secret.slice(0, 5)}...${secret.slice(-4)}`,
    ]) {
      const { secret, credential } = await make('acme');
      const revoked = await revokeKey(store, clock, selectorOf(secret, credential.id));
      expect(revoked).toMatchObject({ alreadyRevoked: false, credential: { revokedAtMs: clock.nowMs() } });
    }
  });

  test('stay unchanged if revoked again', async () => {
    const { credential } = await make('acme');
    const { credential: revoked } = await revokeKey(store, clock, credential.id);
    const version = await store.state();
    clock.advance(1000);
    expect(await revokeKey(store, clock, credential.id)).toEqual({ credential: revoked, alreadyRevoked: true });
    expect(await store.state()).toEqual(version);
  });

  test('are not guessed: an ambiguous selector lists its matches', async () => {
    const { credential } = await make('acme');
    await createAccount(stores, clock, { id: 'other' });
    await store.write('all', (writer) => {
      writer.putCredential({ ...credential, id: 'ci', secretHash: 'a' });
      writer.putCredential({ ...credential, id: 'ci', accountId: 'other', secretHash: 'b' });
    });
    const error = await failure(revokeKey(store, clock, 'ci'));
    expect(error.code).toBe('ambiguous');
    expect(error.message).toContain(`acme/ci (${credential.preview}), other/ci (${credential.preview})`);
    expect((await store.read('all')).credentials.every((key) => key.revokedAtMs === null)).toBe(true);
  });

  test('do not appear in the message if their secret is not found', async () => {
    const error = await failure(revokeKey(store, clock, 'sk-somebodys-real-secret'));
    expect(error).toMatchObject({ code: 'not_found', message: 'key: no key matches that secret' });
  });
});
