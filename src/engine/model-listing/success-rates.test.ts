import { beforeEach, describe, expect, test } from 'bun:test';
import type { OutcomeCount, SuccessSnapshot } from '../../domain/catalog/preference.ts';
import type { OutcomeSource, SnapshotStore } from '../ports/outcomes.ts';
import { SuccessRates } from './success-rates.ts';

const DAY_MS = 86_400_000;
const FRESH_MS = 300_000;

let nowMs: number;
let monotonicMs: number;
let logged: string[];
let asked: [fromMs: number, toMs: number][];
/** The counts that the source returns, or a function that replaces it. */
let count: () => Promise<readonly OutcomeCount[]>;
let stored: SuccessSnapshot | null;
let isClaimable: boolean;
let released: number[];
let isStoreAway: boolean;
/** Runs before a write completes. */
let beforeWrite: () => void;
/** Whether the claim is still valid when the snapshot is written. */
let isClaimKept: boolean;

beforeEach(() => {
  nowMs = 1_790_000_000_000;
  monotonicMs = 0;
  logged = [];
  asked = [];
  count = async () => [outcome('a', 3, 1)];
  stored = null;
  isClaimable = true;
  released = [];
  isStoreAway = false;
  beforeWrite = () => {};
  isClaimKept = true;
});

function outcome(modelId: string, succeeded: number, failed: number): OutcomeCount {
  return { modelId, succeeded, failed };
}

const source: OutcomeSource = {
  count(fromMs, toMs) {
    asked.push([fromMs, toMs]);
    return count();
  },
};

const snapshots: SnapshotStore = {
  async read() {
    if (isStoreAway) throw new Error('away');
    return stored;
  },
  async claim() {
    if (isStoreAway) throw new Error('away');
    return isClaimable;
  },
  async write(snapshot) {
    beforeWrite();
    if (isClaimKept) stored = snapshot;
    return isClaimKept;
  },
  async release(atMs) {
    released.push(atMs);
  },
};

function newRates(sources: readonly OutcomeSource[] = [source]): SuccessRates {
  const silent = () => {};
  const warn = (_fields: unknown, message: string) => void logged.push(message);
  const logger = { debug: silent, info: silent, warn, error: warn };
  const clock = { nowMs: () => nowMs, monotonicMs: () => monotonicMs };
  return new SuccessRates({ sources, snapshots, clock, logger, freshMs: FRESH_MS });
}

function tookSeconds(seconds: number): typeof count {
  return async () => {
    monotonicMs += seconds * 1_000;
    nowMs += seconds * 1_000;
    return [];
  };
}

describe('a refresh', () => {
  test('counts the last 24 hours, keeps the snapshot and stores it', async () => {
    const rates = newRates();
    expect(rates.current()).toBeNull();
    await rates.refresh();
    const expected = { atMs: nowMs, windowMs: DAY_MS, counts: [outcome('a', 3, 1)] };
    expect(asked).toEqual([[nowMs - DAY_MS, nowMs]]);
    expect(rates.current()).toEqual(expected);
    expect(stored).toEqual(expected);
  });

  test('adds up the counts of several sources, ordered by model', async () => {
    const tasks: OutcomeSource = { count: async () => [outcome('video', 1, 1), outcome('a', 10, 20)] };
    const rates = newRates([source, tasks]);
    await rates.refresh();
    expect(rates.current()?.counts).toEqual([outcome('a', 13, 21), outcome('video', 1, 1)]);
  });

  test('adopts the snapshot of another node, and counts nothing', async () => {
    const rates = newRates();
    isClaimable = false;
    stored = { atMs: nowMs - 5, windowMs: DAY_MS, counts: [] };
    await rates.refresh();
    expect(rates.current()).toEqual(stored);
    expect(asked).toEqual([]);
  });

  test('drops its snapshot after the clock was set back', async () => {
    const rates = newRates();
    await rates.refresh();
    nowMs -= DAY_MS;
    isClaimable = false;
    stored = { atMs: nowMs, windowMs: DAY_MS, counts: [] };
    await rates.refresh();
    expect(rates.current()).toBe(stored);
  });

  test('that outlasts its claim reports it, and adopts the newer one of the other node', async () => {
    const newer = { atMs: nowMs + 121_000, windowMs: DAY_MS, counts: [] };
    isClaimKept = false;
    beforeWrite = () => {
      stored = newer;
      nowMs += 122_000;
    };
    const rates = newRates();
    await rates.refresh();
    expect(rates.current()).toBe(newer);
    expect(released).toEqual([]);
    expect(logged).toEqual(["counting the models' success rates took too long: another node started over"]);
  });

  test('keeps its snapshot while another node makes the first', async () => {
    const rates = newRates();
    await rates.refresh();
    const before = rates.current();
    [stored, isClaimable] = [null, false];
    await rates.refresh();
    expect(rates.current()).toBe(before);
  });

  test('does not run twice concurrently', async () => {
    const counting = Promise.withResolvers<readonly OutcomeCount[]>();
    count = () => counting.promise;
    const rates = newRates();
    const both = Promise.all([rates.refresh(), rates.refresh()]);
    counting.resolve([]);
    await both;
    expect(asked).toHaveLength(1);
    await rates.refresh();
    expect(asked).toHaveLength(2);
  });
});

