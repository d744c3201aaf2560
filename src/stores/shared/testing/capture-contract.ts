import { expect, test } from 'bun:test';
import type { Capture, CapturedBody } from '../../../engine/ports/capture-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount } from '../../../engine/ports/testing/samples.ts';

const PLENTY = 1_000_000;
const utf8 = new TextEncoder();

function bodyOf(text: string): CapturedBody {
  const bytes = utf8.encode(text);
  return { bytes, size: bytes.length, contentType: 'application/json', omitted: null };
}

function captureOf(requestId: string, fields: Partial<Capture> = {}): Capture {
  const sides = { request: bodyOf(`asked by ${requestId}`), answer: bodyOf(`answered to ${requestId}`) };
  return { requestId, accountId: 'acme', atMs: 1_790_000_000_000, ...sides, ...fields };
}

/** Returns a capture with about a thousand bytes. */
function largeOf(requestId: string, fields: Partial<Capture> = {}): Capture {
  return captureOf(requestId, { request: bodyOf('x'.repeat(1_000)), answer: bodyOf(''), ...fields });
}

/** Tests for every `CaptureStore`. */
export function captureTests(store: () => Pick<Store, 'captures' | 'directory'>): void {
  const captures = () => store().captures;
  const plain = (capture: Capture | null) =>
    capture && {
      ...capture,
      request: { ...capture.request, bytes: Buffer.from(capture.request.bytes).toString('latin1') },
      answer: { ...capture.answer, bytes: Buffer.from(capture.answer.bytes).toString('latin1') },
    };
  const kept = async (...ids: readonly string[]) => {
    const found = await Promise.all(ids.map((id) => captures().find(id, null)));
    return found.flatMap((capture) => (capture === null ? [] : [capture.requestId]));
  };

  test('are returned as added, whatever their bytes', async () => {
    const odd = captureOf('odd', {
      request: { bytes: new Uint8Array(0), size: null, contentType: 'multipart/form-data', omitted: 'form' },
      answer: { bytes: Uint8Array.of(0, 255, 0xd8, 39, 34), size: 300_000, contentType: null, omitted: null },
    });
    await captures().add([captureOf('usual'), odd], PLENTY);
    expect(plain(await captures().find('usual', 'acme'))).toEqual(plain(captureOf('usual')));
    expect(plain(await captures().find('odd', null))).toEqual(plain(odd));
  });

  test('are found by their account only', async () => {
    await captures().add([captureOf('one')], PLENTY);
    expect(await captures().find('one', 'other')).toBeNull();
    expect(await captures().find('two', 'acme')).toBeNull();
  });

  test('of one request are stored and counted once', async () => {
    await captures().add([largeOf('one')], 2_500);
    await captures().add([largeOf('one', { answer: bodyOf('another') }), largeOf('two')], 2_500);
    expect(await kept('one', 'two')).toEqual(['one', 'two']);
    expect(plain(await captures().find('one', null))).toEqual(plain(largeOf('one')));
  });

  test('only the oldest of the same account are evicted', async () => {
    await captures().add([largeOf('theirs', { accountId: 'b', atMs: 1 })], 2_500);
    const own = ['3', '1', '2'].map((id) => largeOf(id, { atMs: Number(id) }));
    await captures().add(own, 2_500);
    expect(await kept('theirs', '1', '2', '3')).toEqual(['theirs', '2', '3']);
    await captures().add([largeOf('4', { atMs: 4 })], 2_500);
    expect(await kept('theirs', '2', '3', '4')).toEqual(['theirs', '3', '4']);
  });

  test('are deleted by account in batches, which frees their space', async () => {
    const ids = ['1', '2', '3'];
    await captures().add([...ids.map((id) => largeOf(id)), largeOf('theirs', { accountId: 'b' })], 3_500);
    expect(await captures().removeOf('acme', 2)).toBe(2);
    expect(await captures().removeOf('acme', 2)).toBe(1);
    expect(await captures().removeOf('acme', 2)).toBe(0);
    expect(await kept(...ids, 'theirs')).toEqual(['theirs']);
    await captures().add(
      ids.map((id) => largeOf(`${id}b`)),
      3_500,
    );
    expect(await kept('1b', '2b', '3b')).toEqual(['1b', '2b', '3b']);
  });

  test('are deleted by age, the oldest first', async () => {
    const each = [10, 20, 30].map((atMs) => largeOf(`at-${atMs}`, { atMs, accountId: `a${atMs}` }));
    await captures().add(each, PLENTY);
    expect(await captures().removeOld(30, 1)).toBe(1);
    expect(await kept('at-10', 'at-20', 'at-30')).toEqual(['at-20', 'at-30']);
    expect(await captures().removeOld(30, 5)).toBe(1);
    expect(await kept('at-20', 'at-30')).toEqual(['at-30']);
  });

  test('are deleted after the days of their account, whatever others keep', async () => {
    const day = 86_400_000;
    await store().directory.write({ accounts: ['short', 'long'], serving: false }, (writer) => {
      writer.putAccount(sampleAccount({ id: 'short', captureDays: 1 }));
      writer.putAccount(sampleAccount({ id: 'long', captureDays: 365 }));
    });
    const old = ['short', 'long', 'other'].map((accountId) => captureOf(accountId, { accountId, atMs: 400 * day }));
    await captures().add([...old, captureOf('young', { accountId: 'short', atMs: 400 * day + 1 })], PLENTY);
    expect(await captures().removeOutlived(401 * day, 5)).toBe(0);
    expect(await captures().removeOutlived(401 * day + 1, 5)).toBe(1);
    expect(await kept('short', 'long', 'other', 'young')).toEqual(['long', 'other', 'young']);
    expect(await captures().removeOutlived(800 * day, 1)).toBe(1);
    expect(await captures().removeOutlived(800 * day, 5)).toBe(1);
    expect(await kept('long', 'other', 'young')).toEqual(['other']);
  });
}
