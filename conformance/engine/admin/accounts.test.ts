import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  archiveAccount,
  changeAccount,
  createAccount,
  restoreAccount,
} from '../../../src/engine/admin/accounts/change-accounts.ts';
import { accountView, listAccounts, showAccount } from '../../../src/engine/admin/accounts/read-accounts.ts';
import { applyConfiguration } from '../../../src/engine/admin/configuration/apply-configuration.ts';
import { createKey } from '../../../src/engine/admin/keys/change-keys.ts';
import { ensureFirstKey } from '../../../src/engine/admin/keys/ensure-first-key.ts';
import { allItems } from '../../../src/engine/admin/page.ts';
import { failureOf } from '../../../src/engine/admin/testing/failure-of.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { sampleConfiguration } from '../../../src/engine/admin/testing/sample-configuration.ts';
import { sampleAccount } from '../../../src/engine/ports/testing/samples.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { openTrailedStore, type TestStore } from '../../../src/stores/sqlite/testing/trailed-store.ts';

let store: TestStore;
let clock: FakeClock;

afterEach(closeTestStores);

beforeEach(async () => {
  store = await openTrailedStore();
  clock = new FakeClock();
  await createAccount(store, clock, { id: 'acme', role: 'Partner', tokens_per_minute: 100 });
});

const declared = () =>
  applyConfiguration(store.directory, clock, sampleConfiguration({ accounts: [{ id: 'filed', name: 'Filed' }] }));

describe('creating', () => {
  test('with an opening balance is idempotent; another balance is refused', async () => {
    const input = { id: 'new', balance_usd: '2.5' };
    expect(await createAccount(store, clock, input)).toMatchObject({ alreadyThere: false });
    const again = await createAccount(store, clock, input);
    expect(again).toMatchObject({ alreadyThere: true, balance: { balanceNanoUsd: 2_500_000_000n } });
    expect(await failureOf(createAccount(store, clock, { ...input, balance_usd: '3' }))).toMatchObject({
      code: 'already_exists',
      field: 'balance_usd',
    });
    expect((await store.ledger.balance('new')).balanceNanoUsd).toBe(2_500_000_000n);
  });

  test('names every wrong field and suggests the right one', async () => {
    expect(await failureOf(createAccount(store, clock, { id: 'a b', rol: 'VIP', admin: 'perhaps' }))).toMatchObject({
      code: 'invalid_value',
      field: 'id',
      message:
        'id: must be 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit; ' +
        'admin: must be true or false; rol: unknown field (did you mean "role"?)',
    });
    expect((await failureOf(createAccount(store, clock, []))).message).toBe('input: must be a map of fields');
    expect((await failureOf(createAccount(store, clock, { id: 'x', keys: [] }))).field).toBe('keys');
  });
});

describe('changing', () => {
  test('replaces named fields, resets those that are null, and keeps the rest', async () => {
    const { account, changed } = await changeAccount(store.directory, 'acme', {
      name: 'Acme',
      tokens_per_minute: null,
    });
    expect(changed).toEqual(['name', 'tokens_per_minute']);
    expect(account).toMatchObject({ name: 'Acme', role: 'Partner', tokensPerMinute: null });
    expect((await showAccount(store, 'acme')).account).toEqual(account);
  });

  test('replaces the cache settings as a whole, as they are written', async () => {
    const said = {
      ...{ strategy: 'semantic', ttl_seconds: 60, max_temperature: 0.5, coalesce: false },
      semantic: { certainty: 0.9, tools: true, media: false },
    };
    const set = async (cache: unknown) => {
      const { changed } = await changeAccount(store.directory, 'acme', { cache });
      return { changed, cache: accountView(await showAccount(store, 'acme'), clock.nowMs()).cache };
    };
    expect(await set(said)).toEqual({ changed: ['cache'], cache: said } as never);
    expect(await set({ ...said, coalesce: undefined, ttl_seconds: '60' })).toMatchObject({ changed: ['cache'] });
    expect(await set({ coalesce: true })).toEqual({ changed: ['cache'], cache: { coalesce: true } });
    expect(await set({ coalesce: true, semantic: {} })).toMatchObject({ changed: [] });
    expect(await set({})).toEqual({ changed: ['cache'], cache: null });
  });

  test('to the present values writes nothing', async () => {
    const state = await store.directory.state();
    expect(await changeAccount(store.directory, 'acme', { id: 'acme', role: 'Partner' })).toMatchObject({
      changed: [],
    });
    expect(await changeAccount(store.directory, 'acme', {})).toMatchObject({ changed: [] });
    expect(await store.directory.state()).toEqual(state);
  });

  test.each([
    [{ role: 'Boss' }, 'role'],
    [{ id: 'other' }, 'id'],
    [{ balance_usd: '5' }, 'balance_usd'],
    [{ requests_per_minute: 0 }, 'requests_per_minute'],
    [{ colour: 'red' }, 'colour'],
    [{ cache: { strategy: 'all' } }, 'cache.strategy'],
    [{ cache: { semantic: { certanty: 1 } } }, 'cache.semantic.certanty'],
    ['role', 'input'],
  ])('%p is refused, naming %s', async (change, field) => {
    expect(await failureOf(changeAccount(store.directory, 'acme', change))).toMatchObject({
      code: 'invalid_value',
      field,
    });
  });

  test('suggests an id for an unknown account, and names the place in the file for a configured one', async () => {
    await declared();
    expect((await failureOf(changeAccount(store.directory, 'acmee', {}))).message).toBe(
      'account: there is no account "acmee" (did you mean "acme"?)',
    );
    expect(await failureOf(changeAccount(store.directory, 'filed', { name: 'Mine' }))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('configuration file'),
    });
  });
});

