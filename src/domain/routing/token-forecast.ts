import type { ExpectedTokens } from './provider-limits.ts';

const ALPHA = 0.1;
/** A token of text has about four bytes; images and files are bounded by far more than they have. */
const FIRST_INPUT_SHARE = 0.3;
const FIRST_OUTPUT_TOKENS = 500;
const LEAST_INPUT_SHARE = 0.01;

/** The largest size of a request: one token for each byte, and the output limit. */
export interface LargestSize {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * Forecasts the tokens of a request to one model before it is sent, from the size that it can have at most and from what earlier requests
 * used of theirs.
 */
export class TokenForecast {
  #inputShare = FIRST_INPUT_SHARE;
  #outputTokens = FIRST_OUTPUT_TOKENS;

  of({ inputTokens, outputTokens }: LargestSize): ExpectedTokens {
    return {
      input: Math.ceil(inputTokens * this.#inputShare),
      output: Math.ceil(Math.min(outputTokens, this.#outputTokens)),
    };
  }

  /** Learns from what a request of this size used. */
  learn(size: LargestSize, used: ExpectedTokens): void {
    if (size.inputTokens > 0) {
      const share = Math.min(1, Math.max(LEAST_INPUT_SHARE, used.input / size.inputTokens));
      this.#inputShare += ALPHA * (share - this.#inputShare);
    }
    this.#outputTokens += ALPHA * (used.output - this.#outputTokens);
  }
}
