/**
 * Tokens of one exchange in parts that do not overlap: a token is counted in exactly one of them.
 * The total prompt is `input + cachedInput + cacheWrite`, the total completion `output + reasoning`.
 */
export interface Usage {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  /** `reported` by the upstream, or `estimated` by the tokenizer. */
  readonly source: 'reported' | 'estimated';
}