describe('archiving', () => {
  test('happens once and can be undone; all else stays', async () => {
    const { account } = await archiveAccount(store.directory, clock, 'acme');
    expect(account).toMatchObject({ archivedAtMs: clock.nowMs(), role: 'Partner', origin: 'operator' });
    clock.advance(5);
    expect(await archiveAccount(store.directory, clock, 'acme')).toEqual({ account, changed: [] });
    expect(await restoreAccount(store.directory, 'acme')).toMatchObject({ changed: ['archived'] });
    expect(await restoreAccount(store.directory, 'acme')).toMatchObject({ changed: [] });
    expect((await failureOf(archiveAccount(store.directory, clock, 'nobody'))).code).toBe('not_found');
  });

  test('outlasts the configuration file, which reports a notice', async () => {
    await declared();
    await archiveAccount(store.directory, clock, 'filed');
    const { notices, updated } = await declared();
    expect([updated, notices]).toEqual([[], ['account filed stays archived until an admin restores it']]);
    expect((await showAccount(store, 'filed')).account.archivedAtMs).not.toBeNull();
  });

  test('stops new keys, including the first key at a start', async () => {
    const first = await ensureFirstKey(store.directory, clock);
    await archiveAccount(store.directory, clock, first?.credential.accountId ?? '');
    expect(await ensureFirstKey(store.directory, clock)).toBeNull();
    const owner = { accountId: 'default', kind: 'inference' } as const;
    expect(await failureOf(createKey(store.directory, clock, owner, {}))).toMatchObject({
      code: 'conflict',
      field: 'account',
    });
  });
});

describe('listing', () => {
  test('pages to the end, even while accounts are created', async () => {
    for (const id of ['b', 'd', 'f']) await createAccount(store, clock, { id });
    const first = await listAccounts(store, { limit: 2 });
    expect(first.items.map(({ account }) => account.id)).toEqual(['acme', 'b']);
    await createAccount(store, clock, { id: 'a' });
    await createAccount(store, clock, { id: 'c' });
    const second = await listAccounts(store, { limit: 2, after: first.next });
    const third = await listAccounts(store, { limit: 2, after: second.next });
    expect([...second.items, ...third.items].map(({ account }) => account.id)).toEqual(['c', 'd', 'f']);
    expect(third.next).toBeNull();
    expect((await allItems((page) => listAccounts(store, page))).length).toBe(6);
  });

  test.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 1_001 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ after: 'acme' }, 'after'],
    [{ after: Buffer.from('["a","b"]').toString('base64url') }, 'after'],
  ])('%p is refused, naming %s', async (request, field) => {
    expect(await failureOf(listAccounts(store, request))).toMatchObject({ code: 'invalid_value', field });
  });

  test('reads one page only', async () => {
    const { directory, ledger } = store;
    const reads: unknown[] = [];
    const watched = {
      ledger,
      directory: {
        accounts: (page: Parameters<typeof directory.accounts>[0]) => {
          reads.push(page);
          return directory.accounts(page);
        },
      } as unknown as typeof directory, // The fake has nothing else that it could request.
    };
    await listAccounts(watched, { limit: 1 });
    expect(reads).toEqual([{ after: null, limit: 2 }]);
  });
});

test('with very many accounts a misspelt id is compared with ids that begin alike', async () => {
  await store.directory.write({ serving: false }, (writer) => {
    for (let index = 0; index < 1_500; index++) writer.putAccount(sampleAccount({ id: `bulk-${index}` }));
    writer.putAccount(sampleAccount({ id: 'zebra' }));
  });
  expect((await failureOf(showAccount(store, 'zebre'))).message).toContain('did you mean "zebra"');
});

test('the view has decimal amounts, RFC 3339 times, and the state', async () => {
  await store.ledger.append({
    idempotencyKey: 'grant',
    accountId: 'acme',
    keyId: null,
    kind: 'grant',
    amountNanoUsd: 1_500_000_001n,
    requestId: null,
    atMs: 1,
    note: null,
  });
  clock.advance(250);
  await archiveAccount(store.directory, clock, 'acme');
  expect(accountView(await showAccount(store, 'acme'), clock.nowMs())).toEqual({
    id: 'acme',
    name: 'acme',
    role: 'Partner',
    admin: false,
    billing: 'prepaid',
    requests_per_minute: null,
    tokens_per_minute: 100,
    max_concurrent: null,
    budget: null,
    budget_raise: null,
    strategy: null,
    cache: null,
    capture: 'none',
    capture_days: null,
    quotas: null,
    billing_details: null,
    guards: [],
    fallbacks: [],
    balance_usd: '1.500000001',
    held_usd: '0',
    free_usd: '1.500000001',
    state: 'archived',
    origin: 'operator',
    managed_by: 'api',
    created_at: '2023-11-14T22:13:20Z',
    archived_at: '2023-11-14T22:13:20.250Z',
  });
});
