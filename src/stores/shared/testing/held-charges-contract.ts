import { expect, test } from 'bun:test';
import type { HeldCharge } from '../../../engine/ports/held-charges.ts';
import type { Store } from '../../../engine/ports/store.ts';

function held(requestId: string, fields: Partial<HeldCharge> = {}): HeldCharge {
  return {
    requestId,
    accountId: 'acme',
    keyId: 'ci',
    modelId: 'm',
    channelId: 'c',
    amountNanoUsd: 5n,
    plausibleNanoUsd: 7n,
    promptTokens: 11,
    completionTokens: 13,
    atMs: 1_790_000_000_000,
    ...fields,
  };
}

/** Tests for every `HeldCharges`. */
export function heldChargesTests(store: () => Store): void {
  test('every field is returned as written', async () => {
    const { heldCharges } = store();
    const one = held('a', { keyId: null, channelId: null, amountNanoUsd: 9_000_000_000_000_000_000n });
    await heldCharges.hold(one);
    expect(await heldCharges.find('a')).toEqual({ ...one, state: 'open' });
    expect(await heldCharges.find('b')).toBeNull();
  });

  test('there is one per request', async () => {
    const { heldCharges } = store();
    await heldCharges.hold(held('a'));
    await heldCharges.hold(held('a', { amountNanoUsd: 6n }));
    expect(await heldCharges.list({}, 10)).toEqual([{ ...held('a'), state: 'open' }]);
  });

  test('are listed newest first, by account and state', async () => {
    const { heldCharges } = store();
    await heldCharges.hold(held('a', { atMs: 1 }));
    await heldCharges.hold(held('b', { atMs: 3 }));
    await heldCharges.hold(held('c', { atMs: 2, accountId: 'other' }));
    expect(await heldCharges.decide('a', 'dismissed')).toBe(true);
    const ids = async (...query: Parameters<typeof heldCharges.list>) =>
      (await heldCharges.list(...query)).map(({ requestId }) => requestId);
    expect(await ids({}, 10)).toEqual(['b', 'c', 'a']);
    expect(await ids({}, 1)).toEqual(['b']);
    expect(await ids({ accountId: 'acme' }, 10)).toEqual(['b', 'a']);
    expect(await ids({ state: 'open' }, 10)).toEqual(['b', 'c']);
    expect(await ids({ accountId: 'acme', state: 'dismissed' }, 10)).toEqual(['a']);
  });

  test('are decided once', async () => {
    const { heldCharges } = store();
    await heldCharges.hold(held('a'));
    expect(await heldCharges.decide('a', 'settled')).toBe(true);
    expect(await heldCharges.decide('a', 'dismissed')).toBe(false);
    expect(await heldCharges.decide('b', 'dismissed')).toBe(false);
    expect(await heldCharges.find('a')).toMatchObject({ state: 'settled' });
  });
}
