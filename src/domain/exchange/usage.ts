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