/** Makes rates with a count in progress. */
async function newRatesThatCount() {
  const counting = Promise.withResolvers<readonly OutcomeCount[]>();
  const begun = Promise.withResolvers<void>();
  count = () => {
    begun.resolve();
    return counting.promise;
  };
  const rates = newRates();
  const refreshing = rates.refresh();
  await begun.promise;
  return { rates, counting, refreshing };
}

describe('stopping', () => {
  test('releases the claim of a running count', async () => {
    const { rates, counting, refreshing } = await newRatesThatCount();
    await rates.stop();
    expect(released).toEqual([nowMs]);
    counting.resolve([]);
    await refreshing;
  });

  test('releases a claim in the making, and nothing is counted', async () => {
    let counts = 0;
    count = async () => {
      counts += 1;
      return [];
    };
    const rates = newRates();
    const refreshing = rates.refresh();
    await rates.stop();
    await refreshing;
    expect([counts, released]).toEqual([0, [nowMs]]);
  });

  test('without a count releases nothing', async () => {
    const rates = newRates();
    await rates.refresh();
    await rates.stop();
    expect(released).toEqual([]);
  });
});

describe('a failed refresh', () => {
  test('keeps the old snapshot, and releases the claim', async () => {
    const rates = newRates();
    await rates.refresh();
    const before = rates.current();
    count = async () => Promise.reject(new Error('away'));
    nowMs += FRESH_MS;
    await rates.refresh();
    expect(rates.current()).toBe(before);
    expect(stored).toBe(before);
    expect(released).toEqual([nowMs]);
  });

  test('that cannot write releases the claim, and keeps its counts although the stored ones are older', async () => {
    const older = { atMs: nowMs - 1, windowMs: DAY_MS, counts: [] };
    stored = older;
    beforeWrite = () => {
      throw new Error('locked');
    };
    const rates = newRates();
    await rates.refresh();
    expect(released).toEqual([nowMs]);
    expect(stored).toBe(older);
    isClaimable = false;
    await rates.refresh();
    expect(rates.current()).toEqual({ atMs: nowMs, windowMs: DAY_MS, counts: [outcome('a', 3, 1)] });
  });

  test('after stopping is not reported', async () => {
    const { rates, counting, refreshing } = await newRatesThatCount();
    await rates.stop();
    counting.reject(new Error('The store is closed.'));
    await refreshing;
    expect(logged).toEqual([]);
  });

  test('is logged once until the next success', async () => {
    const message = "the models' success rates could not be updated; the old rates are kept";
    const rates = newRates();
    isStoreAway = true;
    await rates.restore();
    await rates.refresh();
    await rates.refresh();
    expect(logged).toEqual([message]);
    isStoreAway = false;
    await rates.refresh();
    isStoreAway = true;
    await rates.refresh();
    expect(logged).toEqual([message, message]);
  });
});

test('a restart loads the last snapshot', async () => {
  await newRates().refresh();
  const restarted = newRates();
  await restarted.restore();
  expect(restarted.current()).toEqual(stored);
  expect(asked).toHaveLength(1);
});

describe('the next refresh', () => {
  test('is due at once without a fresh snapshot, but not in a tight loop', async () => {
    expect(newRates().nextDelayMs()).toBe(FRESH_MS / 10);
    stored = { atMs: nowMs - DAY_MS, windowMs: DAY_MS, counts: [] };
    const restarted = newRates();
    await restarted.restore();
    expect(restarted.nextDelayMs()).toBe(FRESH_MS / 10);
  });

  test('is due when the snapshot is no longer fresh, whoever made it', async () => {
    isClaimable = false;
    stored = { atMs: nowMs - 60_000, windowMs: DAY_MS, counts: [] };
    const rates = newRates();
    await rates.refresh();
    expect(rates.nextDelayMs()).toBe(FRESH_MS - 60_000);
  });

  test('waits at least 20 times the duration of the last count', async () => {
    const rates = newRates();
    count = tookSeconds(2);
    await rates.refresh();
    expect(rates.nextDelayMs()).toBe(FRESH_MS - 2_000);
    nowMs += FRESH_MS;
    count = tookSeconds(60);
    await rates.refresh();
    expect(rates.nextDelayMs()).toBe(20 * 60_000);
  });

  test('waits as long after a failed count', async () => {
    const rates = newRates();
    count = async () => {
      monotonicMs += 100_000;
      throw new Error('too slow');
    };
    await rates.refresh();
    expect(rates.nextDelayMs()).toBe(20 * 100_000);
  });

  test('is not delayed by a clock that was set back', async () => {
    const rates = newRates();
    await rates.refresh();
    nowMs -= DAY_MS;
    expect(rates.nextDelayMs()).toBe(FRESH_MS);
  });
});
