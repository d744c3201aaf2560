import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createAccount } from '../../../src/engine/admin/accounts/change-accounts.ts';
import { listAccounts, showAccount } from '../../../src/engine/admin/accounts/read-accounts.ts';
import { AdminError } from '../../../src/engine/admin/admin-error.ts';
import { createKey } from '../../../src/engine/admin/keys/change-keys.ts';
import { listKeys } from '../../../src/engine/admin/keys/read-keys.ts';
import {
  type BalanceChange,
  changeBalance,
  grantOpeningBalances,
} from '../../../src/engine/admin/ledger/change-ledger.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { NO_USAGE } from '../../../src/engine/ports/usage-store.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { openTrailedStore, type TestStore } from '../../../src/stores/sqlite/testing/trailed-store.ts';

let store: TestStore;
let clock: FakeClock;

beforeEach(async () => {
  store = await openTrailedStore();
  clock = new FakeClock();
  await createAccount(store, clock, { id: 'acme' });
});
afterEach(closeTestStores);

const USD = 1_000_000_000n;
const balanceOf = async (id: string) => (await store.ledger.balance(id)).balanceNanoUsd;
const change = (input: Partial<BalanceChange>) =>
  changeBalance(store, clock, { kind: 'grant', accountId: 'acme', usd: '1', ...input });

const failure = async (promise: Promise<unknown>): Promise<AdminError> => {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AdminError)) throw new Error(`expected an AdminError, got ${error}`);
  return error;
};

describe('the opening balance of the file', () => {
  const grant = (amounts: Record<string, bigint | null>) =>
    grantOpeningBalances(store, clock, {
      accounts: Object.entries(amounts).map(([id, openingBalanceNanoUsd]) => ({ id, openingBalanceNanoUsd })),
    });

  test('is granted once, however often the file is applied', async () => {
    await createAccount(store, clock, { id: 'other' });
    expect(await grant({ acme: 10n * USD, other: null })).toEqual({
      granted: [{ accountId: 'acme', amountNanoUsd: 10n * USD }],
      notices: [],
    });
    clock.advance(1_000);
    expect(await grant({ acme: 10n * USD, other: null })).toEqual({ granted: [], notices: [] });
    expect([await balanceOf('acme'), await balanceOf('other')]).toEqual([10n * USD, 0n]);
    expect(await store.ledger.entries('acme', 5)).toMatchObject([
      { idempotencyKey: 'opening:acme', kind: 'grant', amountNanoUsd: 10n * USD, note: 'opening balance', keyId: null },
    ]);
  });

  test('is granted once if two nodes start together', async () => {
    const both = await Promise.all([grant({ acme: 1n }), grant({ acme: 1n })]);
    expect(both.flatMap(({ granted }) => granted)).toHaveLength(1);
    expect(await balanceOf('acme')).toBe(1n);
  });

  test('grants nothing if the amount changes, and reports it', async () => {
    await grant({ acme: 10n * USD });
    const { granted, notices } = await grant({ acme: 12_500_000_000n });
    expect(granted).toEqual([]);
    expect(notices).toEqual([
      'account acme: balance_usd was already granted with an amount other than 12.5; nothing is granted ' +
        '("switchyard accounts grant acme AMOUNT" adds to a balance)',
    ]);
    expect(await balanceOf('acme')).toBe(10n * USD);
  });

  test('is granted later if added later; zero grants nothing', async () => {
    expect((await grant({ acme: 0n })).granted).toEqual([]);
    expect((await grant({ acme: 5n })).granted).toHaveLength(1);
  });

  test('matches the one that the account was created with', async () => {
    const { balance } = await createAccount(store, clock, { id: 'new', balance_usd: '2' });
    expect(balance).toMatchObject({ balanceNanoUsd: 2n * USD, leasedNanoUsd: 0n });
    expect(await grant({ new: 2n * USD })).toEqual({ granted: [], notices: [] });
    expect((await grant({ new: 3n * USD })).notices).toHaveLength(1);
  });
});

