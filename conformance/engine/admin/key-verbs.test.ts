import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { CredentialKey } from '../../../src/domain/access/api-key.ts';
import { hashSecret } from '../../../src/engine/access/secrets.ts';
import { createAccount } from '../../../src/engine/admin/accounts/change-accounts.ts';
import { applyConfiguration } from '../../../src/engine/admin/configuration/apply-configuration.ts';
import {
  changeKey,
  createKey,
  revokeKey,
  revokeOneKey,
  rotateKey,
} from '../../../src/engine/admin/keys/change-keys.ts';
import { keyView, listedKeyView, listKeys, showKey } from '../../../src/engine/admin/keys/read-keys.ts';
import { failureOf } from '../../../src/engine/admin/testing/failure-of.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { sampleConfiguration } from '../../../src/engine/admin/testing/sample-configuration.ts';
import { sampleCredential } from '../../../src/engine/ports/testing/samples.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { openTrailedStore, type TestStore } from '../../../src/stores/sqlite/testing/trailed-store.ts';

const KEY: CredentialKey = { accountId: 'acme', kind: 'inference', id: 'ci' };
const TOKEN: CredentialKey = { ...KEY, kind: 'management' };
const FILED: CredentialKey = { accountId: 'filed', kind: 'inference', id: 'ci' };

let store: TestStore;
let clock: FakeClock;

afterEach(closeTestStores);

beforeEach(async () => {
  store = await openTrailedStore();
  clock = new FakeClock();
  await createAccount(store, clock, { id: 'acme' });
});

const create = ({ id, ...owner }: CredentialKey, input: object = {}) =>
  createKey(store.directory, clock, owner, { id, ...input });
const change = (key: CredentialKey, input: unknown) => changeKey(store.directory, clock, key, input);
const declared = () => {
  const keys = [{ id: 'ci', secret: 'sk-of-the-file' }];
  return applyConfiguration(store.directory, clock, sampleConfiguration({ accounts: [{ id: 'filed', keys }] }));
};
const endOf = async (secret: string | null) =>
  (await store.directory.principal(hashSecret(secret ?? '')))?.secretEndsAtMs;
const holder = async (secret: string) => (await store.directory.principal(hashSecret(secret)))?.credential ?? null;

describe('creating under an id', () => {
  test('is idempotent: the secret is never shown again', async () => {
    const { secret, credential } = await create(KEY, { limit_usd: '5', models: ['a'] });
    expect(secret).toMatch(/^sk-\w{48}$/);
    const state = await store.directory.state();
    clock.advance(1);
    expect(await create(KEY, { models: ['a'], limit_usd: '5.00' })).toEqual({ secret: null, credential });
    expect(await store.directory.state()).toEqual(state);
  });

  test('with different content, or with the id of a revoked key, is refused', async () => {
    await create(KEY);
    expect(await failureOf(create(KEY, { limit_usd: '5' }))).toMatchObject({
      code: 'already_exists',
      message: 'id: the key "acme/ci" already exists with a different limit_usd; change it, or choose another id',
    });
    await revokeOneKey(store.directory, clock, KEY);
    expect((await failureOf(create(KEY))).message).toBe(
      'id: the key "acme/ci" already exists and is revoked; choose another id',
    );
  });

  test('can be retried after the key has expired', async () => {
    const input = { expires_at: '2023-11-15' };
    const { credential } = await create(KEY, input);
    clock.advance(86_400_000);
    expect(await create(KEY, input)).toEqual({ secret: null, credential });
  });

  test('keys and tokens have separate ids, and a token has no limits', async () => {
    await create(KEY);
    expect((await create(TOKEN, { expires_at: '2030-01-01' })).secret).toMatch(/^mt-\w{48}$/);
    expect(await failureOf(create({ ...TOKEN, id: 'b' }, { limit_usd: '5' }))).toMatchObject({ field: 'limit_usd' });
  });

  test('suggests an account for an unknown one', async () => {
    expect((await failureOf(create({ ...KEY, accountId: 'acne' }))).message).toBe(
      'account: there is no account "acne" (did you mean "acme"?)',
    );
  });
});

