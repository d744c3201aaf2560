import { expect, test } from 'bun:test';
import { type Batch, type LineResult, NO_LINES } from '../../../domain/batches/batch.ts';
import { FILE_CHUNK_BYTES, type StoredFile } from '../../../domain/batches/stored-file.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleBatch, sampleFile, sampleRelay } from '../../../engine/ports/testing/batch-samples.ts';

const AT_MS = 1_790_000_000_000;

const file = (id: string, fields: Partial<StoredFile> = {}): StoredFile => sampleFile({ id, ...fields });
const batch = (id: string, fields: Partial<Batch> = {}): Batch => sampleBatch({ id, ...fields });

function result(number: number, fields: Partial<LineResult> = {}): LineResult {
  const usage = { inputTokens: 3, cachedTokens: 1, outputTokens: 5, reasoningTokens: 2 };
  return { number, outcome: 'succeeded', json: `{"n":${number}}`, costNanoUsd: 7n, usage, ...fields };
}

/** Tests for every `FileStore`. */
export function fileTests(store: () => Store): void {
  test('a file is seen when it is whole, by its account', async () => {
    const { files } = store();
    const chunk = new Uint8Array(FILE_CHUNK_BYTES).fill(7);
    await files.create(file('file-1'));
    expect(await files.append('file-1', 0, chunk)).toBe(true);
    expect(await files.append('file-1', 1, Uint8Array.of(1))).toBe(true);
    expect(await files.append('file-1', 1, Uint8Array.of(1, 2))).toBe(true);
    expect(await files.find('file-1', 'acme')).toBeNull();
    expect(await files.amountOf('acme')).toEqual({ files: 1, bytes: FILE_CHUNK_BYTES + 2 });
    expect(await files.finish('file-1', FILE_CHUNK_BYTES + 2, null)).toBe(true);
    expect(await files.finish('file-1', 1, null)).toBe(false);
    expect(await files.append('file-1', 2, chunk)).toBe(false);
    const whole = file('file-1', { isWhole: true, bytes: FILE_CHUNK_BYTES + 2, expiresAtMs: null });
    expect(await files.find('file-1', 'acme')).toEqual(whole);
    expect(await files.find('file-1', null)).toEqual(whole);
    expect(await files.find('file-1', 'other')).toBeNull();
    expect(await files.chunk('file-1', 0)).toEqual(Buffer.from(chunk));
    expect(await files.chunk('file-1', 1)).toEqual(Buffer.of(1, 2));
    expect(await files.chunk('file-1', 2)).toBeNull();
  });

  test('files are listed by page, account and purpose, without expired ones', async () => {
    const { files } = store();
    const make = async (one: StoredFile) => {
      await files.create(one);
      await files.finish(one.id, 1, one.expiresAtMs);
    };
    await make(file('file-1'));
    await make(file('file-2', { purpose: 'batch_output', createdAtMs: AT_MS + 1 }));
    await make(file('file-3', { accountId: 'other', createdAtMs: AT_MS + 2 }));
    await make(file('file-4', { createdAtMs: AT_MS + 1, expiresAtMs: null }));
    await files.create(file('file-5'));
    const ids = async (query: Omit<Parameters<typeof files.list>[0], 'readableAtMs'>, readableAtMs = AT_MS) =>
      (await files.list({ ...query, readableAtMs }, 10)).map(({ id }) => id);
    expect(await ids({})).toEqual(['file-3', 'file-4', 'file-2', 'file-1']);
    expect(await ids({ accountId: 'acme', isAscending: true })).toEqual(['file-1', 'file-2', 'file-4']);
    expect(await ids({ accountId: 'acme', after: file('file-4', { createdAtMs: AT_MS + 1 }) })).toEqual([
      'file-2',
      'file-1',
    ]);
    expect(await ids({ accountId: 'acme', purpose: 'batch_output' })).toEqual(['file-2']);
    expect(await ids({}, AT_MS + 1_000)).toEqual(['file-4']);
  });

  test('files are not created beyond a quota, not even at the same time', async () => {
    const { files } = store();
    const quota = { files: 3, bytes: 100 };
    const made = (id: string, bytes: number) => files.createWithin(file(id, { bytes }), quota);
    const outcomes = await Promise.all(['file-1', 'file-2', 'file-3', 'file-4'].map((id) => made(id, 40)));
    expect(outcomes.filter((outcome) => outcome)).toHaveLength(2);
    expect(await files.amountOf('acme')).toEqual({ files: 2, bytes: 80 });
    expect(await made('file-5', 20)).toBe(true);
    expect(await made('file-6', 0)).toBe(false);
    expect(await files.createWithin(file('file-7', { accountId: 'other' }), quota)).toBe(true);
  });

  test('the content of a file is kept while an open batch reads it, and counts', async () => {
    const { files, batches } = store();
    for (const id of ['file-1', 'file-2']) {
      await files.create(file(id));
      await files.append(id, 0, Uint8Array.of(1));
      await files.finish(id, 1, AT_MS + 1_000);
      const made = batch(`batch_${id}`, { inputFileId: id });
      expect(await batches.createWithin(made, 5)).toBe('created');
    }
    expect(await files.delete('file-1', 'acme')).toBe(true);
    expect(await files.delete('file-1', 'acme')).toBe(false);
    expect(await files.removeExpired(AT_MS + 1_000, 9)).toBe(0);
    expect(await files.find('file-1', 'acme')).toBeNull();
    expect(await files.findKept('file-1')).toMatchObject({ id: 'file-1', bytes: 1, isWhole: false });
    for (const id of ['file-1', 'file-2']) expect(await files.chunk(id, 0)).toEqual(Buffer.of(1));
    expect(await files.amountOf('acme')).toMatchObject({ files: 2 });
    expect(await batches.createWithin(batch('batch_3'), 5)).toBe('no-file');
    for (const id of ['file-1', 'file-2']) await batches.change(`batch_${id}`, 0, { stage: 'completed' });
    await files.removeDeleted('file-1');
    await files.removeDeleted('file-2');
    expect(await files.findKept('file-1')).toBeNull();
    expect(await files.chunk('file-1', 0)).toBeNull();
    expect(await files.removeExpired(AT_MS + 999, 9)).toBe(0);
    expect(await files.removeExpired(AT_MS + 1_000, 9)).toBe(2);
  });

  test('a deleted file goes with its chunks, an expired one in steps', async () => {
    const { files } = store();
    for (const id of ['file-1', 'file-3']) {
      await files.create(file(id));
      for (const number of [0, 1, 2]) await files.append(id, number, Uint8Array.of(1));
    }
    await files.create(file('file-2', { expiresAtMs: null }));
    await files.append('file-2', 0, Uint8Array.of(1));
    expect(await files.delete('file-1', 'other')).toBe(false);
    expect(await files.delete('file-1', 'acme')).toBe(true);
    expect(await files.delete('file-1', 'acme')).toBe(false);
    expect(await files.append('file-1', 3, Uint8Array.of(1))).toBe(false);
    expect(await files.chunk('file-1', 0)).toBeNull();
    expect(await files.amountOf('acme')).toMatchObject({ files: 2 });
    expect(await files.removeExpired(AT_MS, 2)).toBe(0);
    expect(await files.removeExpired(AT_MS + 1_000, 2)).toBe(2);
    expect(await files.amountOf('acme')).toMatchObject({ files: 2 });
    expect(await files.removeExpired(AT_MS + 1_000, 2)).toBe(2);
    expect(await files.removeExpired(AT_MS + 1_000, 2)).toBe(0);
    expect(await files.amountOf('acme')).toMatchObject({ files: 1 });
    expect(await files.chunk('file-3', 0)).toBeNull();
    expect(await files.chunk('file-2', 0)).not.toBeNull();
  });
}

