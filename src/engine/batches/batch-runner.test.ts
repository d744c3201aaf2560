import { afterEach, expect, test } from 'bun:test';
import type { Batch, LineResult, NotedCharge } from '../../domain/batches/batch.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { until } from '../../domain/testing/until.ts';
import { chargeFailure } from '../call/end-of-call.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import type { Charge } from '../ports/ledger.ts';
import type { RequestRecord } from '../ports/request-log.ts';
import { sampleBatch } from '../ports/testing/batch-samples.ts';
import { sampleCharge, sampleRecord } from '../ports/testing/samples.ts';
import { BatchRunner, type BatchRunnerPorts } from './batch-runner.ts';

const LINE = new TextEncoder().encode(
  JSON.stringify({ custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body: { model: 'm' } }),
);

const nothing = () => {};
const logged: string[] = [];
const note = (_fields: object, message: string) => void logged.push(message);
const LOGGER = { debug: nothing, info: note, warn: note, error: note };

let runner: BatchRunner | null = null;

afterEach(async () => {
  logged.length = 0;
  await runner?.stop(0);
  runner = null;
});

/**
 * A batch with one line over stores in memory. A method that is named in `fails` throws once. `isRevoked`: the key is refused when the line
 * runs.
 */
function site(fails: readonly (keyof BatchStore)[], isRevoked = false) {
  let batch: Batch = sampleBatch({ api: 'anthropic', stage: 'running', lines: 1, owner: null });
  let noted: NotedCharge | null = null;
  let result: LineResult | null = null;
  const charges: Charge[] = [];
  let calls = 0;
  const isWaiting = () => noted === null && result === null;
  const finish = (one: LineResult) => {
    result ??= one;
    return true;
  };
  const store: Partial<BatchStore> = {
    find: async () => batch,
    change: async (_id, _claim, changes) => {
      batch = { ...batch, ...changes };
      return true;
    },
    claim: async (owner) => {
      if (batch.owner !== null) return [];
      batch = { ...batch, owner, claim: 1 };
      return [batch];
    },
    claimsOf: async () => new Map(batch.endedAtMs === null && batch.owner !== null ? [[batch.id, batch]] : []),
    giveBack: async () => {},
    waitingLines: async (_id, after) =>
      isWaiting() && after < 1 ? [{ number: 1, offset: 0, bytes: LINE.length }] : [],
    noteCharge: async (_id, _claim, one) => {
      noted ??= one;
      return true;
    },
    notedCharges: async () => (noted === null || result !== null ? [] : [noted]),
    finishLines: async (_id, _claim, [one]) => one !== undefined && finish(one),
    finishRest: async (_id, _claim, outcome) => {
      if (!isWaiting()) return 0;
      const usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 };
      finish({ number: 1, outcome, json: null, costNanoUsd: 0n, usage });
      return 1;
    },
    sums: async () => ({ counts: batch.counts, usage: batch.usage, costNanoUsd: 0n }),
  };
  const left = new Set(fails);
  let isAway = false;
  const records: RequestRecord[] = [];
  const batches = new Proxy(store, {
    get: (of, name: keyof BatchStore) =>
      isAway || left.delete(name) ? () => Promise.reject(new Error('the store is away')) : of[name],
  }) as BatchStore;
  const ledger = {
    charge: async (charge: Charge) => {
      if (charges.some(({ requestId }) => requestId === charge.requestId)) return 'known' as const;
      charges.push(charge);
      return 'charged' as const;
    },
  };
  const at: BatchRunnerPorts['lines']['at'] =
    () =>
    async ({ batch: run }) => {
      calls++;
      const record = sampleRecord({ requestId: run.requestId, costNanoUsd: 7n });
      if (isRevoked) {
        const refused = { accountId: null, keyId: null, costNanoUsd: null, status: 401 };
        run.recorded({ ...record, ...refused }, new Failure('expired_api_key', { message: 'It has been revoked.' }));
        return { kind: 'whole', status: 401, headers: {}, body: '{}' };
      }
      const charge = sampleCharge({ requestId: run.requestId, costNanoUsd: 7n });
      run.answers({ body: '{}', billable: null }, false);
      try {
        await run.charging(charge);
        await ledger.charge(charge);
        run.recorded(record, null);
        return { kind: 'whole', status: 200, headers: {}, body: '{}' };
      } catch {
        run.recorded({ ...record, costNanoUsd: null }, chargeFailure());
        return { kind: 'whole', status: 503, headers: {}, body: '{}' };
      }
    };
  const timers: (() => void)[] = [];
  let requests = 0;
  let elapsedMs = 0;
  runner = new BatchRunner({
    ...{
      batches,
      ledger,
      log: { append: (record: RequestRecord) => records.push(record) },
      lines: { at } as BatchRunnerPorts['lines'],
    },
    files: { chunk: async () => LINE, removeDeleted: async () => {} } as unknown as BatchRunnerPorts['files'],
    ...{ secretHashOf: async () => 'hash', newRequestId: () => `r${++requests}` },
    clock: { nowMs: () => batch.createdAtMs, monotonicMs: () => (elapsedMs += 1_000) },
    ...{
      sleep: async () => {},
      random: () => 0.5,
      logger: LOGGER as BatchRunnerPorts['logger'],
      keepMs: 1,
      maxLineBytes: 1_000,
      owner: 'me',
    },
    relaying: null,
    every: (_ms, work) => {
      timers.push(work);
      return nothing;
    },
    settings: {
      linesAtOnce: 1,
      allLinesAtOnce: 1,
      sharePercent: 50,
      pricePercent: 100,
    } as BatchRunnerPorts['settings'],
    lineEnded: nothing,
    bodies: { take: () => true, giveBack: nothing },
  });
  runner.start();
  const ended = () =>
    until('the batch has ended', () => {
      for (const work of timers) work();
      return batch.endedAtMs !== null;
    });
  const ticks = async (count: number) => {
    for (let tick = 0; tick < count; tick++) {
      for (const work of timers) work();
      await Bun.sleep(0);
    }
  };
  const away = (is: boolean) => {
    isAway = is;
  };
  return { ended, ticks, away, charges, records, calls: () => calls, result: () => result };
}

