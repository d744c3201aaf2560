import { expect, test } from 'bun:test';
import type { CredentialKind } from '../../../domain/access/api-key.ts';
import type { KeyUse } from '../../../engine/ports/key-use-store.ts';
import type { Store } from '../../../engine/ports/store.ts';

function use(id: string, lastUsedAtMs: number, accountId = 'acme', kind: CredentialKind = 'inference'): KeyUse {
  return { accountId, kind, id, lastUsedAtMs };
}

/** Tests for every `KeyUseStore`. */
export function keyUseTests(store: () => Store): void {
  test('there is no use before the first write', async () => {
    expect(await store().keyUse.read()).toEqual([]);
    await store().keyUse.write([]);
    expect(await store().keyUse.read()).toEqual([]);
  });

  test('keys are returned by account and id', async () => {
    await store().keyUse.write([use('b', 2), use('a', 1_790_000_000_001), use('c', 3, 'Zebra')]);
    expect(await store().keyUse.read()).toEqual([use('c', 3, 'Zebra'), use('a', 1_790_000_000_001), use('b', 2)]);
  });

  test('the latest use counts, whatever the write order', async () => {
    await store().keyUse.write([use('a', 5), use('b', 5), use('a', 7), use('a', 6)]);
    await store().keyUse.write([use('a', 4), use('b', 9)]);
    expect(await store().keyUse.read()).toEqual([use('a', 7), use('b', 9)]);
  });

  test('keys with the same name in two accounts are different', async () => {
    await store().keyUse.write([use('a', 5), use('a', 6, 'other')]);
    expect(await store().keyUse.read()).toEqual([use('a', 5), use('a', 6, 'other')]);
  });

  test('a token with the id of a key is separate from it', async () => {
    const both = [use('a', 5), use('a', 6, 'acme', 'management')];
    await store().keyUse.write(both);
    expect(await store().keyUse.read()).toEqual(both);
    expect(await store().keyUse.read([use('a', 0, 'acme', 'management')])).toEqual(both.slice(1));
  });

  test('selected keys can be read', async () => {
    await store().keyUse.write([use('a', 5), use('b', 7), use('a', 6, 'other'), use('b', 8, 'other')]);
    const wanted = [use('b', 0, 'other'), use('a', 0), use('c', 0)];
    expect(await store().keyUse.read(wanted)).toEqual([use('a', 5), use('b', 8, 'other')]);
    expect(await store().keyUse.read([])).toEqual([]);
  });

  test('writing does not change the version of the directory', async () => {
    const before = await store().directory.state();
    await store().keyUse.write([use('a', 5)]);
    expect(await store().directory.state()).toEqual(before);
  });
}
