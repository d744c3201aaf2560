import { expect, test } from 'bun:test';
import {
  ACCOUNT_ORDERS,
  KEY_ORDERS,
  type SortedPage,
  type SortPlace,
  USER_ORDERS,
} from '../../../engine/ports/list-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount, sampleCharge, sampleCredential, sampleEntry } from '../../../engine/ports/testing/samples.ts';
import { sampleInvitation } from './people-contract.ts';

const NOW = 1_790_000_000_000;
/** More than a double can represent, and equal but for the last digit. */
const LARGE = [9_007_199_254_740_993n, 9_007_199_254_740_992n] as const;

type Read = (page: SortedPage) => Promise<readonly SortPlace[]>;

/** Resolves to the ids of a whole list, read in pages of two. */
async function idsOf(read: Read, isDown: boolean): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after: SortPlace | null = null; ; ) {
    const page: readonly SortPlace[] = await read({ isDown, after, limit: 2 });
    ids.push(...page.map(({ id }) => id));
    after = page.at(-1) ?? null;
    if (after === null) return ids;
  }
}

/** Returns the ids in the order of their values, and of ids within the same value. */
function inOrder(values: Readonly<Record<string, string | number | bigint>>, isDown: boolean): readonly string[] {
  const compare = <Value extends string | number | bigint>(one: Value, other: Value) =>
    one < other ? -1 : one > other ? 1 : 0;
  return Object.entries(values)
    .sort(([oneId, one], [otherId, other]) => (isDown ? -1 : 1) * compare(one, other) || compare(oneId, otherId))
    .map(([id]) => id);
}

