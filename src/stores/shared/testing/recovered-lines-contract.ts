import { expect, test } from 'bun:test';
import { until } from '../../../../conformance/shared/until.ts';
import type { RequestLog, RequestRecord } from '../../../engine/ports/request-log.ts';
import type { Store } from '../../../engine/ports/store.ts';
import {
  SAMPLE_USAGE,
  sampleChannel,
  sampleCharge,
  sampleEntry,
  sampleModel,
  sampleRecord,
  sampleTask,
} from '../../../engine/ports/testing/samples.ts';
import type { UsageSum } from '../../../engine/ports/usage-store.ts';

const MINUTE_MS = 60_000;
/** In the middle of a minute, so that all charges of a test share it. */
const AT_MS = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 30_000;

export function requestIdAt(atMs: number): string {
  return `req_${Bun.randomUUIDv7('hex', atMs)}`;
}

async function recoveredLine({ find }: Pick<RequestLog, 'find'>, requestId: string): Promise<RequestRecord> {
  let line: RequestRecord | null = null;
  await until('the line is recovered', async () => {
    line = await find(requestId);
    return line !== null;
  });
  return line as unknown as RequestRecord; // `until` waited for it.
}

async function usageOf({ usage }: Store): Promise<UsageSum | undefined> {
  const spans = [{ fromMs: AT_MS - (AT_MS % MINUTE_MS), toMs: AT_MS - (AT_MS % MINUTE_MS) + MINUTE_MS }];
  const [sum] = await usage.sum({ accountIds: ['acme'], spans, groupBy: [], tags: null, limit: 10 });
  return sum;
}

/**
 * Tests for charges whose request log line was lost in a crash, for every store.
 *
 * @param openBefore opens the store of the gateway that crashes
 * @param openAfter opens the same store again, as the restarted gateway does
 */
export function recoveredLinesTests(openBefore: () => Promise<Store>, openAfter: () => Promise<Store>): void {
  const charge = (store: Store, requestId: string, fields: Parameters<typeof sampleCharge>[0] = {}) =>
    store.ledger.charge(sampleCharge({ requestId, atMs: AT_MS + 800, ...fields }));
  const find = (store: Store) => ({ find: (id: string) => store.requestLog.find(id) });

  test('a charge without a line gets one with the known facts, and is summed once', async () => {
    const [lost, known] = [requestIdAt(AT_MS), requestIdAt(AT_MS + 1)];
    const before = await openBefore();
    await before.directory.write('all', (writer) => {
      writer.putModel(sampleModel());
      writer.putChannel(sampleChannel());
    });
    await charge(before, lost);
    await charge(before, known);
    const line = sampleRecord({ requestId: known, atMs: AT_MS + 1, latencyMs: 799, costNanoUsd: 1_250n });
    before.requestLog.append(line);
    await before.close();

    const after = await openAfter();
    expect(await recoveredLine(find(after), lost)).toEqual({
      ...{ requestId: lost, atMs: AT_MS, accountId: 'acme', keyId: 'ci', costNanoUsd: 1_250n, recovered: true },
      ...{ modelId: 'gpt-4o-mini', channelId: 'openai-main', provider: sampleChannel().provider, status: 200 },
      ...{ format: 'unknown', upstreamModel: null, answerModel: null, stream: false, latencyMs: 800 },
      ...{ errorCode: null, failureKind: null, clientGone: false, retryCount: 0, failedAttempts: [] },
      ...{ firstByteMs: null, billable: null, upstreamRequestId: null, cacheMatch: null, cacheEntryId: null },
    });
    await after.close();
    const later = await openAfter();
    // The recovery of the next charge shows that the store has scanned again.
    const next = requestIdAt(AT_MS + 2);
    await charge(later, next);
    await later.close();
    const last = await openAfter();
    await recoveredLine(find(last), next);
    const ids = (await last.requestLog.recent(10)).map(({ requestId }) => requestId);
    expect(ids).toEqual([next, known, lost]);
    expect(await usageOf(last)).toMatchObject({ requests: 3, errors: 0, costNanoUsd: 3_750n });
    expect(await last.outcomes.count(AT_MS - 1_000, AT_MS + 1_000)).toEqual([
      { modelId: line.modelId ?? '', succeeded: 1, failed: 0 },
    ]);
  });

  test('the model is unknown if the key used several models in the minute', async () => {
    const ids = [requestIdAt(AT_MS), requestIdAt(AT_MS + 1)];
    const before = await openBefore();
    for (const [index, requestId] of ids.entries())
      await charge(before, requestId, { usage: { ...SAMPLE_USAGE, modelId: `model-${index}` } });
    await before.close();
    const { modelId, channelId } = await recoveredLine(find(await openAfter()), ids[0] ?? '');
    expect([modelId, channelId]).toEqual([null, SAMPLE_USAGE.channelId]);
  });

  test('a task that is not final, an old charge and a refund get no line', async () => {
    const [open, final, old] = [requestIdAt(AT_MS), requestIdAt(AT_MS + 1), requestIdAt(AT_MS - 25 * 3_600_000)];
    const before = await openBefore();
    await before.tasks.create(sampleTask({ id: 'open', requestId: open, createdAtMs: AT_MS, stage: 'closing' }));
    const endedAtMs = AT_MS + 900;
    const ended = { id: 'final', requestId: final, createdAtMs: AT_MS, endedAtMs, stage: 'completed' } as const;
    await before.tasks.create(sampleTask(ended));
    for (const requestId of [old, open, final]) await charge(before, requestId);
    await before.ledger.append(sampleEntry({ idempotencyKey: 'r', kind: 'refund', requestId: requestIdAt(AT_MS) }));
    await before.close();
    const after = await openAfter();
    await recoveredLine(find(after), final);
    expect((await after.requestLog.recent(10)).map(({ requestId }) => requestId)).toEqual([final]);
  });
}