/** Tests for every `BatchStore`. */
export function batchTests(store: () => Store): void {
  test('a batch is changed by its owner only, until it ends', async () => {
    const { batches, tasks } = store();
    await batches.create(batch('batch_1'));
    await expect(batches.create(batch('batch_1'))).rejects.toThrow();
    expect(await batches.find('batch_1', 'acme')).toEqual(batch('batch_1'));
    expect(await batches.find('batch_1', 'other')).toBeNull();
    await tasks.alive('one', AT_MS + 1_000);
    expect((await batches.claim('one', 5)).map(({ id, claim }) => [id, claim])).toEqual([['batch_1', 1]]);
    expect(await batches.claim('two', 5)).toEqual([]);
    expect(await batches.change('batch_1', 0, { stage: 'running' })).toBe(false);
    expect(await batches.askToCancel('batch_1', AT_MS + 5)).toBe(true);
    expect(await batches.askToCancel('batch_1', AT_MS + 6)).toBe(true);
    expect(await batches.claimsOf('one')).toEqual(
      new Map([['batch_1', { accountId: 'acme', claim: 1, cancelAskedAtMs: AT_MS + 5 }]]),
    );
    await batches.giveBack('one');
    const [again] = await batches.claim('two', 5);
    expect(again).toMatchObject({ id: 'batch_1', claim: 3, owner: 'two' });
    // `two` never said that it is alive.
    expect(await batches.claim('one', 5)).toMatchObject([{ claim: 4 }]);
    const changes = {
      stage: 'completed' as const,
      counts: { ...NO_LINES, succeeded: 2 },
      usage: { inputTokens: 1, cachedTokens: 2, outputTokens: 3, reasoningTokens: 4 },
      costNanoUsd: 9_000_000_000_000_000_000n,
      endedAtMs: AT_MS + 9,
      expiresAtMs: AT_MS + 10,
    };
    expect(await batches.change('batch_1', 4, changes)).toBe(true);
    expect(await batches.change('batch_1', 4, { stage: 'failed' })).toBe(false);
    expect(await batches.askToCancel('batch_1', AT_MS)).toBe(false);
    expect(await batches.find('batch_1', null)).toMatchObject(changes);
    expect(await batches.claim('two', 5)).toEqual([]);
  });

  test('batches are not created beyond a bound, not even at the same time', async () => {
    const { files, batches, tasks } = store();
    await tasks.alive('one', AT_MS + 1_000);
    for (const accountId of ['acme', 'other']) {
      await files.create(file(`file-${accountId}`, { accountId }));
      await files.finish(`file-${accountId}`, 1, null);
    }
    const made = (id: string, accountId = 'acme') =>
      batches.createWithin(batch(id, { accountId, inputFileId: `file-${accountId}` }), 2);
    const outcomes = await Promise.all(['batch_1', 'batch_2', 'batch_3', 'batch_4'].map((id) => made(id)));
    expect(outcomes.toSorted()).toEqual(['created', 'created', 'full', 'full']);
    expect(await made('batch_5', 'other')).toBe('created');
    expect(await batches.createWithin(batch('batch_6', { accountId: 'third', inputFileId: 'file-acme' }), 2)).toBe(
      'no-file',
    );
    expect((await batches.claim('one', 5, ['acme'])).map(({ id }) => id)).toEqual(['batch_5']);
    expect(await batches.claim('one', 5)).toHaveLength(2);
  });

  test('batches are listed and counted', async () => {
    const { batches } = store();
    await batches.create(batch('batch_1'));
    await batches.create(batch('batch_2', { createdAtMs: AT_MS + 1, stage: 'completed', expiresAtMs: AT_MS + 5 }));
    await batches.create(batch('msgbatch_3', { api: 'anthropic', accountId: 'other', createdAtMs: AT_MS + 2 }));
    const ids = async (query: Omit<Parameters<typeof batches.list>[0], 'readableAtMs'>, readableAtMs = AT_MS) =>
      (await batches.list({ ...query, readableAtMs }, 10)).map(({ id }) => id);
    expect(await ids({})).toEqual(['msgbatch_3', 'batch_2', 'batch_1']);
    expect(await ids({ accountId: 'acme', api: 'openai', isAscending: true })).toEqual(['batch_1', 'batch_2']);
    expect(await ids({ after: batch('batch_2', { createdAtMs: AT_MS + 1 }) })).toEqual(['batch_1']);
    expect(await ids({ stages: ['validating', 'running'] })).toEqual(['msgbatch_3', 'batch_1']);
    expect(await ids({}, AT_MS + 5)).toEqual(['msgbatch_3', 'batch_1']);
    expect(await batches.countOpen('acme')).toBe(1);
  });

  test('each line gets one result, from the owner of its batch', async () => {
    const { batches } = store();
    await batches.create(batch('batch_1', { claim: 4 }));
    const lines = [1, 2, 4, 5].map((number) => ({ number, offset: number * 10, bytes: 9 }));
    expect(await batches.addLines('batch_1', 3, lines)).toBe(false);
    expect(await batches.addLines('batch_1', 4, lines.slice(0, 2))).toBe(true);
    expect(await batches.addLines('batch_1', 4, lines)).toBe(true);
    expect(await batches.waitingLines('batch_1', 1, 2)).toEqual(lines.slice(1, 3));
    expect(await batches.finishLines('batch_1', 3, [result(1)])).toBe(false);
    expect(
      await batches.finishLines('batch_1', 4, [result(2), result(1, { outcome: 'errored', costNanoUsd: 0n })]),
    ).toBe(true);
    expect(await batches.finishLines('batch_1', 4, [result(2, { json: 'other' }), result(3)])).toBe(true);
    expect((await batches.waitingLines('batch_1', 0, 9)).map(({ number }) => number)).toEqual([4, 5]);
    expect(await batches.finishRest('batch_1', 3, 'expired', 1)).toBeNull();
    const rest = () => batches.finishRest('batch_1', 4, 'expired', 1);
    expect([await rest(), await rest(), await rest()]).toEqual([1, 1, 0]);
    const kept = await batches.results('batch_1', 0, 1_000_000);
    expect(kept.map(({ number, outcome, json }) => [number, outcome, json])).toEqual([
      [1, 'errored', '{"n":1}'],
      [2, 'succeeded', '{"n":2}'],
      [4, 'expired', null],
      [5, 'expired', null],
    ]);
    expect(kept[1]).toEqual({ ...result(2), offset: 20, bytes: 9 });
    expect((await batches.results('batch_1', 0, 1)).map(({ number }) => number)).toEqual([1]);
    expect((await batches.results('batch_1', 4, 1)).map(({ number }) => number)).toEqual([5]);
    const sums = {
      counts: { succeeded: 1, errored: 1, cancelled: 0, expired: 2 },
      usage: { inputTokens: 6, cachedTokens: 2, outputTokens: 10, reasoningTokens: 4 },
      costNanoUsd: 7n,
    };
    expect(await batches.sums('batch_1')).toEqual(sums);
    expect(await batches.find('batch_1', null)).toMatchObject(sums);
    expect(await batches.removeLines('batch_1', 3)).toBe(3);
    expect(await batches.removeLines('batch_1', 3)).toBe(1);
  });

  test('a line has one charge, however many calls have answered it', async () => {
    const { batches } = store();
    await batches.create(batch('batch_1'));
    const lines = [1, 2].map((number) => ({ number, offset: 0, bytes: 1 }));
    await batches.addLines('batch_1', 0, lines);
    const { outcome: _, ...noted } = { ...result(1), json: '{}', charge: 'one' };
    expect(await batches.noteCharge('batch_1', 1, noted)).toBe(false);
    expect(await batches.noteCharge('batch_1', 0, noted)).toBe(true);
    expect(await batches.noteCharge('batch_1', 0, noted)).toBe(true);
    expect(await batches.noteCharge('batch_1', 0, { ...noted, charge: 'other' })).toBe(false);
    expect(await batches.notedCharges('batch_1', 9)).toMatchObject([{ number: 1, charge: 'one' }]);
    await batches.finishLines('batch_1', 0, [result(1), result(2)]);
    expect(await batches.noteCharge('batch_1', 0, { ...noted, number: 2 })).toBe(false);
  });

  test('an expired batch goes with its lines, in steps', async () => {
    const { batches } = store();
    await batches.create(batch('batch_1'));
    await batches.addLines(
      'batch_1',
      0,
      [1, 2, 3].map((number) => ({ number, offset: 0, bytes: 1 })),
    );
    expect(await batches.deleteEnded('batch_1')).toBe(false);
    await batches.change('batch_1', 0, { stage: 'cancelled', expiresAtMs: AT_MS });
    expect(await batches.removeExpired(AT_MS - 1, 2)).toBe(0);
    expect(await batches.deleteEnded('batch_1')).toBe(true);
    expect(await batches.removeExpired(AT_MS - 1, 2)).toBe(2);
    expect(await batches.removeExpired(AT_MS - 1, 2)).toBe(2);
    expect(await batches.removeExpired(AT_MS - 1, 2)).toBe(0);
    expect(await batches.find('batch_1', null)).toBeNull();
  });
}