describe('changing', () => {
  test('replaces the named fields and keeps the secret', async () => {
    const { secret } = await create(KEY, { limit_usd: '5', models: ['a'], expires_at: '2030-01-01' });
    expect(await change(KEY, { limit_usd: null, models: ['b', 'c-*'], id: 'ci' })).toMatchObject({
      changed: ['limit_usd', 'models'],
    });
    expect(await holder(secret ?? '')).toMatchObject({
      limitNanoUsd: null,
      models: ['b', 'c-*'],
      expiresAtMs: Date.parse('2030-01-01'),
    });
    const state = await store.directory.state();
    expect(await change(KEY, { models: ['b', 'c-*'] })).toMatchObject({ changed: [] });
    expect(await store.directory.state()).toEqual(state);
  });

  test.each([
    [{ limit_usd: '-1' }, 'limit_usd'],
    [{ models: [] }, 'models'],
    [{ expires_at: '2020-01-01' }, 'expires_at'],
    [{ id: 'other' }, 'id'],
    [{ secret: 'sk-of-my-own-choice' }, 'secret'],
    [null, 'input'],
  ])('%p is refused, naming %s', async (input, field) => {
    await create(KEY);
    expect(await failureOf(change(KEY, input))).toMatchObject({ code: 'invalid_value', field });
  });

  test('renames and extends an expired key', async () => {
    await create(KEY, { expires_at: '2023-11-15' });
    clock.advance(172_800_000);
    expect(await change(KEY, { name: 'Old' })).toMatchObject({ changed: ['name'] });
    expect(await change(KEY, { expires_at: '2024-01-01' })).toMatchObject({ changed: ['expires_at'] });
  });

  test('refuses a revoked, configured or unknown key', async () => {
    await declared();
    await create(KEY);
    await create({ ...KEY, id: 'laptop' });
    await revokeOneKey(store.directory, clock, KEY);
    expect(await failureOf(change(KEY, { name: 'x' }))).toMatchObject({ code: 'conflict', field: 'key' });
    expect((await failureOf(change(FILED, { name: 'x' }))).message).toContain('declared in the configuration file');
    expect((await failureOf(change({ ...KEY, id: 'latop' }, {}))).message).toBe(
      'key: there is no key "latop" (did you mean "laptop"?)',
    );
    expect((await failureOf(change(TOKEN, {}))).message).toBe('management token: there is no management token "ci"');
    expect((await failureOf(change({ ...KEY, accountId: 'nobody' }, {}))).field).toBe('account');
  });
});