test('an account with an invalid opening balance is not created', async () => {
  for (const balanceUsd of ['-1', '1e3', '0.0000000001', '1000000001', '']) {
    const error = await failure(createAccount(store, clock, { id: 'new', balance_usd: balanceUsd }));
    expect(error).toMatchObject({ code: 'invalid_value', field: 'balance_usd' });
  }
  expect((await listAccounts(store, {})).items.map(({ account }) => account.id)).toEqual(['acme']);
});

describe('a change of a balance', () => {
  test('is exact, adds up, and is an entry with its note', async () => {
    expect(await change({ usd: '0.1', note: 'invoice 1' })).toMatchObject({
      amountNanoUsd: 100_000_000n,
      alreadyMade: false,
      balance: { balanceNanoUsd: 100_000_000n },
    });
    await change({ usd: '0.2' });
    await change({ kind: 'adjustment', usd: '-0.3', note: 'taken back' });
    await change({ kind: 'adjustment', usd: '+0.000000001', note: 'the last' });
    expect(await balanceOf('acme')).toBe(1n);
    const entries = await store.ledger.entries('acme', 10);
    expect(entries.map(({ kind, amountNanoUsd, note }) => [kind, amountNanoUsd, note])).toEqual([
      ['adjustment', 1n, 'the last'],
      ['adjustment', -300_000_000n, 'taken back'],
      ['grant', 200_000_000n, null],
      ['grant', 100_000_000n, 'invoice 1'],
    ]);
    expect((await store.ledger.verify()).problems).toEqual([]);
  });

  test('happens once per idempotency key, and every time without one', async () => {
    expect((await change({ idempotencyKey: 'invoice-1' })).alreadyMade).toBe(false);
    clock.advance(60_000);
    expect(await change({ idempotencyKey: 'invoice-1' })).toMatchObject({
      alreadyMade: true,
      balance: { balanceNanoUsd: USD },
    });
    await change({});
    await change({});
    expect(await balanceOf('acme')).toBe(3n * USD);
  });

  test('is refused under the key of a different change', async () => {
    await createAccount(store, clock, { id: 'other' });
    await change({ idempotencyKey: 'invoice-1' });
    for (const other of [{ usd: '2' }, { accountId: 'other' }, { kind: 'adjustment', note: 'n' } as const]) {
      const error = await failure(change({ idempotencyKey: 'invoice-1', ...other }));
      expect(error).toMatchObject({ code: 'already_exists', field: 'idempotency_key' });
    }
    expect(await balanceOf('acme')).toBe(USD);
  });

  test('does not collide with a charge or an opening balance', async () => {
    await change({ idempotencyKey: 'charge:request-1' });
    await change({ idempotencyKey: 'opening:acme' });
    const charge = {
      requestId: 'request-1',
      accountId: 'acme',
      keyId: null,
      costNanoUsd: 5n,
      atMs: 1,
      usage: NO_USAGE,
    };
    expect(await store.ledger.charge({ ...charge, fromAccountLease: 0n, fromKeyLease: 0n })).toBe('charged');
    const accounts = [{ id: 'acme', openingBalanceNanoUsd: 7n }];
    expect((await grantOpeningBalances(store, clock, { accounts })).granted).toHaveLength(1);
  });

  test('takes at most the available balance, and reports what is held', async () => {
    await change({ usd: '3' });
    await store.ledger.lease({ accountId: 'acme', keyId: null }, 2n * USD, 1n);
    const error = await failure(change({ kind: 'adjustment', usd: '-1.5', note: 'n' }));
    expect(error).toMatchObject({
      code: 'insufficient',
      message: 'usd: would exceed the balance, which is 3 USD, of which 2 is reserved for requests',
    });
    expect((await change({ kind: 'adjustment', usd: '-1', note: 'n' })).balance).toEqual({
      accountId: 'acme',
      balanceNanoUsd: 2n * USD,
      leasedNanoUsd: 2n * USD,
    });
  });

  test.each<[Partial<BalanceChange>, string, string]>([
    [{ usd: '0' }, 'usd', 'invalid_value'],
    [{ usd: '-1' }, 'usd', 'invalid_value'],
    [{ usd: 'ten' }, 'usd', 'invalid_value'],
    [{ usd: '+' }, 'usd', 'invalid_value'],
    [{ usd: '++1' }, 'usd', 'invalid_value'],
    [{ usd: '0.0000000001' }, 'usd', 'invalid_value'],
    [{ usd: '1000000000.000000001' }, 'usd', 'invalid_value'],
    [{ kind: 'adjustment', usd: '0', note: 'n' }, 'usd', 'invalid_value'],
    [{ kind: 'adjustment', usd: '1' }, 'note', 'invalid_value'],
    [{ kind: 'adjustment', usd: '1', note: ' ' }, 'note', 'invalid_value'],
    [{ note: 'x'.repeat(501) }, 'note', 'invalid_value'],
    [{ idempotencyKey: 'two words' }, 'idempotency_key', 'invalid_value'],
    [{ idempotencyKey: '' }, 'idempotency_key', 'invalid_value'],
    [{ idempotencyKey: 'x'.repeat(201) }, 'idempotency_key', 'invalid_value'],
    [{ accountId: 'nobody' }, 'account', 'not_found'],
  ])('%p is refused', async (input, field, code) => {
    expect(await failure(change(input))).toMatchObject({ field, code });
    expect(await store.ledger.entries('acme', 5)).toEqual([]);
  });

  test('suggests the account that was probably meant', async () => {
    expect((await failure(change({ accountId: 'acmee' }))).message).toBe(
      'account: there is no account "acmee" (did you mean "acme"?)',
    );
  });

  test('keeps a balance below a billion USD', async () => {
    await change({ usd: '999999999' });
    expect((await failure(change({ usd: '2' }))).message).toBe('usd: would bring the balance above 1000000000');
    await change({ usd: '1' });
  });
});

