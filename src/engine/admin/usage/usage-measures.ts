import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { latencyPercentiles, NO_LATENCIES } from '../../../domain/usage/latency-steps.ts';
import { NO_MEASURES, type UsageMeasures } from '../../ports/usage-store.ts';

export function total(rows: readonly UsageMeasures[]): UsageMeasures {
  return rows.reduce<UsageMeasures>(plus, NO_MEASURES);
}

export function plus(one: UsageMeasures, other: UsageMeasures): UsageMeasures {
  return combined(one, other, 1);
}

export function minus(one: UsageMeasures, other: UsageMeasures): UsageMeasures {
  return combined(one, other, -1);
}

function combined(one: UsageMeasures, other: UsageMeasures, sign: 1 | -1): UsageMeasures {
  return {
    requests: one.requests + sign * other.requests,
    errors: one.errors + sign * other.errors,
    cacheHits: one.cacheHits + sign * other.cacheHits,
    inputTokens: one.inputTokens + sign * other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + sign * other.cachedInputTokens,
    cacheWriteTokens: one.cacheWriteTokens + sign * other.cacheWriteTokens,
    outputTokens: one.outputTokens + sign * other.outputTokens,
    reasoningTokens: one.reasoningTokens + sign * other.reasoningTokens,
    latencyMsSum: one.latencyMsSum + sign * other.latencyMsSum,
    firstByteMsSum: one.firstByteMsSum + sign * other.firstByteMsSum,
    firstByteCount: one.firstByteCount + sign * other.firstByteCount,
    costNanoUsd: one.costNanoUsd + BigInt(sign) * other.costNanoUsd,
    savedNanoUsd: one.savedNanoUsd + BigInt(sign) * other.savedNanoUsd,
    upstreamCostNanoUsd: one.upstreamCostNanoUsd + BigInt(sign) * other.upstreamCostNanoUsd,
    costedRequests: one.costedRequests + sign * other.costedRequests,
    unpricedRequests: one.unpricedRequests + sign * other.unpricedRequests,
    ...((one.latencies ?? other.latencies) && {
      latencies: NO_LATENCIES.map((_, step) => (one.latencies?.[step] ?? 0) + sign * (other.latencies?.[step] ?? 0)),
    }),
  };
}

/** Returns sums as JSON. Amounts are exact decimals in USD as text. */
export function measuresView(of: UsageMeasures) {
  return {
    requests: of.requests,
    errors: of.errors,
    cache_hits: of.cacheHits,
    input_tokens: of.inputTokens,
    cached_input_tokens: of.cachedInputTokens,
    cache_write_tokens: of.cacheWriteTokens,
    output_tokens: of.outputTokens,
    reasoning_tokens: of.reasoningTokens,
    latency_ms: average(of.latencyMsSum, of.requests),
    first_byte_ms: average(of.firstByteMsSum, of.firstByteCount),
    cost_usd: formatNanoUsd(of.costNanoUsd),
    saved_usd: formatNanoUsd(of.savedNanoUsd),
    unpriced_requests: of.unpricedRequests,
  };
}

function average(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round(sum / count);
}

/** Returns the percentiles of the latency in milliseconds; `null` without requests whose latency was counted. */
export function percentilesOf({ latencies, latencyMsSum, requests }: UsageMeasures) {
  return latencies === undefined ? null : latencyPercentiles(latencies, { sumMs: latencyMsSum, requests });
}

/** Returns sums with percentiles, for measures with latency counts. */
export function detailedView(of: UsageMeasures) {
  const percentiles = percentilesOf(of);
  return {
    ...measuresView(of),
    latency_p50_ms: percentiles?.p50 ?? null,
    latency_p95_ms: percentiles?.p95 ?? null,
    latency_p99_ms: percentiles?.p99 ?? null,
  };
}