describe('rotating', () => {
  test.each([KEY, TOKEN])('returns a new secret and ends the old one: %p', async (key) => {
    const before = await create(key, { name: 'Ops' });
    const { secret, credential } = await rotateKey(store.directory, clock, key);
    expect(secret.slice(0, 3)).toBe(before.secret?.slice(0, 3) ?? '');
    expect(await endOf(before.secret)).toBe(0);
    expect(await endOf(secret)).toBeUndefined();
    expect(await holder(secret)).toEqual(credential);
    const { secretHash, preview, previousSecret, ...rest } = before.credential;
    expect(credential).toMatchObject({ ...rest, previousSecret: { secretHash, endsAtMs: 0 } });
    expect([credential.secretHash, credential.preview]).not.toEqual([secretHash, preview]);
  });

  test('accepts the old secret until its grace period ends or the next rotation', async () => {
    const secrets = [(await create(KEY)).secret];
    for (const grace_seconds of [60, 90]) {
      secrets.push((await rotateKey(store.directory, clock, KEY, { grace_seconds })).secret);
    }
    const ends = () => Promise.all(secrets.map((secret) => endOf(secret)));
    expect(await ends()).toEqual([0, clock.nowMs() + 90_000, undefined]);
    const { credential } = await showKey(store, KEY);
    expect(keyView(credential, clock.nowMs()).previous_secret_expires_at).toBe('2023-11-14T22:14:50Z');
    expect(keyView(credential, clock.nowMs() + 90_000).previous_secret_expires_at).toBeNull();
    // A person who finds an old secret can revoke the key by it.
    await revokeKey(store.directory, clock, secrets[1] ?? '');
    expect(await holder(secrets[2] ?? '')).toMatchObject({ revokedAtMs: clock.nowMs() });
  });

  test('keeps the last twenty old secrets, which the file cannot give to another key', async () => {
    const secrets = [(await create(KEY)).secret];
    for (let index = 0; index < 21; index++) {
      secrets.push((await rotateKey(store.directory, clock, KEY)).secret);
    }
    expect(await holder(secrets[1] ?? '')).toMatchObject({ id: 'ci' });
    const keys = [{ id: 'other', secret: secrets[20] }];
    const taken = sampleConfiguration({ accounts: [{ id: 'filed', keys }] });
    expect(await failureOf(applyConfiguration(store.directory, clock, taken))).toMatchObject({
      code: 'already_exists',
      field: 'secret',
    });
  });

  test.each([-1, 2_592_001, 0.5, 'a day'])('refuses a grace period of %p', async (grace_seconds) => {
    await create(KEY);
    expect(await failureOf(rotateKey(store.directory, clock, KEY, { grace_seconds }))).toMatchObject({
      code: 'invalid_value',
      field: 'grace_seconds',
    });
  });

  test('refuses a revoked or configured key', async () => {
    await declared();
    await create(TOKEN);
    await revokeOneKey(store.directory, clock, TOKEN);
    for (const key of [TOKEN, FILED]) {
      expect((await failureOf(rotateKey(store.directory, clock, key))).code).toBe('conflict');
    }
  });
});

describe('by a token', () => {
  const by = { scopes: ['tokens:write', 'usage:read'] as const, expiresAtMs: Date.parse('2030-01-01') };
  const make = (input: object) => createKey(store.directory, clock, TOKEN, { id: 'made', ...input }, by);

  test('creates one with the same scopes and expiry at most', async () => {
    const { credential } = await make({ scopes: ['tokens:read', 'usage:read'], expires_at: '2030-01-01' });
    expect(credential.scopes).toEqual(['tokens:read', 'usage:read']);
  });

  test.each<[object, string]>([
    [{ expires_at: '2029-01-01' }, 'scopes'],
    [{ scopes: ['usage:read', 'keys:write'], expires_at: '2029-01-01' }, 'scopes'],
    [{ scopes: ['*:read'], expires_at: '2029-01-01' }, 'scopes'],
    [{ scopes: ['usage:read'] }, 'expires_at'],
    [{ scopes: ['usage:read'], expires_at: '2030-01-02' }, 'expires_at'],
  ])('grants nothing beyond its own rights: %p', async (input, field) => {
    expect(await failureOf(make(input))).toMatchObject({ code: 'forbidden', field });
    const { id: _id, ...rest } = TOKEN;
    await createKey(
      store.directory,
      clock,
      { ...rest },
      { id: 'weak', scopes: ['usage:read'], expires_at: '2029-01-01' },
    );
    const changed = changeKey(
      store.directory,
      clock,
      { ...TOKEN, id: 'weak' },
      { scopes: null, expires_at: null, ...input },
      by,
    );
    expect(await failureOf(changed)).toMatchObject({ code: 'forbidden', field });
  });

  test('neither changes nor rotates one with more rights', async () => {
    await create(TOKEN);
    expect((await failureOf(changeKey(store.directory, clock, TOKEN, { name: 'x' }, by))).code).toBe('forbidden');
    expect((await failureOf(rotateKey(store.directory, clock, TOKEN, {}, by))).code).toBe('forbidden');
  });

  test('lists the known scopes for an unknown one', async () => {
    expect((await failureOf(create(TOKEN, { scopes: ['key:read'] }))).message).toContain('keys:read');
    expect(await failureOf(create(TOKEN, { scopes: [] }))).toMatchObject({ field: 'scopes' });
  });
});

