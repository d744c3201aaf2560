import { completionTokensOf, promptTokensOf } from '../../domain/money/quantity.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';
import { type Counter, CounterFamily } from './families.ts';
import type { MetricRegistry } from './metric-registry.ts';

/** The most accounts whose series are remembered here; those of further ones are looked up each time. */
const MOST_REMEMBERED = 1_000;

interface AccountSeries {
  readonly answered: Counter;
  readonly failed: Counter;
  readonly tokens: Counter;
  readonly charged: Counter;
}

/** Counts by account, which is off by default (`telemetry.account_metrics`). */
export class AccountMetrics {
  private readonly requests: CounterFamily<'switchyard_account_requests_total'>;
  private readonly tokens: CounterFamily<'switchyard_account_tokens_total'>;
  private readonly charged: CounterFamily<'switchyard_account_charged_usd_total'>;
  private readonly known = new Map<string, AccountSeries>();

  constructor(registry: MetricRegistry) {
    this.requests = new CounterFamily(registry, 'switchyard_account_requests_total');
    this.tokens = new CounterFamily(registry, 'switchyard_account_tokens_total');
    this.charged = new CounterFamily(registry, 'switchyard_account_charged_usd_total', { per: 1e9 });
  }

  requestFinished({ accountId, errorCode }: RequestRecord): void {
    if (accountId === null) return;
    const series = this.seriesOf(accountId);
    (errorCode === null ? series.answered : series.failed).add(1);
  }

  /** Counts the usage of a request or a task, and its charge. */
  cost({ accountId, billable, costNanoUsd }: RequestRecord): void {
    if (accountId === null) return;
    const { tokens, charged } = this.seriesOf(accountId);
    if (billable !== null) tokens.add(promptTokensOf(billable) + completionTokensOf(billable));
    if (costNanoUsd !== null) charged.addWhole(costNanoUsd);
  }

  private seriesOf(account: string): AccountSeries {
    const known = this.known.get(account);
    if (known !== undefined) return known;
    const series = {
      answered: this.requests.labels({ account, outcome: 'answered' }),
      failed: this.requests.labels({ account, outcome: 'failed' }),
      tokens: this.tokens.labels({ account }),
      charged: this.charged.labels({ account }),
    };
    if (this.known.size < MOST_REMEMBERED) this.known.set(account, series);
    return series;
  }
}