test('accounts are listed with their balances, including those without entries', async () => {
  await createAccount(store, clock, { id: 'a-new-one' });
  await change({ usd: '4' });
  await store.ledger.lease({ accountId: 'acme', keyId: null }, USD, 1n);
  const listed = (await listAccounts(store, {})).items.map(({ balance }) => balance);
  expect(listed).toEqual([
    { accountId: 'a-new-one', balanceNanoUsd: 0n, leasedNanoUsd: 0n },
    { accountId: 'acme', balanceNanoUsd: 4n * USD, leasedNanoUsd: USD },
  ]);
  expect((await showAccount(store, 'a-new-one')).balance).toEqual(listed[0]!);
});

test('keys are listed with their spending and last use', async () => {
  const { credential } = await createKey(store.directory, clock, { accountId: 'acme', kind: 'inference' }, {});
  await createKey(store.directory, clock, { accountId: 'acme', kind: 'management' }, {});
  await store.keyUse.write([{ accountId: 'acme', kind: 'inference', id: credential.id, lastUsedAtMs: 5 }]);
  await store.ledger.charge({
    requestId: 'r',
    accountId: 'acme',
    keyId: credential.id,
    costNanoUsd: 7n,
    fromAccountLease: 0n,
    fromKeyLease: 0n,
    atMs: 1,
    usage: NO_USAGE,
  });
  const { items: listed } = await listKeys(store, { accountId: 'acme' });
  expect(listed.find(({ credential: key }) => key.kind === 'inference')).toMatchObject({
    spentNanoUsd: 7n,
    lastUsedAtMs: 5,
  });
  expect(listed.find(({ credential: key }) => key.kind === 'management')).toMatchObject({
    spentNanoUsd: 0n,
    lastUsedAtMs: null,
  });
});
