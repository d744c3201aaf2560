/**
 * Tokens of one exchange in parts that do not overlap: a token is counted in exactly one of them.
 * The total prompt is `input + cachedInput + cacheWrite + cacheWrite1h + inputAudio + inputImage`, the total completion
 * `output + reasoning + outputAudio + outputImage`. Optional parts are absent where the provider reports none.
 */
export interface Usage {
  /** Text, and whatever the provider does not count apart. */
  readonly input: number;
  /** Read from the provider's prompt cache. */
  readonly cachedInput: number;
  /** Written to the provider's prompt cache for 5 minutes (or the provider's only duration). */
  readonly cacheWrite: number;
  /** Written to it for an hour. */
  readonly cacheWrite1h?: number;
  readonly inputAudio?: number;
  readonly inputImage?: number;
  readonly output: number;
  readonly reasoning: number;
  readonly outputAudio?: number;
  readonly outputImage?: number;
  /** Web searches that the provider ran and charges for. */
  readonly webSearches?: number;
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

/**
 * Of two reports about one answer the one that stands: the later one, but for one that counts nothing. Servers that write
 * every member of every chunk say zeros before and after the one report that they make.
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

/** What two rounds of one answer come to together. The searches are those of the later report, which counts all until then. */
export function bothRounds(earlier: Usage, later: Usage): Usage {
  const parts = OPTIONAL_PARTS.flatMap((part) => {
    const sum = (earlier[part] ?? 0) + (later[part] ?? 0);
    return sum === 0 ? [] : [[part, sum] as const];
  });
  return {
    ...later,
    input: earlier.input + later.input,
    cachedInput: earlier.cachedInput + later.cachedInput,
    cacheWrite: earlier.cacheWrite + later.cacheWrite,
    output: earlier.output + later.output,
    reasoning: earlier.reasoning + later.reasoning,
    ...Object.fromEntries(parts),
  };
}