/** Tests for every `BatchRelayStore`. */
export function batchRelayTests(store: () => Store): void {
  test('lines go into a batch at a provider once, and come back', async () => {
    const { batches, batchRelays } = store();
    await batches.create(batch('batch_1'));
    await batches.claim('one', 5);
    const waiting = [1, 2, 3].map((number) => ({ number, offset: number * 10, bytes: 9 }));
    await batches.addLines('batch_1', 1, waiting);
    const at = { id: 'relay_1', batchId: 'batch_1', claim: 1 };
    const relay = sampleRelay({ id: 'relay_1', batchId: 'batch_1' });
    expect(await batchRelays.create(relay, 0)).toBe(false);
    expect(await batchRelays.create(relay, 1)).toBe(true);
    const add = (number: number, claim = 1) => {
      const content = new TextEncoder().encode(`line ${number}`);
      const verdicts = number === 1 ? null : `[${number}]`;
      return batchRelays.addLine(
        { ...at, claim },
        { number, requestId: `r${number}`, modelId: 'm', content, verdicts },
      );
    };
    expect(await add(1, 0)).toBe(false);
    expect([await add(1), await add(2), await add(1), await add(9)]).toEqual([true, true, false, false]);
    expect((await batches.waitingLines('batch_1', 0, 9)).map(({ number }) => number)).toEqual([3]);
    expect(await batchRelays.of('batch_1')).toEqual([{ ...relay, lines: 2, bytes: 14 }]);
    const changes = { stage: 'submitting', upstreamFileId: 'file', submittedAtMs: AT_MS } as const;
    expect(await batchRelays.change({ ...at, claim: 0 }, changes)).toBe(false);
    expect(await batchRelays.change(at, changes)).toBe(true);
    expect(await batchRelays.of('batch_1')).toMatchObject([changes]);
    expect(await add(3)).toBe(false);
    const texts = (await batchRelays.contents('relay_1', 0, 1)).map(({ content }) => new TextDecoder().decode(content));
    expect(texts).toEqual(['line 1']);
    const usual = { offset: 20, bytes: 9, requestId: 'r2', modelId: 'm', isOpen: true, verdicts: '[2]' };
    expect(await batchRelays.lines('relay_1', [2, 7])).toEqual([{ number: 2, ...usual }]);
    await batches.finishLines('batch_1', 1, [result(1)]);
    expect((await batchRelays.carried('relay_1', 0, 9)).map(({ isOpen }) => isOpen)).toEqual([false, true]);
    expect(await batchRelays.giveBack(at, [1], 'own')).toBe(true);
    expect(await batchRelays.remove(at)).toBe(true);
    expect(await batchRelays.of('batch_1')).toHaveLength(1);
    expect(await batchRelays.giveBack(at, [2], 'own')).toBe(true);
    const left = await batches.waitingLines('batch_1', 0, 9);
    expect(left).toEqual([
      { number: 2, offset: 20, bytes: 9, isOwn: true },
      { number: 3, offset: 30, bytes: 9 },
    ]);
    expect(await add(2)).toBe(false);
    expect(await batchRelays.remove(at)).toBe(true);
    expect(await batchRelays.of('batch_1')).toEqual([]);
  });

  test('an upstream key has as many submitted batches as it may, also if several are submitted at once', async () => {
    const { batches, batchRelays } = store();
    await batches.create(batch('batch_1'));
    await batches.claim('one', 5);
    const at = (id: string) => ({ id, batchId: 'batch_1', claim: 1 });
    const ids = ['relay_1', 'relay_2', 'relay_3', 'relay_4'];
    for (const id of ids) await batchRelays.create(sampleRelay({ id, batchId: 'batch_1' }), 1);
    await batchRelays.create(sampleRelay({ id: 'relay_5', batchId: 'batch_1', place: 'other', lines: 7 }), 1);
    expect(await batchRelays.beginSubmission({ ...at('relay_1'), claim: 0 }, 2)).toBe('lost');
    const begun = await Promise.all(ids.map((id) => batchRelays.beginSubmission(at(id), 2)));
    expect(begun.toSorted()).toEqual(['begun', 'begun', 'full', 'full']);
    const [first = ''] = ids.filter((_, index) => begun[index] === 'begun');
    expect(await batchRelays.beginSubmission(at(first), 2)).toBe('begun');
    expect(await batchRelays.beginSubmission(at('relay_5'), 1)).toBe('begun');
    // Lines may have been given back since they were counted.
    const fifth = (await batchRelays.of('batch_1')).find(({ id }) => id === 'relay_5');
    expect(fifth).toMatchObject({ stage: 'submitting', lines: 0 });
  });
}
