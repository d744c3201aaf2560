import type { MetricName, NameOf } from '../../src/transports/ops/catalogue/catalogue.ts';

/* Pieces of PromQL that dashboards share. */

/** A series of the gateway; the names of those of a process are prom-client's. */
export type SeriesName = MetricName | `${NameOf<'histogram'>}_bucket` | `${'process' | 'nodejs'}_${string}`;

/** Returns a selector for a metric of the job and the instances that the dashboard's variables choose. */
export function of(metric: SeriesName, ...matchers: readonly string[]): string {
  return `${metric}{${['job=~"$job"', 'instance=~"$instance"', ...matchers].join(', ')}}`;
}

/** Returns the rate per second of a counter, summed over all labels but the given ones. */
export function rate(selector: string, ...by: readonly string[]): string {
  return `${sum(by)} (rate(${selector}[$__rate_interval]))`;
}

/** Returns the increase of a counter within a time such as `1h`, summed over all labels but the given ones. */
export function increase(selector: string, range: string, ...by: readonly string[]): string {
  return `${sum(by)} (increase(${selector}[${range}]))`;
}

/** Returns a quantile of a histogram, whose selector names the series `…_bucket`. */
export function quantile(share: number, selector: string, ...by: readonly string[]): string {
  return `histogram_quantile(${share}, ${rate(selector, 'le', ...by)})`;
}

/** Returns one expression divided by another. A denominator of 0 gives no value instead of NaN. */
export function share(part: string, whole: string): string {
  return `${part} / (${whole} > 0)`;
}

/**
 * Returns the value of a gauge that every process reports for the whole database. Adding the processes' values would count everything
 * several times.
 */
export function shared(selector: string, ...by: readonly string[]): string {
  return by.length === 0 ? `max(${selector})` : `max by (${by.join(', ')}) (${selector})`;
}

function sum(by: readonly string[]): string {
  return by.length === 0 ? 'sum' : `sum by (${by.join(', ')})`;
}