/** Tests for every `ListStore`. */
export function listTests(store: () => Store): void {
  test('keys are listed in every order and both directions, each once, whatever the size of a page', async () => {
    const { directory, ledger, keyUse, lists } = store();
    await directory.write('all', (writer) => {
      writer.putAccount(sampleAccount({ id: 'acme' }));
      writer.putAccount(sampleAccount({ id: 'other' }));
      const key = (id: string, name: string, createdAtMs: number, expiresAtMs: number | null) =>
        writer.putCredential(sampleCredential({ accountId: 'acme', id, name, createdAtMs, expiresAtMs }));
      key('a', 'Zeta', NOW + 3, null);
      key('b', 'alpha', NOW + 1, NOW + 9);
      key('c', 'Beta', NOW + 2, NOW + 8);
      key('d', 'beta', NOW + 2, null);
      key('e', 'Ünï', NOW + 5, NOW + 7);
      writer.putCredential(sampleCredential({ accountId: 'other', id: 'a' }));
      writer.putCredential(sampleCredential({ accountId: 'acme', id: 'a', kind: 'management' }));
    });
    const spent = { a: 3n, b: LARGE[0], c: LARGE[1], d: 0n, e: 3n };
    for (const [keyId, costNanoUsd] of Object.entries(spent))
      if (costNanoUsd > 0n)
        await ledger.charge(sampleCharge({ requestId: `r-${keyId}`, accountId: 'acme', keyId, costNanoUsd }));
    const used = { a: NOW, b: 0, c: NOW + 2, d: NOW + 1, e: 0 };
    await keyUse.write(
      Object.entries(used)
        .filter(([, lastUsedAtMs]) => lastUsedAtMs > 0)
        .map(([id, lastUsedAtMs]) => ({ accountId: 'acme', kind: 'inference', id, lastUsedAtMs })),
    );
    const never = Number.MAX_SAFE_INTEGER;
    const values: Readonly<Record<(typeof KEY_ORDERS)[number], Readonly<Record<string, string | number | bigint>>>> = {
      name: { a: 'zeta', b: 'alpha', c: 'beta', d: 'beta', e: 'Ünï' },
      created_at: { a: 3, b: 1, c: 2, d: 2, e: 5 },
      expires_at: { a: never, b: 9, c: 8, d: never, e: 7 },
      last_used_at: used,
      spent,
    };
    for (const by of KEY_ORDERS) {
      for (const isDown of [false, true]) {
        const listed = await idsOf((page) => lists.keys({ ...page, accountId: 'acme', by }), isDown);
        // Databases differ in the order of letters beyond ASCII.
        const isCompared = (id: string) => by !== 'name' || id !== 'e';
        expect([by, listed.filter(isCompared)]).toEqual([by, inOrder(values[by], isDown).filter(isCompared)]);
        expect(listed).toHaveLength(5);
      }
    }
    const figures = [
      { id: 'd', amount: LARGE[0] },
      { id: 'b', amount: LARGE[1] },
      { id: 'gone', amount: 5n },
    ];
    const ranked = (isDown: boolean) =>
      idsOf((page) => lists.keys({ ...page, accountId: 'acme', by: { figures } }), isDown);
    expect(await ranked(true)).toEqual(['d', 'b', 'a', 'c', 'e']);
    expect(await ranked(false)).toEqual(['a', 'c', 'e', 'b', 'd']);
  });

  test('keys are found by a part of their name, id or preview, and by their state', async () => {
    const { directory, lists } = store();
    await directory.write('all', (writer) => {
      writer.putAccount(sampleAccount({ id: 'acme' }));
      const put = (id: string, fields: Parameters<typeof sampleCredential>[0]) =>
        writer.putCredential(sampleCredential({ accountId: 'acme', id, name: id, preview: `sk-${id}…`, ...fields }));
      put('a_100%', { name: 'Search' });
      put('b', { name: 'SEARCH again', expiresAtMs: NOW });
      put('c', { preview: 'sk-zz…wxyz', revokedAtMs: 1, expiresAtMs: NOW });
      put('ab100x', {});
    });
    const found = (only: { readonly text?: string; readonly state?: 'active' | 'expired' | 'revoked' }) =>
      idsOf(
        (page) =>
          lists.keys({
            ...{ ...page, accountId: 'acme', by: 'created_at' },
            ...(only.text !== undefined && { text: only.text }),
            ...(only.state !== undefined && { state: { name: only.state, atMs: NOW } }),
          }),
        false,
      );
    expect(await found({ text: 'search' })).toEqual(['a_100%', 'b']);
    expect(await found({ text: '_100%' })).toEqual(['a_100%']);
    expect(await found({ text: 'WXYZ' })).toEqual(['c']);
    expect(await found({ state: 'active' })).toEqual(['a_100%', 'ab100x']);
    expect(await found({ state: 'expired' })).toEqual(['b']);
    expect(await found({ state: 'revoked' })).toEqual(['c']);
    expect(await found({ text: 'search', state: 'expired' })).toEqual(['b']);
  });

  test('accounts are listed in every order, with filters, and report their last activity', async () => {
    const { directory, ledger, keyUse, lists } = store();
    await directory.write('all', (writer) => {
      writer.putAccount(sampleAccount({ id: 'a', name: 'Zeta', createdAtMs: 3 }));
      writer.putAccount(sampleAccount({ id: 'b', name: 'alpha', createdAtMs: 1, role: 'VIP' }));
      writer.putAccount(sampleAccount({ id: 'c', name: 'Alpha', createdAtMs: 2, archivedAtMs: 9 }));
    });
    for (const [accountId, amountNanoUsd] of [
      ['a', LARGE[1]],
      ['c', LARGE[0]],
    ] as const)
      await ledger.append(sampleEntry({ idempotencyKey: accountId, accountId, amountNanoUsd }));
    const use = (accountId: string, id: string, lastUsedAtMs: number) =>
      ({ accountId, kind: 'inference', id, lastUsedAtMs }) as const;
    await keyUse.write([use('a', 'x', 5), use('a', 'y', 8), use('b', 'x', 6)]);
    const values: Readonly<
      Record<(typeof ACCOUNT_ORDERS)[number], Readonly<Record<string, string | number | bigint>>>
    > = {
      name: { a: 'zeta', b: 'alpha', c: 'alpha' },
      created_at: { a: 3, b: 1, c: 2 },
      balance: { a: LARGE[1], b: 0n, c: LARGE[0] },
      free: { a: LARGE[1], b: 0n, c: LARGE[0] },
      last_active_at: { a: 8, b: 6, c: 0 },
    };
    for (const by of ACCOUNT_ORDERS) {
      for (const isDown of [false, true]) {
        const listed = await idsOf((page) => lists.accounts({ ...page, by, only: {} }), isDown);
        expect([by, listed]).toEqual([by, inOrder(values[by], isDown)]);
      }
    }
    const only = { text: 'ALPHA', isArchived: false };
    expect(await idsOf((page) => lists.accounts({ ...page, by: 'name', only }), false)).toEqual(['b']);
    const figures = [{ id: 'b', amount: 1n }];
    const isVip = { role: 'VIP' } as const;
    expect(await idsOf((page) => lists.accounts({ ...page, by: { figures }, only: isVip }), true)).toEqual(['b']);
    expect(await lists.accountsActive(['a', 'c', 'none'])).toEqual(new Map([['a', 8]]));
    expect(await lists.accountsActive([])).toEqual(new Map());
  });

  test('users are listed in every order, and report their last activity', async () => {
    const { people, lists } = store();
    const join = async (id: string, name: string, atMs: number, accountId: string) => {
      const email = `${id}@example.com`;
      await people.addInvitation(sampleInvitation({ id: `inv_${id}`, email, accountId }), `hash-${id}`);
      await people.accept({
        ...{ tokenHash: `hash-${id}`, atMs },
        person: { newUser: { id, email, name, passwordHash: 'x' } },
      });
    };
    await join('u1', 'Zeta', NOW, 'acme');
    await join('u2', 'alpha', NOW + 2, 'acme');
    await join('u3', 'Alpha', NOW + 1, 'other');
    await people.noteActivity('u2', NOW + 5);
    await people.noteActivity('u2', NOW + 4);
    await people.noteActivity('u1', NOW + 9);
    await people.noteActivity('gone', NOW);
    expect(await lists.usersActive(['u1', 'u2', 'u3'])).toEqual(
      new Map([
        ['u1', NOW + 9],
        ['u2', NOW + 5],
      ]),
    );
    const values: Readonly<Record<(typeof USER_ORDERS)[number], Readonly<Record<string, string | number>>>> = {
      email: { u1: 'u1', u2: 'u2', u3: 'u3' },
      name: { u1: 'zeta', u2: 'alpha', u3: 'alpha' },
      created_at: { u1: 0, u2: 2, u3: 1 },
      last_active_at: { u1: 9, u2: 5, u3: 0 },
    };
    for (const by of USER_ORDERS) {
      for (const isDown of [false, true]) {
        const listed = await idsOf((page) => lists.users({ ...page, by }), isDown);
        expect([by, listed]).toEqual([by, inOrder(values[by], isDown)]);
      }
    }
    const inAcme = (text: string) =>
      idsOf((page) => lists.users({ ...page, by: 'name', accountId: 'acme', text }), true);
    expect(await inAcme('ALPHA')).toEqual(['u2']);
    expect(await inAcme('@example')).toEqual(['u1', 'u2']);
    expect((await people.usersOf(['u3', 'gone', 'u1'])).map(({ id }) => id).sort()).toEqual(['u1', 'u3']);
    expect(await people.usersOf([])).toEqual([]);
  });
}
