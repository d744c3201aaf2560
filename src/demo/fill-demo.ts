import { type Budget, budgetWindow } from '../domain/money/budget.ts';
import { formatNanoUsd } from '../domain/money/nano-usd.ts';
import { rollUsage } from '../engine/admin/usage/roll-usage.ts';
import type { CacheStore } from '../engine/ports/cache-store.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { MediaStore } from '../engine/ports/media-store.ts';
import type { Store } from '../engine/ports/store.ts';
import type { Providers } from '../providers/manifest.ts';
import { demoAlerts } from './alerts.ts';
import { cacheEntries, cacheReports } from './cache.ts';
import { CORRECTION_NANO_USD, changesOf } from './changes.ts';
import { providerOf } from './channels.ts';
import { CUSTOMERS, OWNER } from './customers.ts';
import type { DemoContext, DemoSystem } from './demo-context.ts';
import { DAY_MS, DemoTime, HOUR_MS } from './demo-time.ts';
import { demoOperator, demoPeople, openInvitations, type SignIn } from './people.ts';
import { demoAccount, demoServing, pricesOf, privateChannels } from './scene.ts';
import { grantsOf, type PlannedGrant, type Spending, spendingOf } from './spending.ts';
import { plannedTasks } from './task-plan.ts';
import { writeTasks } from './tasks.ts';
import type { TrafficOptions } from './traffic.ts';
import { writeTraffic } from './write-traffic.ts';

interface DemoOptions {
  readonly system: DemoSystem;
  readonly store: Store;
  /** `null` if the gateway's cache is not in the data folder. */
  readonly cache: CacheStore | null;
  readonly mediaStore: MediaStore;
  readonly providers: Providers;
  readonly logger: Logger;
  readonly nowMs: number;
  readonly days: number;
  /** The same seed and time make the same demo, except for secrets. */
  readonly seed: string;
  readonly requests: number;
}

export interface FilledDemo {
  readonly requests: number;
  readonly costUsd: string;
  readonly operator: SignIn;
  readonly owner: SignIn;
}

/** How long before the first request the gateway was set up. */
const PREPARED_MS = 45 * DAY_MS;
const MOST_TASKS = 48;

/** Fills an empty store with the history of a fictional gateway, through the same use cases as a real one's. */
export async function fillDemo(options: DemoOptions): Promise<FilledDemo> {
  const { system, store, cache, mediaStore, providers, logger, nowMs, days, seed, requests } = options;
  const time = new DemoTime(nowMs, days);
  const context: DemoContext = { system, store, providers, logger, time, seed };
  const beginMs = time.fromMs - PREPARED_MS;
  const operator = await demoOperator(context, beginMs);
  await demoServing(context, operator, beginMs + HOUR_MS);
  const prices = await pricesOf(context);
  const traffic: TrafficOptions = { time, seed, requests, prices, providerOf };
  const spending = spendingOf(traffic);
  const tasks = plannedTasks({ time, seed, prices }, Math.min(MOST_TASKS, Math.ceil(requests / 10)));
  const beside = new Map([['halyard', CORRECTION_NANO_USD]]);
  for (const { accountId, costNanoUsd } of tasks) beside.set(accountId, (beside.get(accountId) ?? 0n) + costNanoUsd);
  const later = await demoAccounts(context, operator, spending, beside);
  const people = await demoPeople(context, operator, beginMs + 20 * DAY_MS);
  await privateChannels(context, people.get('sam@ferryline.example') ?? operator, beginMs + 24 * DAY_MS);
  await demoAlerts(context, operator);
  const changes = changesOf(context, { operator, people, spending, grants: later });
  const steps = [...changes, ...openInvitations(context, operator)];
  for (const step of steps.toSorted((one, other) => one.atMs - other.atMs)) await step.run(step.atMs);
  const written = await writeTraffic(store, traffic);
  // Before the charges of tasks, which are older: a ledger's entries are nearly in the order of their times.
  await beginBudgets(store, nowMs);
  await writeTasks(context, mediaStore, tasks, prices);
  if (cache !== null) cacheEntries(context, cache);
  await cacheReports(context);
  await rollUsage(store.usage, async () => undefined);
  const spent = [...spending.ofAccount.values()].reduce((sum, one) => sum + one, 0n);
  const owner = people.get(OWNER.email) ?? operator;
  return { requests: written, costUsd: formatNanoUsd(spent), operator, owner };
}

/** Creates the accounts; returns their grants after the opening balances. */
async function demoAccounts(
  context: DemoContext,
  operator: Awaited<ReturnType<typeof demoOperator>>,
  spending: Spending,
  beside: ReadonlyMap<string, bigint>,
): Promise<readonly PlannedGrant[]> {
  const { time } = context;
  const later: PlannedGrant[] = [];
  for (const [index, customer] of CUSTOMERS.entries()) {
    const isPrepaid = customer.billing === 'prepaid';
    const grants = isPrepaid ? grantsOf(customer, spending, time, beside.get(customer.id) ?? 0n) : [];
    const atMs = time.fromMs - (40 - index * 2) * DAY_MS;
    await demoAccount(context, { operator, customer, spending, grants, atMs });
    later.push(...grants.slice(1));
  }
  return later;
}

const MOST = 1_000;

/**
 * Begins the current period of every budget, as the first request in it does: from then on spending is counted instead of computed from the
 * log.
 */
async function beginBudgets({ directory, ledger }: Store, nowMs: number): Promise<void> {
  const begin = async (accountId: string, keyId: string | null, budget: Budget | null) => {
    if (budget === null) return;
    await ledger.lease({ accountId, keyId, window: budgetWindow(budget, nowMs) }, 0n, 0n, budget.amountNanoUsd);
  };
  for (const { id: accountId, budget } of await directory.accounts({ after: null, limit: MOST })) {
    await begin(accountId, null, budget);
    const keys = await directory.credentials({ accountId, kind: 'inference', after: null, limit: MOST });
    for (const key of keys) await begin(accountId, key.id, key.budget);
  }
}
