import { expect, test } from 'bun:test';
import { MAX_STORED_RESPONSE_BYTES, type ResponseStore } from '../../../engine/ports/response-store.ts';
import { sampleResponse } from '../../../engine/ports/testing/samples.ts';
import { contentBytesOf } from '../../sql/responses.ts';

const LIMITS = { maxResponses: 100, maxBytes: 1_000_000 };

/** Tests for every `ResponseStore`; `setClock` sets the store's clock. */
export function responseTests(responses: () => ResponseStore, setClock: (nowMs: number) => void): void {
  putTests(responses);
  isolationTests(responses);
  chainTests(responses);
  chainLimitTests(responses);
  expiryTests(responses, setClock);
  quotaTests(responses);
}

function putTests(responses: () => ResponseStore): void {
  test('every field is returned as written', async () => {
    const full = sampleResponse({ id: 'resp_full', previousId: 'resp_0', upstreamStored: true });
    const empty = sampleResponse({ id: 'resp_empty', place: null, inputJson: '[]', responseJson: '{}' });
    expect(await responses().put(full)).toBe('stored');
    expect(await responses().put(empty)).toBe('stored');
    expect(await responses().get('acme', 'resp_full')).toEqual(full);
    expect(await responses().get('acme', 'resp_empty')).toEqual(empty);
  });

  test('an unknown one is null', async () => {
    expect(await responses().get('acme', 'resp_1')).toBeNull();
  });

  test('the first response with an id stays', async () => {
    const first = sampleResponse();
    await responses().put(first);
    expect(await responses().put(sampleResponse({ responseJson: '{"other":true}' }))).toBe('id-taken');
    expect(await responses().get('acme', 'resp_1')).toEqual(first);
  });

  test('one of several concurrent writes with the same id is stored, and other ids are not affected', async () => {
    const ids = ['resp_1', 'resp_2', 'resp_1', 'resp_3', 'resp_1'];
    const outcomes = await Promise.all(ids.map((id) => responses().put(sampleResponse({ id }))));
    expect(outcomes.filter((_outcome, index) => ids[index] === 'resp_1').sort()).toEqual([
      'id-taken',
      'id-taken',
      'stored',
    ]);
    expect([outcomes[1], outcomes[3]]).toEqual(['stored', 'stored']);
  });

  test('a response of exactly the maximum size is stored, and one more byte is refused', async () => {
    const responseJson = '{}';
    const room = MAX_STORED_RESPONSE_BYTES - responseJson.length;
    // Two bytes per letter, since the limit is in bytes.
    const inputJson = 'ä'.repeat(room / 2);
    const largest = sampleResponse({ inputJson, responseJson });
    const larger = sampleResponse({ id: 'resp_2', inputJson: `${inputJson}x`, responseJson });
    expect(await responses().put(largest)).toBe('stored');
    expect(await responses().put(larger)).toBe('too-large');
    expect((await responses().get('acme', 'resp_1'))?.inputJson === inputJson).toBe(true);
    expect(await responses().get('acme', 'resp_2')).toBeNull();
  });

  test('a deleted one is gone, and its id can be used again', async () => {
    await responses().put(sampleResponse());
    expect(await responses().delete('acme', 'resp_1')).toBe(true);
    expect(await responses().get('acme', 'resp_1')).toBeNull();
    expect(await responses().delete('acme', 'resp_1')).toBe(false);
    expect(await responses().put(sampleResponse())).toBe('stored');
  });
}

function isolationTests(responses: () => ResponseStore): void {
  test("another account's response can be neither read nor deleted nor continued", async () => {
    const response = sampleResponse();
    await responses().put(response);
    expect(await responses().get('other', 'resp_1')).toBeNull();
    expect(await responses().delete('other', 'resp_1')).toBe(false);
    expect(await responses().chain('other', 'resp_1', LIMITS)).toEqual({ kind: 'missing', id: 'resp_1' });
    expect(await responses().get('acme', 'resp_1')).toEqual(response);
  });

  test('two accounts can have the same id', async () => {
    const mine = sampleResponse();
    const other = sampleResponse({ accountId: 'other', responseJson: '{"other":true}' });
    expect(await responses().put(mine)).toBe('stored');
    expect(await responses().put(other)).toBe('stored');
    expect(await responses().get('acme', 'resp_1')).toEqual(mine);
    expect(await responses().get('other', 'resp_1')).toEqual(other);
    expect(await responses().delete('other', 'resp_1')).toBe(true);
    expect(await responses().get('acme', 'resp_1')).toEqual(mine);
  });

  test("a chain does not include another account's responses", async () => {
    await responses().put(sampleResponse({ id: 'resp_1', accountId: 'other' }));
    await responses().put(sampleResponse({ id: 'resp_2', previousId: 'resp_1' }));
    expect(await responses().chain('acme', 'resp_2', LIMITS)).toEqual({ kind: 'missing', id: 'resp_1' });
  });
}

