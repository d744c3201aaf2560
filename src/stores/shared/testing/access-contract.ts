import { beforeEach, expect, test } from 'bun:test';
import type { Credential, CredentialKey } from '../../../domain/access/api-key.ts';
import type { AccountFilter, CredentialPage, DirectoryScope } from '../../../engine/ports/directory-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount, sampleChannel, sampleCredential, sampleModel } from '../../../engine/ports/testing/samples.ts';

const ACCOUNTS = ['a', 'b', 'c'];

/** Tests for reading selected accounts and credentials. */
export function accessTests(store: () => Store): void {
  const directory = () => store().directory;

  beforeEach(() =>
    directory().write('all', (writer) => {
      for (const id of ACCOUNTS) {
        writer.putAccount(sampleAccount({ id, origin: id === 'a' ? 'config' : 'operator' }));
        for (const key of ['one', 'two']) {
          const [secretHash, preview] = [`hash-${id}-${key}`, `sk-${id}…${key}`];
          const origin = id === 'a' && key === 'one' ? 'config' : 'operator';
          writer.putCredential(sampleCredential({ accountId: id, id: `${key}-of-${id}`, secretHash, preview, origin }));
        }
      }
      writer.putModel(sampleModel({ id: 'm' }));
      writer.putChannel(sampleChannel({ id: 'of-c', owner: 'c' }));
    }),
  );

  async function read(scope: DirectoryScope) {
    const { accounts, credentials, models, channels } = await directory().read(scope);
    return [accounts.map(({ id }) => id), credentials.map(({ id }) => id), models.length + channels.length];
  }

  test('a scope reads the objects that it names and their accounts', async () => {
    expect(await read({})).toEqual([['c'], [], 2]);
    expect(await read({ serving: false })).toEqual([[], [], 0]);
    expect(await read({ accounts: ['b', 'ghost'], serving: false })).toEqual([['b'], [], 0]);
    expect(await read({ credentialsOf: ['b'], serving: false })).toEqual([['b'], ['one-of-b', 'two-of-b'], 0]);
    expect(await read({ secretHashes: ['hash-c-two', 'hash-none'] })).toEqual([['c'], ['two-of-c'], 2]);
    expect(await read({ credentialIds: ['two-of-a'], serving: false })).toEqual([['a'], ['two-of-a'], 0]);
    expect(await read({ previews: ['sk-b…one'], serving: false })).toEqual([['b'], ['one-of-b'], 0]);
    expect(await read({ configured: true, serving: false })).toEqual([['a'], ['one-of-a'], 0]);
    const keyOfA = { accountId: 'a', kind: 'inference', id: 'two-of-a' } as const;
    const others = [
      { ...keyOfA, kind: 'management' },
      { ...keyOfA, accountId: 'b' },
    ] as const;
    expect(await read({ credentials: [keyOfA, ...others], serving: false })).toEqual([['a'], ['two-of-a'], 0]);
    const overlapping = { configured: true, credentialsOf: ['a'], accounts: ['a', 'a'], secretHashes: ['hash-a-one'] };
    expect(await read(overlapping)).toEqual([['a', 'c'], ['one-of-a', 'two-of-a'], 2]);
  });

  test('a scope reads the accounts and the keys in force that name a guard', async () => {
    await directory().write('all', (writer) => {
      writer.putAccount(sampleAccount({ id: 'b', guards: ['other', 'p_1'] }));
      writer.putAccount(sampleAccount({ id: 'd', guards: ['px1', 'p_12', 'P_1'] }));
      const named = { accountId: 'c', guards: ['p_1'] };
      writer.putCredential(sampleCredential({ ...named, id: 'guarded', secretHash: 'guarded' }));
      writer.putCredential(sampleCredential({ ...named, id: 'gone', secretHash: 'gone', revokedAtMs: 5 }));
    });
    expect(await read({ naming: 'p_1', serving: false })).toEqual([['b', 'c'], ['guarded'], 0]);
  });

  test('a transaction reads its scope and its own writes, and leaves everything else unchanged', async () => {
    const seen = await directory().write({ credentialsOf: ['b'], serving: false }, (writer) => {
      writer.putCredential(sampleCredential({ accountId: 'b', id: 'three-of-b', secretHash: 'hash-b-three' }));
      return writer.read().credentials.map(({ id }) => id);
    });
    expect(seen).toEqual(['one-of-b', 'three-of-b', 'two-of-b']);
    const { accounts, credentials, models, channels } = await directory().read('all');
    expect([accounts.length, credentials.length, models.length, channels.length]).toEqual([3, 7, 1, 1]);
  });

  test('accounts are listed in pages, by id', async () => {
    const page = async (after: string | null, limit: number) =>
      (await directory().accounts({ after, limit })).map(({ id }) => id);
    expect([await page(null, 2), await page('b', 2), await page('c', 2)]).toEqual([['a', 'b'], ['c'], []]);
    expect([await page('aa', 9), await page(null, 0)]).toEqual([['b', 'c'], []]);
    await directory().write('all', (writer) => writer.putAccount(sampleAccount({ id: 'Z' })));
    expect(await page(null, 1)).toEqual(['Z']);
    expect((await directory().accounts({ after: null, limit: 2 }))[1]).toEqual(
      sampleAccount({ id: 'a', origin: 'config' }),
    );
  });

  test('accounts are found by part of the id or the name, role, billing and state', async () => {
    await directory().write({ accounts: ['b'] }, (writer) => {
      writer.putAccount(sampleAccount({ id: 'b', name: '100%_sure Ärger 客户', role: 'VIP', billing: 'unlimited' }));
      writer.putAccount(sampleAccount({ id: 'shop', name: 'B side', archivedAtMs: 5 }));
    });
    const found = async (only: AccountFilter, after: string | null = null) =>
      (await directory().accounts({ after, limit: 9, only })).map(({ id }) => id);
    expect([await found({ text: '%' }), await found({ text: '_S' }), await found({ text: '\\' })]).toEqual([
      ['b'],
      ['b'],
      [],
    ]);
    expect([await found({ text: 'Ä' }), await found({ text: '客户' }), await found({ text: 'ERGER' })]).toEqual([
      ['b'],
      ['b'],
      [],
    ]);
    expect([await found({ text: 'B' }), await found({ text: 'b' }, 'b')]).toEqual([['b', 'shop'], ['shop']]);
    expect([await found({ role: 'VIP' }), await found({ billing: 'unlimited', isArchived: true })]).toEqual([
      ['b'],
      [],
    ]);
    expect([await found({ isArchived: true }), await found({ isArchived: false, text: 's' })]).toEqual([
      ['shop'],
      ['b'],
    ]);
    expect((await directory().accounts({ after: null, limit: 1, only: { role: 'VIP' } }))[0]).toEqual(
      sampleAccount({ id: 'b', name: '100%_sure Ärger 客户', role: 'VIP', billing: 'unlimited' }),
    );
  });

  test('keys are counted up to a limit, without revoked ones and tokens', async () => {
    await directory().write({ accounts: ['b'] }, (writer) => {
      const token = { accountId: 'b', kind: 'management', id: 'token', secretHash: 'token' } as const;
      writer.putCredential(sampleCredential(token));
      const revoked = { accountId: 'b', id: 'gone', secretHash: 'gone', revokedAtMs: 5 };
      writer.putCredential(sampleCredential(revoked));
    });
    const counts = async (most: number) => {
      const found = await directory().countKeys(['b', 'c', "no'body"], most);
      return [found.get('b') ?? 0, found.get("no'body") ?? 0];
    };
    expect([await counts(9), await counts(1)]).toEqual([
      [2, 0],
      [1, 0],
    ]);
    expect((await directory().countKeys([], 9)).size).toBe(0);
  });

  test('credentials are listed in pages, for all accounts or filtered by account or kind', async () => {
    await directory().write({ accounts: ['b'] }, (writer) => {
      for (const id of ['one-of-b', 'token']) {
        writer.putCredential(sampleCredential({ accountId: 'b', kind: 'management', id, secretHash: `token-${id}` }));
      }
    });
    const walk = async (filter: Pick<CredentialPage, 'accountId' | 'kind'>) => {
      const found: string[] = [];
      for (let after: CredentialKey | null = null; ; ) {
        const page: readonly Credential[] = await directory().credentials({ ...filter, after, limit: 2 });
        found.push(...page.map(({ kind, id }) => (kind === 'management' ? `${id} (token)` : id)));
        if (page.length < 2) return found;
        after = page.at(-1) ?? null;
      }
    };
    const ofB = ['one-of-b', 'two-of-b', 'one-of-b (token)', 'token (token)'];
    const keys = ['one-of-a', 'two-of-a', 'one-of-b', 'two-of-b', 'one-of-c', 'two-of-c'];
    expect(await walk({})).toEqual(['one-of-a', 'two-of-a', ...ofB, 'one-of-c', 'two-of-c']);
    expect(await walk({ accountId: 'b' })).toEqual(ofB);
    expect(await walk({ kind: 'inference' })).toEqual(keys);
    expect(await walk({ kind: 'management' })).toEqual(ofB.slice(2));
    expect(await walk({ accountId: 'b', kind: 'inference' })).toEqual(ofB.slice(0, 2));
    expect(await walk({ accountId: 'nobody' })).toEqual([]);
  });

  test('credentials are found by a part of the id, the name or the preview', async () => {
    await directory().write({ accounts: ['b'] }, (writer) => {
      const facts = { accountId: 'b', id: 'found', secretHash: 'found', name: 'Build 100%_bot', preview: 'sk-…9zQ4' };
      writer.putCredential(sampleCredential(facts));
    });
    const find = async (text: string, accountId?: string) => {
      const only = { ...(accountId === undefined ? {} : { accountId }), kind: 'inference', text } as const;
      return (await directory().credentials({ ...only, after: null, limit: 9 })).map(({ id }) => id);
    };
    expect([await find('OUND'), await find('build 100%_'), await find('9zq4')]).toEqual([
      ['found'],
      ['found'],
      ['found'],
    ]);
    expect([await find('100_'), await find('%9'), await find("'found"), await find('found', 'a')]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect(await find('two-of-', 'c')).toEqual(['two-of-c']);
    const [whole] = await directory().credentials({ text: 'OUND', after: null, limit: 9 });
    const [same] = (await directory().read({ secretHashes: ['found'] })).credentials;
    expect(whole).toEqual(same as Credential);
  });

  test('a private channel is changed in a transaction that names no account', async () => {
    await directory().write({}, (writer) => writer.putChannel(sampleChannel({ id: 'of-c', owner: 'c', weight: 9 })));
    expect((await directory().read({})).channels).toEqual([sampleChannel({ id: 'of-c', owner: 'c', weight: 9 })]);
  });

  test('the owner of a key is found by its hash, also if it is revoked', async () => {
    const found = await directory().principal('hash-b-two');
    expect([found?.account, found?.credential.id]).toEqual([
      sampleAccount({ id: 'b', origin: 'operator' }),
      'two-of-b',
    ]);
    expect(await directory().principal('hash-none')).toBeNull();
    const { credentials } = await directory().read({ secretHashes: ['hash-b-two'] });
    await directory().write({ accounts: ['b'] }, (writer) => {
      for (const credential of credentials) writer.putCredential({ ...credential, revokedAtMs: 7, limitNanoUsd: 5n });
    });
    expect((await directory().principal('hash-b-two'))?.credential).toMatchObject({ revokedAtMs: 7, limitNanoUsd: 5n });
  });

  test('a replaced secret still identifies its key and the end of its grace period', async () => {
    const endOf = async (secretHash: string) => (await directory().principal(secretHash))?.secretEndsAtMs;
    const replace = (secretHash: string, endsAtMs: number) =>
      directory().write({ credentialIds: ['two-of-b'] }, (writer) => {
        const [before] = writer.read().credentials;
        if (before === undefined) throw new Error('the key is there');
        const previousSecret = { secretHash: before.secretHash, endsAtMs };
        writer.putCredential({ ...before, secretHash, previousSecret });
        return { ...before, secretHash, previousSecret };
      });
    await replace('hash-second', 5);
    expect([await endOf('hash-b-two'), await endOf('hash-second')]).toEqual([5, undefined]);
    const last = await replace('hash-third', 7);
    expect([await endOf('hash-b-two'), await endOf('hash-second')]).toEqual([0, 7]);
    for (const secretHash of ['hash-b-two', 'hash-second', 'hash-third']) {
      expect((await directory().principal(secretHash))?.credential).toEqual(last);
      expect((await directory().read({ secretHashes: [secretHash], serving: false })).credentials).toEqual([last]);
    }
    // A configuration file may restore it.
    await replace('hash-b-two', 9);
    expect([await endOf('hash-b-two'), await endOf('hash-third')]).toEqual([undefined, 9]);
  });

  test('accounts that changed, directly or by their keys, are returned once each', async () => {
    const { accessVersion, servingVersion } = await directory().state();
    expect(await directory().accountsChangedSince(accessVersion, 10)).toEqual([]);
    await directory().write('all', (writer) => {
      writer.putAccount(sampleAccount({ id: 'a', name: 'Renamed' }));
      writer.putCredential(sampleCredential({ accountId: 'c', id: 'new', secretHash: 'x' }));
      writer.putCredential(sampleCredential({ accountId: 'c', id: 'new', secretHash: 'y' }));
    });
    expect((await directory().accountsChangedSince(accessVersion, 2))?.toSorted()).toEqual(['a', 'c']);
    expect(await directory().accountsChangedSince(accessVersion, 1)).toBeNull();
    const after = await directory().state();
    expect(after.servingVersion).toBe(servingVersion);
    expect(after.accessVersion).toBeGreaterThan(accessVersion);
    expect(await directory().accountsChangedSince(after.accessVersion, 2)).toEqual([]);
    await directory().write({}, (writer) => writer.putModel(sampleModel({ id: 'm', tags: ['new'] })));
    const last = await directory().state();
    expect([last.accessVersion, last.servingVersion === servingVersion]).toEqual([after.accessVersion, false]);
  });

  test('several accounts with usable keys are detected', async () => {
    expect((await directory().state()).hasSeveralAccounts).toBe(true);
    const { credentials } = await directory().read('all');
    const others = credentials.filter(({ accountId }) => accountId !== 'b');
    await directory().write('all', (writer) => {
      for (const credential of others) writer.putCredential({ ...credential, revokedAtMs: 1 });
      writer.putCredential(sampleCredential({ accountId: 'a', kind: 'management', id: 'token', secretHash: 't' }));
    });
    expect((await directory().state()).hasSeveralAccounts).toBe(false);
  });

  test('a usable key is detected', async () => {
    expect(await directory().hasUsableKey(5)).toBe(true);
    const { credentials } = await directory().read('all');
    await directory().write('all', (writer) => {
      for (const credential of credentials) writer.putCredential({ ...credential, expiresAtMs: 5 });
    });
    expect([await directory().hasUsableKey(4), await directory().hasUsableKey(5)]).toEqual([true, false]);
    await directory().write('all', (writer) => {
      for (const account of writer.read().accounts) {
        writer.putAccount({ ...account, archivedAtMs: account.id === 'b' ? null : 1 });
      }
    });
    expect(await directory().hasUsableKey(4)).toBe(true);
    await directory().write('all', (writer) => writer.putAccount(sampleAccount({ id: 'b', archivedAtMs: 1 })));
    expect(await directory().hasUsableKey(4)).toBe(false);
    expect((await directory().principal('hash-b-two'))?.account.archivedAtMs).toBe(1);
  });

  test('a scope can name tens of thousands of objects', async () => {
    const ids = Array.from({ length: 40_000 }, (_, index) => `nobody-${index}`);
    expect(await read({ accounts: [...ids, 'b'], secretHashes: ids, serving: false })).toEqual([['b'], [], 0]);
  });
}
