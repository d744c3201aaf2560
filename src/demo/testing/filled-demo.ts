import { expect } from 'bun:test';
import { priceParts } from '../../domain/money/applied-prices.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';
import type { Store } from '../../engine/ports/store.ts';
import { DEFAULT_CACHE } from '../../engine/settings/settings.ts';
import { openMediaStore } from '../../main/open-stores.ts';
import { newId, newRequestId, systemClock } from '../../main/system.ts';
import { providers } from '../../providers/index.ts';
import { ArgonPasswords } from '../../sign-in/passwords.ts';
import { MemoryCache } from '../../stores/in-process/cache.ts';
import { type FilledDemo, fillDemo } from '../fill-demo.ts';

const SECRET = 'a secret for the tests of the demo';
const logger = { debug() {}, info() {}, warn() {}, error() {} };
/** The options with which a store is opened for a demo. */
export const DEMO_STORE = { secret: SECRET, clock: systemClock, logger };
/** The end of the demo's time in these tests. */
export const nowMs = Date.now();
const MINUTE_MS = 60_000;

/** A store with a demo. */
export interface Filled {
  readonly store: Store;
  readonly cache: MemoryCache;
  readonly demo: FilledDemo;
  readonly lines: readonly RequestRecord[];
}

export interface DemoSize {
  /** The end of the demo's time. */
  readonly nowMs: number;
  readonly days: number;
  readonly requests: number;
}

/** Fills an empty store with a demo, of 30 days and 300 requests by default, and puts its files into the folder. */
export async function filled(
  store: Store,
  dataDirectory: string,
  size: DemoSize = { nowMs, days: 30, requests: 300 },
): Promise<Filled> {
  const cache = new MemoryCache({ settings: DEFAULT_CACHE, clock: systemClock });
  const mediaStore = openMediaStore({
    clock: systemClock,
    configuration: null,
    dataDirectory,
    secret: SECRET,
    logger: logger as never,
  });
  const system = { newId, newRequestId, passwords: new ArgonPasswords() };
  const demo = await fillDemo({ system, store, cache, mediaStore, providers, logger, seed: '1', ...size });
  await mediaStore.close();
  return { store, cache, demo, lines: await store.requestLog.recent(10_000) };
}

/** Checks that amounts and requests agree wherever they are read. */
export async function proven({ store, lines, demo }: Filled): Promise<void> {
  expect((await store.ledger.verify()).problems).toEqual([]);
  const spans = [{ fromMs: 0, toMs: Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS }];
  const query = { spans, groupBy: [], tags: null, limit: 10 };
  const [sum] = await store.usage.sum({ ...query, accountIds: null });
  const charged = (await store.ledger.spending()).reduce((all, { spentNanoUsd }) => all + spentNanoUsd, 0n);
  const logged = lines.reduce((all, { costNanoUsd }) => all + (costNanoUsd ?? 0n), 0n);
  expect([sum?.costNanoUsd, sum?.requests]).toEqual([charged, lines.length]);
  expect(logged).toBe(charged);
  expect(charged).toBeGreaterThan(0n);
  expect(sum?.savedNanoUsd).toBeGreaterThan(0n);
  for (const { billable, applied, costNanoUsd } of lines) {
    if (applied === undefined || costNanoUsd === null) continue;
    const parts = priceParts(billable, applied, costNanoUsd);
    expect(parts.some(({ kind }) => kind === 'written_off')).toBe(false);
  }
  expect(lines.length).toBeGreaterThan(demo.requests);
  expect(Math.max(...lines.map(({ atMs, latencyMs }) => atMs + latencyMs))).toBeLessThanOrEqual(nowMs);
  const balances = new Map((await store.ledger.balances()).map((one) => [one.accountId, one.balanceNanoUsd]));
  const paperkite = balances.get('paperkite') ?? 0n;
  expect([paperkite > 0n, paperkite < 1_000_000_000n]).toEqual([true, true]);
}