test('a line whose result cannot be stored after its charge is neither run nor charged again', async () => {
  const { ended, charges, calls, result } = site(['finishLines']);
  await ended();
  expect(result()).toMatchObject({ outcome: 'succeeded', costNanoUsd: 7n });
  expect(charges.map(({ requestId }) => requestId)).toEqual(['r1']);
  expect(calls()).toBe(1);
});

test('a line whose charge cannot be stored runs again, and does not expire', async () => {
  const { ended, charges, calls, result } = site(['noteCharge']);
  await ended();
  expect(result()?.outcome).toBe('succeeded');
  expect(charges).toHaveLength(1);
  expect(calls()).toBe(2);
});

test('a batch ends although the store fails more than once while it does', async () => {
  const { ended, result } = site(['notedCharges', 'find', 'sums']);
  await ended();
  expect(result()?.outcome).toBe('succeeded');
});

test('a store that is away for a while is logged once, and when it answers again', async () => {
  const { ended, ticks, away } = site([]);
  await ticks(1);
  away(true);
  await ticks(50);
  expect(logged).toHaveLength(1);
  away(false);
  await ended();
  expect(logged.slice(1)).toEqual(['batches are processed again']);
});

test('a line whose key was revoked after it was read is logged for its account', async () => {
  const { ended, records, result } = site([], true);
  await ended();
  expect(result()?.outcome).toBe('errored');
  expect(records).toMatchObject([{ accountId: 'acme', keyId: 'ci', status: 401, costNanoUsd: null }]);
});
