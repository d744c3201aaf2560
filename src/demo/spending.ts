import { formatNanoUsd, NANO_USD_PER_USD } from '../domain/money/nano-usd.ts';
import { CUSTOMERS, type Customer, type DemoBudget } from './customers.ts';
import { DAY_MS, type DemoTime } from './demo-time.ts';
import { demoTraffic, type TrafficOptions } from './traffic.ts';

/** The cost of the demo's requests, computed before they are written. */
export interface Spending {
  readonly ofAccount: ReadonlyMap<string, bigint>;
  /** Keyed by `account/key`. */
  readonly ofKey: ReadonlyMap<string, bigint>;
  /** The spending per day of the demo, by account. */
  readonly byDay: ReadonlyMap<string, readonly bigint[]>;
}

export function spendingOf(options: TrafficOptions): Spending {
  const { time } = options;
  const ofAccount = new Map<string, bigint>();
  const ofKey = new Map<string, bigint>();
  const byDay = new Map(CUSTOMERS.map(({ id }) => [id, Array<bigint>(time.days).fill(0n)] as const));
  for (const { charge } of demoTraffic(options)) {
    if (charge === null) continue;
    const { accountId, keyId, costNanoUsd, atMs } = charge;
    const place = `${accountId}/${keyId}`;
    ofAccount.set(accountId, (ofAccount.get(accountId) ?? 0n) + costNanoUsd);
    ofKey.set(place, (ofKey.get(place) ?? 0n) + costNanoUsd);
    const days = byDay.get(accountId);
    const day = Math.min(time.days - 1, Math.floor((atMs - time.fromMs) / DAY_MS));
    if (days !== undefined) days[day] = (days[day] ?? 0n) + costNanoUsd;
  }
  return { ofAccount, ofKey, byDay };
}

/** Credit for an account; the first is granted when the account is created. */
export interface PlannedGrant {
  readonly accountId: string;
  readonly atMs: number;
  readonly amountNanoUsd: bigint;
}

/**
 * Returns the grants of a prepaid account: round sums whenever it runs low, so that it never owes anything. `besideNanoUsd` is needed for
 * other things than requests.
 */
export function grantsOf(
  { id: accountId, endsWithCents }: Customer,
  spending: Spending,
  time: DemoTime,
  besideNanoUsd: bigint,
): readonly PlannedGrant[] {
  const days = spending.byDay.get(accountId) ?? [];
  const total = (spending.ofAccount.get(accountId) ?? 0n) + besideNanoUsd;
  const rest = endsWithCents === undefined ? null : (total + BigInt(endsWithCents) * CENT) / CENT;
  // In whole cents; the last payment covers the remainder.
  const usual = rest === null ? roundNanoUsd(total, 0.45) : ((rest * 6n) / 10n) * CENT;
  const grants = [{ accountId, atMs: time.fromMs, amountNanoUsd: usual }];
  let balance = usual - besideNanoUsd;
  for (const [day, spent] of days.entries()) {
    while (balance < spent + (days[day + 1] ?? 0n)) {
      const amountNanoUsd = rest === null ? usual : rest * CENT - usual;
      if (amountNanoUsd <= 0n) break;
      grants.push({ accountId, atMs: time.fromMs + day * DAY_MS + grants.length * 60_000, amountNanoUsd });
      balance += amountNanoUsd;
      if (rest !== null) return grants;
    }
    balance -= spent;
  }
  return grants;
}

const CENT = NANO_USD_PER_USD / 100n;
/** Round steps, in tenths. */
const STEPS = [10n, 15n, 20n, 25n, 40n, 50n, 75n, 100n];

/** Returns the next round sum of at least `factor` times the amount, and at least a dollar. */
export function roundNanoUsd(nanoUsd: bigint, factor: number): bigint {
  const wanted = (nanoUsd * BigInt(Math.round(factor * 1_000))) / 1_000n;
  for (let scale = NANO_USD_PER_USD / 10n; ; scale *= 10n) {
    const step = STEPS.find((one) => one * scale >= wanted);
    if (step !== undefined) return step * scale;
  }
}

/** Returns a budget in the configuration's form: a multiple of the average spending per period. */
export function budgetInput({ factor, per, zone }: DemoBudget, spentNanoUsd: bigint, time: DemoTime) {
  const periods = { day: time.days, week: time.days / 7, month: time.days / 30 }[per];
  const amount = roundNanoUsd(spentNanoUsd, factor / Math.max(1, periods));
  return { usd: formatNanoUsd(amount), per, ...(zone !== undefined && { time_zone: zone }) };
}
