import { expect, test } from 'bun:test';
import type { ObjectOrigin } from '../../../engine/ports/object-origins.ts';
import type { Store } from '../../../engine/ports/store.ts';

function origin(objectId: string, fields: Partial<ObjectOrigin> = {}): ObjectOrigin {
  return { accountId: 'acme', objectId, place: 'main', responseId: null, expiresAtMs: 1_000, ...fields };
}

/** Tests for every `ObjectOriginStore`. */
export function objectOriginTests(store: () => Store): void {
  test('only the account that received objects finds them', async () => {
    const { objects } = store();
    await objects.write([origin('file_1'), origin('file_2', { place: null, responseId: 'resp_1' })]);
    expect(await objects.find('acme', ['file_2', 'file_1', 'file_3'], 0)).toHaveLength(2);
    expect(await objects.find('acme', ['file_2'], 0)).toEqual([
      origin('file_2', { place: null, responseId: 'resp_1' }),
    ]);
    expect(await objects.find('globex', ['file_1'], 0)).toEqual([]);
    expect(await objects.find('acme', [], 0)).toEqual([]);
  });

  test('the newer origin counts, also within one batch', async () => {
    const { objects } = store();
    await objects.write([origin('file_1', { place: 'one' })]);
    await objects.write([origin('file_1', { place: 'two' }), origin('file_1', { place: 'three' })]);
    expect(await objects.find('acme', ['file_1'], 0)).toEqual([origin('file_1', { place: 'three' })]);
  });

  test('two accounts may have the same id from different channels', async () => {
    const { objects } = store();
    await objects.write([origin('file_1'), origin('file_1', { accountId: 'globex', place: 'other' })]);
    expect(await objects.find('globex', ['file_1'], 0)).toMatchObject([{ place: 'other' }]);
    expect(await objects.find('acme', ['file_1'], 0)).toMatchObject([{ place: 'main' }]);
  });

  test('ids with any text are found, and no other ids', async () => {
    const { objects } = store();
    const odd = `a"b'c\\%_; -- é`;
    await objects.write([origin(odd)]);
    expect(await objects.find('acme', [odd, '%', '_'], 0)).toHaveLength(1);
  });

  test('expired objects are not found, and are removed in batches', async () => {
    const { objects } = store();
    await objects.write(['a', 'b', 'c'].map((id) => origin(id)));
    await objects.write([origin('later', { expiresAtMs: 2_000 })]);
    expect(await objects.find('acme', ['a', 'later'], 1_000)).toMatchObject([{ objectId: 'later' }]);
    expect(await objects.removeOld(1_000, 100, 2)).toBe(2);
    expect(await objects.removeOld(1_000, 100, 2)).toBe(1);
    expect(await objects.removeOld(1_000, 100, 2)).toBe(0);
    expect(await objects.find('acme', ['later'], 0)).toHaveLength(1);
  });

  test('the oldest objects of an account above its limit are removed, and none of other accounts', async () => {
    const { objects } = store();
    await objects.write(['a', 'b', 'c', 'd'].map((id, index) => origin(id, { expiresAtMs: 1_000 + index })));
    await objects.write([origin('x', { accountId: 'globex', expiresAtMs: 900 })]);
    expect(await objects.removeOld(0, 2, 10)).toBe(2);
    expect(await objects.removeOld(0, 2, 10)).toBe(0);
    expect((await objects.find('acme', ['a', 'b', 'c', 'd'], 0)).map(({ objectId }) => objectId).sort()).toEqual([
      'c',
      'd',
    ]);
    expect(await objects.find('globex', ['x'], 0)).toHaveLength(1);
  });
}