describe('revoking', () => {
  test('revokes this one only, once, also if configured', async () => {
    await declared();
    await create(KEY);
    await create(TOKEN);
    const { credential } = await revokeOneKey(store.directory, clock, KEY);
    clock.advance(1);
    expect(await revokeOneKey(store.directory, clock, KEY)).toEqual({ credential, alreadyRevoked: true });
    expect((await showKey(store, TOKEN)).credential.revokedAtMs).toBeNull();
    expect(await revokeOneKey(store.directory, clock, FILED)).toMatchObject({ credential: { origin: 'operator' } });
    expect((await declared()).notices).toHaveLength(1);
    expect((await failureOf(revokeOneKey(store.directory, clock, { ...KEY, id: 'no' }))).code).toBe('not_found');
  });

  test('names a few accounts if many have the id', async () => {
    await store.directory.write('all', (writer) => {
      for (const { id } of writer.read().accounts) {
        for (let index = 0; index < 8; index++) {
          const kind = index % 2 === 0 ? 'inference' : 'management';
          const key = sampleCredential({ accountId: id, kind, id: `k${index >> 1}`, preview: 'same' });
          writer.putCredential({ ...key, secretHash: `hash-${index}` });
        }
      }
    });
    const { message } = await failureOf(revokeKey(store.directory, clock, 'same'));
    expect(message).toContain('acme/k0 (same) and 3 more; choose one, written like this');
  });
});

describe('listing', () => {
  test('pages through one account or kind, with spending and last use', async () => {
    await declared();
    for (const id of ['a', 'b', 'c']) await create({ ...KEY, id });
    await create(TOKEN);
    await store.keyUse.write([{ ...KEY, id: 'b', lastUsedAtMs: 5 }]);
    const ids = async (request: Parameters<typeof listKeys>[1]) => {
      const { items, next } = await listKeys(store, request);
      return [items.map(({ credential }) => credential.id).join(' '), next] as const;
    };
    const [first, next] = await ids({ accountId: 'acme', limit: 3 });
    expect(first).toBe('a b c');
    expect(await ids({ accountId: 'acme', limit: 3, after: next })).toEqual(['ci', null]);
    expect(await ids({ kind: 'management' })).toEqual(['ci', null]);
    expect(await ids({ kind: 'inference' })).toEqual(['a b c ci', null]);
    const { items } = await listKeys(store, { accountId: 'acme', kind: 'inference' });
    expect(items.map(({ lastUsedAtMs }) => lastUsedAtMs)).toEqual([null, 5, null]);
  });

  test('has neither secret nor hash in the view', async () => {
    const { secret, credential } = await create(KEY, { limit_usd: '0.25', expires_at: '2030-01-01T00:00:00.5Z' });
    const view = listedKeyView(await showKey(store, KEY), clock.nowMs());
    expect(view).toEqual({
      id: 'ci',
      account: 'acme',
      kind: 'inference',
      name: 'ci',
      guards: [],
      preview: credential.preview,
      limit_usd: '0.25',
      budget: null,
      budget_raise: null,
      models: null,
      requests_per_minute: null,
      capture: null,
      usage_access: 'key',
      previous_secret_expires_at: null,
      state: 'active',
      origin: 'operator',
      managed_by: 'api',
      created_at: '2023-11-14T22:13:20Z',
      expires_at: '2030-01-01T00:00:00.500Z',
      revoked_at: null,
      spent_usd: '0',
      last_used_at: null,
    });
    const written = JSON.stringify(view);
    for (const hidden of [secret ?? '', credential.secretHash]) expect(written).not.toContain(hidden);
  });
});
