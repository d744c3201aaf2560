import { beforeEach, describe, expect, test } from 'bun:test';
import type { SpendCap, UpstreamKey } from '../../domain/catalog/upstream-key.ts';
import { sampleChannel } from '../ports/testing/samples.ts';
import type { SpendingDelta, UpstreamSpendingStore } from '../ports/upstream-spending-store.ts';
import { KeySpendings, SpendingRecorder } from './key-spendings.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const NOON_MS = Date.UTC(2026, 10, 30, 12);
const DAILY: SpendCap = { amountNanoUsd: 100n, per: 'day', timeZone: 'UTC' };

let timeMs = 0;
const clock = { nowMs: () => NOON_MS + timeMs, monotonicMs: () => timeMs };
let health = { cappedUntilMs: Number.NEGATIVE_INFINITY };
const isCapped = () => timeMs < health.cappedUntilMs;

function channelWith(spendCap: SpendCap | null) {
  const upstreamKey: UpstreamKey = {
    ...{ id: 'k1', name: 'main', key: 'secret', weight: 1, enabled: true, block: null, resetAtMs: null },
    spendCap,
  };
  return sampleChannel({ id: 'one', upstreamKey });
}

function spendingOf(spendings: KeySpendings, cap: SpendCap | null = DAILY) {
  const spending = spendings.of(channelWith(cap), health);
  if (spending === null) throw new Error('The channel has several keys.');
  return spending;
}

beforeEach(() => {
  timeMs = 0;
  health = { cappedUntilMs: Number.NEGATIVE_INFINITY };
});

describe('the cap of an upstream key', () => {
  test('refuses it until the day ends, and counts the next day from zero', () => {
    const spending = spendingOf(new KeySpendings(clock));
    spending.add(99n);
    expect(isCapped()).toBe(false);
    spending.add(1n);
    expect(isCapped()).toBe(true);
    timeMs = DAY_MS / 2;
    expect(isCapped()).toBe(false);
    expect(spending.figures()).toMatchObject({ spentNanoUsd: 0n, isSpent: false });
    spending.add(100n);
    expect(isCapped()).toBe(true);
  });

  test('applies anew when it is raised or removed', () => {
    const spendings = new KeySpendings(clock);
    spendingOf(spendings).add(150n);
    spendingOf(spendings, { ...DAILY, amountNanoUsd: 200n });
    expect(isCapped()).toBe(false);
    spendingOf(spendings);
    expect(isCapped()).toBe(true);
    spendingOf(spendings, null);
    expect(isCapped()).toBe(false);
  });
});

describe('the exchange with the store', () => {
  /** Keeps sums as a store does; each write waits for `open`. */
  class HeldStore implements UpstreamSpendingStore {
    readonly sums = new Map<string, SpendingDelta>();
    writes = 0;
    /** The number of the write that fails. */
    failing = 0;
    open = Promise.withResolvers<void>();

    async add(deltas: readonly SpendingDelta[]): Promise<void> {
      const write = ++this.writes;
      await this.open.promise;
      if (write === this.failing) throw new Error('The connection was lost.');
      for (const delta of deltas) {
        const spentNanoUsd = (this.sums.get(delta.period)?.spentNanoUsd ?? 0n) + delta.spentNanoUsd;
        this.sums.set(delta.period, { ...delta, spentNanoUsd });
      }
    }

    async read() {
      return [...this.sums.values()];
    }

    async reset(): Promise<void> {
      this.sums.clear();
    }

    async removeEnded(): Promise<number> {
      return 0;
    }
  }

  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

  test('neither loses nor repeats amounts if a slow write is still running, or fails', async () => {
    const spendings = new KeySpendings(clock);
    const store = new HeldStore();
    const recorder = new SpendingRecorder(spendings, { store, clock, logger });
    const spending = spendingOf(spendings);
    spending.add(5n);
    store.failing = 1;
    const slow = recorder.record();
    while (store.writes === 0) await Promise.resolve();
    spending.add(3n);
    const later = [recorder.record(), recorder.record()];
    expect(spending.figures().spentNanoUsd).toBe(8n);
    store.open.resolve();
    await Promise.all([slow, ...later]);
    expect([...store.sums.values()].map(({ spentNanoUsd }) => spentNanoUsd)).toEqual([8n, 8n]);
    expect(spending.figures().spentNanoUsd).toBe(8n);
    expect(store.writes).toBe(2);
  });

  test('learns what other processes have spent or reset', async () => {
    const spendings = new KeySpendings(clock);
    const store = new HeldStore();
    store.open.resolve();
    const recorder = new SpendingRecorder(spendings, { store, clock, logger });
    spendingOf(spendings).add(40n);
    await recorder.record();
    await store.add([...store.sums.values()].map((sum) => ({ ...sum, spentNanoUsd: 60n })));
    await recorder.record();
    expect(isCapped()).toBe(true);
    await store.reset();
    await recorder.record();
    expect(isCapped()).toBe(false);
  });
});
