import type { UsageOverview } from '../../../api/schema.ts';

/** Sums, which may lack percentiles. */
export type Sums = Omit<UsageOverview['total'], 'latency_p50_ms' | 'latency_p95_ms' | 'latency_p99_ms'>;

export const TOKEN_PARTS = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
] as const;

/** Returns the sum of the parts, which do not overlap. */
export function tokensOf(sums: Sums): number {
  return TOKEN_PARTS.reduce((sum, part) => sum + sums[part], 0);
}

/** Returns `null` without requests. */
export function errorRateOf({ requests, errors }: Sums): number | null {
  return requests === 0 ? null : errors / requests;
}

/** Returns the relative change; `null` if there was nothing before. */
export function growth(now: number | null, before: number | null): number | null {
  return now === null || before === null || before === 0 ? null : (now - before) / before;
}
