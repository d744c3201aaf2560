/**
 * The upper bounds of the steps in which latencies are counted, in milliseconds. Each is about half more than the one before, which bounds
 * the error of a percentile. Counts add up like any other sum. The columns of the stores are named after the bounds, so they never change.
 */
export const LATENCY_BOUNDS_MS = [
  10, 22, 47, 100, 150, 220, 330, 470, 680, 1_000, 1_500, 2_200, 3_300, 4_700, 6_800, 10_000, 15_000, 22_000, 33_000,
  47_000, 68_000, 100_000, 150_000, 220_000, 330_000, 680_000, 1_500_000,
] as const;

/** The number of steps. The last one has no upper bound. */
export const LATENCY_STEPS = LATENCY_BOUNDS_MS.length + 1;

/** The number of requests per step. */
export type LatencyCounts = readonly number[];

export const NO_LATENCIES: LatencyCounts = Array<number>(LATENCY_STEPS).fill(0);

export function latencyStepOf(ms: number): number {
  const step = LATENCY_BOUNDS_MS.findIndex((bound) => ms <= bound);
  return step === -1 ? LATENCY_STEPS - 1 : step;
}

export interface LatencyPercentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** The sum and the number of all latencies, whether they were counted in steps or not. */
export interface LatencyTotal {
  readonly sumMs: number;
  readonly requests: number;
}

/** Returns percentiles in milliseconds, estimated within their steps; `null` if no latency was counted in steps. */
export function latencyPercentiles(counts: LatencyCounts, total: LatencyTotal): LatencyPercentiles | null {
  const counted = counts.reduce((sum, count) => sum + Math.max(0, count), 0);
  if (counted === 0) return null;
  const of = (share: number) => Math.round(percentile(counts, counted, share, total));
  return { p50: of(0.5), p95: of(0.95), p99: of(0.99) };
}

function percentile(counts: LatencyCounts, counted: number, share: number, total: LatencyTotal): number {
  const rank = share * counted;
  let below = 0;
  for (const [step, count] of counts.entries()) {
    if (count <= 0) continue;
    if (below + count >= rank) {
      const isAlone = count === counted && total.requests === counted;
      return isAlone ? within(step, total.sumMs / counted) : interpolated(step, (rank - below) / count);
    }
    below += count;
  }
  return LATENCY_BOUNDS_MS.at(-1) ?? 0;
}

/** The only step with counts has the average of all. */
function within(step: number, averageMs: number): number {
  return Math.min(Math.max(averageMs, LATENCY_BOUNDS_MS[step - 1] ?? 0), LATENCY_BOUNDS_MS[step] ?? averageMs);
}

/** Assumes that the logarithms of latencies are spread evenly within a step. */
function interpolated(step: number, share: number): number {
  const lower = LATENCY_BOUNDS_MS[step - 1];
  const upper = LATENCY_BOUNDS_MS[step];
  if (lower === undefined) return (upper ?? 0) * share;
  if (upper === undefined) return lower;
  return lower * (upper / lower) ** share;
}
