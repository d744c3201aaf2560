import type { RequestRecord } from '../../engine/ports/request-log.ts';
import { type Counter, CounterFamily } from './families.ts';
import type { MetricRegistry } from './metric-registry.ts';

const LIMITS = [
  'account_requests_per_minute',
  'account_tokens_per_minute',
  'key_requests_per_minute',
  'account_concurrent_requests',
  'unavailable',
] as const;
const MONEY_LIMITS = [
  'account_balance',
  'account_balance_in_use',
  'key_limit',
  'account_budget',
  'key_budget',
] as const;

type Limit = (typeof LIMITS)[number];
type MoneyLimit = (typeof MONEY_LIMITS)[number];

/** Counts requests that were refused for their key, a limit, or lack of money. All series begin at 0. */
export class RefusalMetrics {
  private readonly keys: Readonly<Record<'refused' | 'throttled', Counter>>;
  private readonly limits: ReadonlyMap<string, Counter>;
  private readonly money: ReadonlyMap<string, Counter>;

  constructor(registry: MetricRegistry) {
    const keys = new CounterFamily(registry, 'switchyard_refused_keys_total');
    this.keys = { refused: keys.labels({ outcome: 'refused' }), throttled: keys.labels({ outcome: 'throttled' }) };
    const limits = new CounterFamily(registry, 'switchyard_rate_limit_refusals_total');
    this.limits = new Map(LIMITS.map((limit) => [limit, limits.labels({ limit })]));
    const money = new CounterFamily(registry, 'switchyard_money_refusals_total');
    this.money = new Map(MONEY_LIMITS.map((limit) => [limit, money.labels({ limit })]));
  }

  keyRefused(how: 'refused' | 'throttled'): void {
    this.keys[how].add(1);
  }

  requestFailed(record: Pick<RequestRecord, 'errorCode' | 'failureKind'>): void {
    const limit = limitOf(record);
    if (limit !== null) this.limits.get(limit)?.add(1);
    const money = moneyLimitOf(record);
    if (money !== null) this.money.get(money)?.add(1);
  }
}

/** The kind of a rate limit's failure is the limit; an upstream's failure of the same code has another kind. */
function limitOf({ errorCode, failureKind }: Pick<RequestRecord, 'errorCode' | 'failureKind'>): Limit | null {
  if (errorCode === 'limits_unavailable') return 'unavailable';
  return errorCode === 'rate_limit_exceeded' ? (LIMITS.find((limit) => limit === failureKind) ?? null) : null;
}

function moneyLimitOf({ errorCode, failureKind }: Pick<RequestRecord, 'errorCode' | 'failureKind'>): MoneyLimit | null {
  if (errorCode === 'insufficient_balance') {
    return failureKind === 'account_balance_in_use' ? 'account_balance_in_use' : 'account_balance';
  }
  if (errorCode !== 'quota_exceeded') return null;
  return MONEY_LIMITS.find((limit) => limit === failureKind) ?? 'key_limit';
}
