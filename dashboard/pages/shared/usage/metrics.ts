import type { UsageBreakdown } from '../../../api/schema.ts';
import type { ChartUnit } from '../../../kit/charts/axis.ts';
import { useFormat, useMoney } from '../../../kit/format.tsx';
import { costOf } from '../../../kit/money.ts';
import { errorRateOf, type Sums } from './sums.ts';

export type Metric = UsageBreakdown['metric'];
/** A value as the API returns it; `null` if it is unknown. */
export type MetricValue = UsageBreakdown['series'][number]['total'];
export type DetailedSums = UsageBreakdown['total'];

interface MetricFacts {
  readonly unit: ChartUnit;
  /** Whether the metric of a whole is the sum of its parts. */
  readonly isSum: boolean;
  readonly of: (sums: DetailedSums) => MetricValue;
}

/** In the order of the menu. */
export const METRICS: Readonly<Record<Metric, MetricFacts>> = {
  spend: { unit: 'usd', isSum: true, of: costOf },
  requests: { unit: 'count', isSum: true, of: ({ requests }) => requests },
  input_tokens: { unit: 'count', isSum: true, of: (sums) => sums.input_tokens },
  cached_input_tokens: { unit: 'count', isSum: true, of: (sums) => sums.cached_input_tokens },
  output_tokens: { unit: 'count', isSum: true, of: (sums) => sums.output_tokens },
  errors: { unit: 'count', isSum: true, of: ({ errors }) => errors },
  error_rate: { unit: 'share', isSum: false, of: errorRateOf },
  latency_p50: { unit: 'ms', isSum: false, of: (sums) => sums.latency_p50_ms },
  latency_p95: { unit: 'ms', isSum: false, of: (sums) => sums.latency_p95_ms },
  latency_p99: { unit: 'ms', isSum: false, of: (sums) => sums.latency_p99_ms },
  cache_hits: { unit: 'count', isSum: true, of: (sums) => sums.cache_hits },
};
export const METRIC_NAMES = Object.keys(METRICS) as readonly Metric[];

/** Returns a function that formats a metric; a missing price has the kit's wording. */
export function useMetricFormat(): (metric: Metric, value: MetricValue, isShort?: boolean) => string {
  const format = useFormat();
  const money = useMoney();
  return (metric, value, isShort = false) => {
    const { unit } = METRICS[metric];
    if (unit === 'usd') return money(value === null ? null : String(value));
    if (value === null) return '–';
    const number = Number(value);
    if (unit === 'ms') return format.duration(number);
    if (unit === 'share') return format.percent(number);
    return isShort ? format.compact(number) : format.number(number);
  };
}

/** Returns the share of a whole; `null` if the metric does not add up, or if there is nothing. */
export function shareOf(metric: Metric, sums: Sums & DetailedSums, total: DetailedSums): number | null {
  const { isSum, of } = METRICS[metric];
  const [part, whole] = [Number(of(sums) ?? 0), Number(of(total) ?? 0)];
  return isSum && whole > 0 ? part / whole : null;
}
