import type { EmbeddingInputs } from '../../../domain/embeddings/embeddings.ts';
import { type Billable, completionTokensOf, promptTokensOf } from '../../../domain/money/quantity.ts';
import type { LargestRequest } from '../../../domain/money/tariff.ts';
import { tokenThread } from '../../../providers/shared/token-thread.ts';
import type { RequestBounds } from '../../ports/billing.ts';

/**
 * Special tokens that tokenizers put around each input (`[CLS]`, `[SEP]`, the end of a text), and an instruction of a few
 * words.
 */
const TOKENS_AROUND_INPUT = 16;
/** Allows for the difference between the vendors' tokenizers and the gateway's own. */
const TOKENIZER_MARGIN = 1.4;
/** Several times as long as the longest count takes. */
const COUNTED_WITHIN_MS = 5_000;
/** English, code and Chinese all have between 3.5 and 4.5. Used only if the tokenizer thread has failed. */
const CHARS_PER_TOKEN = 4;
/** A false alarm withholds an operator's revenue, while a missed one costs little. */
const PLAUSIBLE_FACTOR = 2;

/** The number of tokens in the inputs of one request. An embedding has no output tokens. */
export class InputTokens implements RequestBounds {
  constructor(
    private readonly accountId: string,
    private readonly inputs: EmbeddingInputs,
  ) {}

  /** Assumes one token per byte, since no text has more tokens than bytes. */
  certain(): LargestRequest {
    const { inputs } = this;
    const sizes = inputs.kind === 'texts' ? inputs.texts.map((text) => Buffer.byteLength(text)) : lengths(inputs);
    return sized(sum(sizes) + TOKENS_AROUND_INPUT * sizes.length);
  }

  async counted(): Promise<LargestRequest | null> {
    const { inputs } = this;
    if (inputs.kind === 'tokens') return this.certain();
    const tokens = await tokenThread.count(this.accountId, () => inputs.texts, COUNTED_WITHIN_MS);
    if (tokens === null) return null;
    const likely = Math.ceil(tokens * TOKENIZER_MARGIN) + TOKENS_AROUND_INPUT * inputs.texts.length;
    return sized(Math.min(this.certain().inputTokens, likely));
  }

  isPlausible(billable: Billable): boolean {
    return promptTokensOf(billable) <= this.plausible().inputTokens && completionTokensOf(billable) === 0;
  }

  plausible(): LargestRequest {
    return sized(PLAUSIBLE_FACTOR * this.certain().inputTokens);
  }

  /** Counts the tokens for an upstream that does not report usage. */
  async estimated(): Promise<number> {
    const { inputs } = this;
    return inputs.kind === 'texts' ? await this.countedTexts(inputs.texts) : sum(lengths(inputs));
  }

  private async countedTexts(texts: readonly string[]): Promise<number> {
    const counted = await tokenThread.count(this.accountId, () => texts);
    return counted ?? Math.ceil(sum(texts.map(({ length }) => length)) / CHARS_PER_TOKEN);
  }
}

function sized(inputTokens: number): LargestRequest {
  return { inputTokens, isTextOnly: true, outputTokens: 0 };
}

function lengths({ lists }: Extract<EmbeddingInputs, { kind: 'tokens' }>): readonly number[] {
  return lists.map(({ length }) => length);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
