import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { RankingMeasure, UsageMeasures } from '../../ports/usage-store.ts';
import { percentilesOf } from './usage-measures.ts';

/** The metrics by which usage is broken down. */
export const BREAKDOWN_METRICS = [
  'spend',
  'requests',
  'errors',
  'error_rate',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'cache_hits',
  'latency_p50',
  'latency_p95',
  'latency_p99',
] as const;
export type BreakdownMetric = (typeof BREAKDOWN_METRICS)[number];

/** An amount in USD as text, a count, a fraction of 1 or milliseconds; `null` if it is unknown, such as without requests or a price. */
export type MetricValue = string | number | null;

interface Metric {
  /** The measure by which the store chooses the groups that are ranked. */
  readonly rankedBy: RankingMeasure;
  readonly isPercentile?: boolean;
  readonly of: (measures: UsageMeasures) => number | bigint | null;
}

const counted = (rankedBy: Exclude<RankingMeasure, 'costNanoUsd' | 'savedNanoUsd'>): Metric => ({
  rankedBy,
  of: (measures) => measures[rankedBy],
});
const percentile = (name: 'p50' | 'p95' | 'p99'): Metric => ({
  rankedBy: 'requests',
  isPercentile: true,
  of: (measures) => percentilesOf(measures)?.[name] ?? null,
});

export const METRICS: Readonly<Record<BreakdownMetric, Metric>> = {
  spend: {
    rankedBy: 'costNanoUsd',
    // A missing price is not zero.
    of: ({ costNanoUsd, unpricedRequests }) => (unpricedRequests > 0 && costNanoUsd === 0n ? null : costNanoUsd),
  },
  requests: counted('requests'),
  errors: counted('errors'),
  error_rate: {
    rankedBy: 'errors',
    of: ({ errors, requests }) => (requests > 0 ? errors / requests : null),
  },
  input_tokens: counted('inputTokens'),
  cached_input_tokens: counted('cachedInputTokens'),
  output_tokens: counted('outputTokens'),
  cache_hits: counted('cacheHits'),
  latency_p50: percentile('p50'),
  latency_p95: percentile('p95'),
  latency_p99: percentile('p99'),
};

export function metricValue(metric: BreakdownMetric, measures: UsageMeasures): MetricValue {
  const value = METRICS[metric].of(measures);
  return typeof value === 'bigint' ? formatNanoUsd(value) : value;
}

/** Returns the groups with the largest metric first: at most `most`. Equal ones are sorted by cost, then requests. */
export function largest<Sums extends UsageMeasures>(
  sums: readonly Sums[],
  metric: BreakdownMetric,
  most: number,
): Sums[] {
  const keyed = sums.map((sum) => ({ sum, keys: [METRICS[metric].of(sum) ?? -1, sum.costNanoUsd, sum.requests] }));
  keyed.sort((one, other) => {
    const index = one.keys.findIndex((key, place) => key !== other.keys[place]);
    const [a = 0, b = 0] = [one.keys[index], other.keys[index]];
    return index === -1 ? 0 : a > b ? -1 : 1;
  });
  return keyed.slice(0, most).map(({ sum }) => sum);
}