/** Stores `resp_1` … `resp_<count>`, each continuing the previous one. */
async function putChain(responses: ResponseStore, count: number) {
  const chain = Array.from({ length: count }, (_, index) =>
    sampleResponse({ id: `resp_${index + 1}`, previousId: index === 0 ? null : `resp_${index}` }),
  );
  // Newest first, since a chain is linked by ids, not by write order.
  for (const response of chain.toReversed()) await responses.put(response);
  return chain;
}

function chainTests(responses: () => ResponseStore): void {
  test('a chain is returned from its beginning to the requested response', async () => {
    const chain = await putChain(responses(), 4);
    expect(await responses().chain('acme', 'resp_3', LIMITS)).toEqual({
      kind: 'found',
      responses: chain.slice(0, 3),
    });
  });

  test('a response without a predecessor is a chain by itself', async () => {
    const only = await putChain(responses(), 1);
    expect(await responses().chain('acme', 'resp_1', LIMITS)).toEqual({ kind: 'found', responses: only });
  });

  test('a conversation can branch', async () => {
    const first = (await putChain(responses(), 2)).slice(0, 1);
    const branch = sampleResponse({ id: 'resp_branch', previousId: 'resp_1' });
    await responses().put(branch);
    expect(await responses().chain('acme', 'resp_branch', LIMITS)).toEqual({
      kind: 'found',
      responses: [...first, branch],
    });
  });

  test('a broken chain names the missing response', async () => {
    await putChain(responses(), 4);
    await responses().delete('acme', 'resp_2');
    expect(await responses().chain('acme', 'resp_4', LIMITS)).toEqual({ kind: 'missing', id: 'resp_2' });
    expect(await responses().chain('acme', 'resp_9', LIMITS)).toEqual({ kind: 'missing', id: 'resp_9' });
  });
}

function chainLimitTests(responses: () => ResponseStore): void {
  test('a chain above the maximum number of responses is too long, one at it is not', async () => {
    await putChain(responses(), 5);
    const chain = (maxResponses: number) => responses().chain('acme', 'resp_5', { ...LIMITS, maxResponses });
    expect(await chain(4)).toEqual({ kind: 'too-long' });
    expect(await chain(5)).toMatchObject({ kind: 'found' });
  });

  test('a chain above the maximum number of bytes is too long, one at it is not', async () => {
    const bytes = (await putChain(responses(), 5)).reduce((sum, response) => sum + contentBytesOf(response), 0);
    const chain = (maxBytes: number) => responses().chain('acme', 'resp_5', { ...LIMITS, maxBytes });
    expect(await chain(bytes - 1)).toEqual({ kind: 'too-long' });
    expect(await chain(bytes)).toMatchObject({ kind: 'found' });
  });

  test('a response that is missing just beyond the limit is reported as missing', async () => {
    await putChain(responses(), 5);
    await responses().delete('acme', 'resp_3');
    const limits = { ...LIMITS, maxResponses: 2 };
    expect(await responses().chain('acme', 'resp_5', limits)).toEqual({ kind: 'missing', id: 'resp_3' });
  });

  test('a circular chain ends', async () => {
    await responses().put(sampleResponse({ id: 'resp_1', previousId: 'resp_2' }));
    await responses().put(sampleResponse({ id: 'resp_2', previousId: 'resp_1' }));
    expect(await responses().chain('acme', 'resp_2', LIMITS)).toEqual({ kind: 'too-long' });
  });
}

