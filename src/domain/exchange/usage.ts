import { summed } from '../money/drawn.ts';
import { type Billable, ONE_REQUEST, type Quantity } from '../money/quantity.ts';

/**
 * The tokens of one exchange in disjoint parts: each token is counted in exactly one. The whole prompt is `input + cachedInput +
 * cacheWrite + cacheWrite1h + inputAudio + inputImage`, the whole completion `output + reasoning + outputAudio + outputImage`.
 * Optional parts are absent if the provider reports none.
 */
export interface Usage {
  /** Text, and everything that the provider does not count separately. */
  readonly input: number;
  /** Read from the provider's prompt cache. */
  readonly cachedInput: number;
  /** Written to the provider's prompt cache for 5 minutes (or the provider's only duration). */
  readonly cacheWrite: number;
  /** Written to the cache for one hour. */
  readonly cacheWrite1h?: number;
  readonly inputAudio?: number;
  readonly inputImage?: number;
  readonly output: number;
  readonly reasoning: number;
  readonly outputAudio?: number;
  readonly outputImage?: number;
  /** Web searches that the provider ran and charges for. */
  readonly webSearches?: number;
  /** The images that the provider's image tool has drawn (`money/drawn.ts`), at an image model's prices. */
  readonly drawn?: Billable;
  /** `reported` by the upstream, or `estimated` by the tokenizer. */
  readonly source: 'reported' | 'estimated';
  /** The provider's own usage object. */
  readonly raw?: unknown;
}

export function promptTokens(usage: Usage): number {
  return (
    usage.input +
    usage.cachedInput +
    usage.cacheWrite +
    (usage.cacheWrite1h ?? 0) +
    (usage.inputAudio ?? 0) +
    (usage.inputImage ?? 0)
  );
}

export function completionTokens(usage: Usage): number {
  return usage.output + usage.reasoning + (usage.outputAudio ?? 0) + (usage.outputImage ?? 0);
}

/** Returns the same as a list of billable quantities: these tokens and searches, and one request. */
export function billableOf(usage: Usage): Billable {
  const quantities: Quantity[] = [];
  if (usage.input > 0) quantities.push({ unit: 'input_token', amount: usage.input });
  if (usage.cachedInput > 0) quantities.push({ unit: 'cached_input_token', amount: usage.cachedInput });
  if (usage.cacheWrite > 0) quantities.push({ unit: 'cache_write_token', amount: usage.cacheWrite });
  if (usage.cacheWrite1h) quantities.push({ unit: 'cache_write_1h_token', amount: usage.cacheWrite1h });
  if (usage.inputAudio) quantities.push({ unit: 'audio_input_token', amount: usage.inputAudio });
  if (usage.inputImage) quantities.push({ unit: 'image_input_token', amount: usage.inputImage });
  if (usage.output > 0) quantities.push({ unit: 'output_token', amount: usage.output });
  if (usage.reasoning > 0) quantities.push({ unit: 'reasoning_token', amount: usage.reasoning });
  if (usage.outputAudio) quantities.push({ unit: 'audio_output_token', amount: usage.outputAudio });
  if (usage.outputImage) quantities.push({ unit: 'image_output_token', amount: usage.outputImage });
  if (usage.webSearches) quantities.push({ unit: 'web_search', amount: usage.webSearches });
  if (usage.drawn !== undefined) quantities.push(...usage.drawn.quantities);
  quantities.push(ONE_REQUEST);
  return { quantities, source: usage.drawn?.source === 'estimated' ? 'estimated' : usage.source };
}

/**
 * Returns the report that stands if an answer has two: the later one, unless it counts nothing. Servers that write every member
 * into every chunk report zeros before and after their only report.
 */
export function standingReport(earlier: Usage | null, later: Usage): Usage;
export function standingReport(earlier: Usage | null, later: Usage | null): Usage | null;
export function standingReport(earlier: Usage | null, later: Usage | null): Usage | null {
  if (earlier === null || later === null) return later ?? earlier;
  return countsAnything(later) ? later : earlier;
}

export function countsAnything(usage: Usage): boolean {
  return promptTokens(usage) + completionTokens(usage) > 0;
}

const OPTIONAL_PARTS = ['cacheWrite1h', 'inputAudio', 'inputImage', 'outputAudio', 'outputImage'] as const;

/** Returns the sum of two rounds of one answer. The searches are those of the later report, which includes earlier ones. */
export function bothRounds(earlier: Usage, later: Usage): Usage {
  const parts = OPTIONAL_PARTS.flatMap((part) => {
    const sum = (earlier[part] ?? 0) + (later[part] ?? 0);
    return sum === 0 ? [] : [[part, sum] as const];
  });
  const drawn = bothDrawn(earlier.drawn, later.drawn);
  return {
    ...later,
    ...(drawn !== undefined && { drawn }),
    input: earlier.input + later.input,
    cachedInput: earlier.cachedInput + later.cachedInput,
    cacheWrite: earlier.cacheWrite + later.cacheWrite,
    output: earlier.output + later.output,
    reasoning: earlier.reasoning + later.reasoning,
    ...Object.fromEntries(parts),
  };
}

/** Returns the sum of what two answers, or two parts of one, have drawn. */
export function bothDrawn(one: Billable | undefined, other: Billable | undefined): Billable | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const source = one.source === 'estimated' ? 'estimated' : other.source;
  return { quantities: summed([...one.quantities, ...other.quantities]), source };
}
