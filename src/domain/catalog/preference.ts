import { compareText } from '../text/compare-text.ts';

/** How often requests for a model succeeded and failed in a window; requests that say nothing about the model are not counted. */
export interface OutcomeCount {
  readonly modelId: string;
  readonly succeeded: number;
  readonly failed: number;
}

/** The counts from `atMs - windowMs` up to `atMs`, in milliseconds since 1970. Models without outcomes are left out. */
export interface SuccessSnapshot {
  readonly atMs: number;
  readonly windowMs: number;
  readonly counts: readonly OutcomeCount[];
}

/** The fields of the contract's `agent_preferences` that depend on the model. */
export interface Preference {
  readonly modelId: string;
  /** Starts at 1. */
  readonly rank: number;
  /** From 0 to 1; 0 without samples. */
  readonly successRate: number;
  readonly sampleCount: number;
  readonly status: 'ready' | 'insufficient_samples';
}

/**
 * Returns the models in order of preference: scored ones by success rate, highest first, then those with too few samples. Ties
 * are ordered by id, in code units. Rates are compared as fractions, so that rounding neither creates nor hides a tie.
 *
 * @param minimumSamples how many outcomes a model must have to be scored; a model without any is never scored
 */
export function rankByPreference(
  modelIds: readonly string[],
  snapshot: SuccessSnapshot | null,
  minimumSamples: number,
): Preference[] {
  const counts = new Map(snapshot?.counts.map((count) => [count.modelId, count]));
  const models = modelIds.map((modelId) => counts.get(modelId) ?? { modelId, succeeded: 0, failed: 0 });
  const isScored = (count: OutcomeCount) => samples(count) >= Math.max(1, minimumSamples);
  const scored = models.filter(isScored).sort((a, b) => compareRates(a, b) || compareText(a.modelId, b.modelId));
  const unscored = models.filter((count) => !isScored(count)).sort((a, b) => compareText(a.modelId, b.modelId));
  return [...scored, ...unscored].map((count, index) => {
    const sampleCount = samples(count);
    return {
      modelId: count.modelId,
      rank: index + 1,
      successRate: sampleCount === 0 ? 0 : count.succeeded / sampleCount,
      sampleCount,
      status: index < scored.length ? 'ready' : 'insufficient_samples',
    };
  });
}

function samples({ succeeded, failed }: OutcomeCount): number {
  return succeeded + failed;
}

/** Returns a negative number if `a` has the higher rate; a / b > c / d is equivalent to a × d > c × b. */
function compareRates(a: OutcomeCount, b: OutcomeCount): number {
  const ofA = BigInt(a.succeeded) * BigInt(samples(b));
  const ofB = BigInt(b.succeeded) * BigInt(samples(a));
  if (ofA === ofB) return 0;
  return ofA > ofB ? -1 : 1;
}