function expiryTests(responses: () => ResponseStore, setClock: (nowMs: number) => void): void {
  test('an expired response is unknown, whether or not it has been removed', async () => {
    const response = sampleResponse({ id: 'resp_1', expiresAtMs: 2_000 });
    setClock(1_999);
    await responses().put(response);
    await responses().put(sampleResponse({ id: 'resp_2', previousId: 'resp_1' }));
    expect(await responses().get('acme', 'resp_1')).toEqual(response);
    setClock(2_000);
    expect(await responses().get('acme', 'resp_1')).toBeNull();
    expect(await responses().delete('acme', 'resp_1')).toBe(false);
    expect(await responses().chain('acme', 'resp_2', LIMITS)).toEqual({ kind: 'missing', id: 'resp_1' });
    expect(await responses().removeExpired(2_000, 10)).toBe(1);
    expect(await responses().get('acme', 'resp_1')).toBeNull();
  });

  test('expired responses of all accounts are removed, earliest first, up to the limit', async () => {
    setClock(0);
    for (const expiresAtMs of [30, 10, 40, 20]) {
      await responses().put(sampleResponse({ id: `resp_${expiresAtMs}`, accountId: `a${expiresAtMs}`, expiresAtMs }));
    }
    const left = async () => {
      const found = [10, 20, 30, 40].map((at) => responses().get(`a${at}`, `resp_${at}`));
      return (await Promise.all(found)).flatMap((response) => response?.expiresAtMs ?? []);
    };
    expect(await responses().removeExpired(30, 0)).toBe(0);
    expect(await responses().removeExpired(30, 2)).toBe(2);
    expect(await left()).toEqual([30, 40]);
    expect(await responses().removeExpired(30, 2)).toBe(1);
    expect(await responses().removeExpired(30, 2)).toBe(0);
    expect(await left()).toEqual([40]);
  });
}

function quotaTests(responses: () => ResponseStore): void {
  const ids = async (accountId: string, count: number) => {
    const found = Array.from({ length: count }, (_, index) => responses().get(accountId, `resp_${index}`));
    return (await Promise.all(found)).flatMap((response) => response?.id ?? []);
  };
  const text = (length: number) => JSON.stringify('x'.repeat(length));

  test("the oldest responses above an account's quota are removed", async () => {
    const quota = { maxResponses: 3, maxBytes: 1_000_000 };
    for (let index = 0; index < 6; index++) {
      expect(await responses().put(sampleResponse({ id: `resp_${index}` }), quota)).toBe('stored');
    }
    await responses().put(sampleResponse({ id: 'resp_0', accountId: 'other' }), quota);
    expect(await ids('acme', 6)).toEqual(['resp_3', 'resp_4', 'resp_5']);
    expect(await ids('other', 6)).toEqual(['resp_0']);
    expect(await responses().put(sampleResponse({ id: 'resp_5' }), quota)).toBe('id-taken');
    expect(await ids('acme', 6)).toEqual(['resp_3', 'resp_4', 'resp_5']);
  });

  test("the oldest responses above an account's byte quota are removed, and expired ones do not count", async () => {
    const quota = { maxResponses: 100, maxBytes: 45_000 };
    for (let index = 0; index < 4; index++) {
      await responses().put(sampleResponse({ id: `resp_${index}`, inputJson: text(10_000) }), quota);
    }
    expect(await ids('acme', 6)).toHaveLength(4);
    await responses().delete('acme', 'resp_2');
    await responses().put(sampleResponse({ id: 'resp_4', inputJson: text(10_000) }), quota);
    expect(await ids('acme', 6)).toEqual(['resp_0', 'resp_1', 'resp_3', 'resp_4']);
    await responses().put(sampleResponse({ id: 'resp_5', inputJson: text(20_000) }), quota);
    expect(await ids('acme', 6)).toEqual(['resp_3', 'resp_4', 'resp_5']);
  });

  test('a response that exceeds the quota by itself is not stored', async () => {
    const quota = { maxResponses: 100, maxBytes: 5_000 };
    expect(await responses().put(sampleResponse({ inputJson: text(10_000) }), quota)).toBe('no-room');
    expect(await responses().get('acme', 'resp_1')).toBeNull();
    expect(await responses().put(sampleResponse(), quota)).toBe('stored');
  });

  test('concurrent writes stay within the quota', async () => {
    const quota = { maxResponses: 5, maxBytes: 1_000_000 };
    const puts = Array.from({ length: 30 }, (_, index) =>
      responses().put(sampleResponse({ id: `resp_${index}` }), quota),
    );
    await Promise.all(puts);
    await responses().put(sampleResponse({ id: 'resp_30' }), quota);
    const kept = await ids('acme', 31);
    expect(kept.length).toBeLessThanOrEqual(5);
    expect(kept).toContain('resp_30');
  });
}
