import type { Model } from '../../../domain/catalog/model.ts';
import { amountOf, type Billable, completionTokensOf, promptTokensOf } from '../../../domain/money/quantity.ts';
import type { LargestRequest } from '../../../domain/money/tariff.ts';
import type { OutputBound, ParsedRequest } from '../../../formats/text/client-request.ts';
import type { ClientFormat } from '../../../formats/text/format.ts';
import { promptTexts } from '../../../formats/text/shared/prompt-texts.ts';
import { type PromptWeight, weighPrompt } from '../../../formats/text/shared/prompt-weight.ts';
import { tokenThread } from '../../../providers/shared/token-thread.ts';
import type { RequestBounds } from '../../ports/billing.ts';

/** Used for a model with unknown limits: about the limits of the largest models. */
const UNKNOWN_CONTEXT_TOKENS = 1_048_576;
const UNKNOWN_OUTPUT_TOKENS = 131_072;
/** The highest count of a vendor for one image is gpt-4o-mini's 2,833 + 8 × 5,667. */
const MOST_TOKENS_PER_IMAGE = 50_000;
/** Gemini counts 32 tokens a second; speech is assumed to have 512 bytes a second. */
const AUDIO_BYTES_PER_TOKEN = 16;
/** Allows for the difference between the vendors' tokenizers and the gateway's own. */
const TOKENIZER_MARGIN = 1.4;

/** Several times as long as counting the longest prompt takes. */
const COUNTED_WITHIN_MS = 5_000;

/** The range of plausible usage is wide: a false alarm withholds the operator's revenue, a missed one costs little. */
const PLAUSIBLE_FACTOR = 2;
/** Room for instructions that providers put before a prompt, and for reasoning that some count beside the output limit. */
const PLAUSIBLE_BESIDE_TOKENS = 32_768;
const PLAUSIBLE_SEARCHES = 1_000;

export interface BoundedRequest {
  readonly accountId: string;
  readonly format: ClientFormat;
  /** The request, including the stored turns that it continues. */
  readonly request: ParsedRequest;
  /** The size of the body, which may have been released when the bounds are computed. */
  readonly bodyBytes: number;
  readonly model: Model;
}

export interface KnownBounds {
  readonly weight: PromptWeight;
  readonly output: OutputBound;
}

/**
 * The largest usage of a request. Each bound is computed only when it is asked for, because most requests need few of
 * them.
 */
export class BoundsOfRequest implements RequestBounds {
  private weighed: PromptWeight | null;

  /** @param known what has been found out about an equal prompt; `null` for nothing */
  constructor(
    private readonly of: BoundedRequest,
    private readonly known: KnownBounds | null = null,
  ) {
    this.weighed = known === null ? null : known.weight;
  }

  certain(): LargestRequest {
    const weight = this.weight();
    const { isTextOnly } = weight;
    const output = this.output();
    const each = output.each ?? this.mostOutput();
    return {
      inputTokens: weight.textBytes + this.mostMediaTokens(weight),
      isTextOnly,
      outputTokens: product(each + output.beside, output.choices),
    };
  }

  async counted(assumedOutputTokens: number): Promise<LargestRequest | null> {
    const weight = this.weight();
    const text = await this.countedText(weight);
    if (text === null) return null;
    const output = this.output();
    const each = output.each ?? Math.min(assumedOutputTokens, this.mostOutput());
    return {
      inputTokens: text + weight.likelyMediaTokens,
      isTextOnly: weight.isTextOnly,
      outputTokens: product(each + output.beside, output.choices),
    };
  }

  isPlausible(billable: Billable, toolCalls: number): boolean {
    const prompt = promptTokensOf(billable);
    const written = completionTokensOf(billable);
    const searches = amountOf(billable, 'web_search');
    // The common case, which needs no weighing of the prompt.
    if (prompt <= this.of.bodyBytes / 2 && written <= PLAUSIBLE_BESIDE_TOKENS && searches === 0) return true;
    const { inputTokens, outputTokens } = this.plausible(toolCalls);
    return prompt <= inputTokens && written <= outputTokens && searches <= PLAUSIBLE_SEARCHES;
  }

  plausible(toolCalls: number): LargestRequest {
    const weight = this.weight();
    const brought = toolCalls > 0 ? this.window : 0;
    const { each, beside, choices } = this.output();
    const most = each ?? this.mostOutput();
    return {
      inputTokens:
        PLAUSIBLE_FACTOR * (weight.textBytes + this.mostMediaTokens(weight) + brought) + PLAUSIBLE_BESIDE_TOKENS,
      outputTokens: product(PLAUSIBLE_FACTOR * (most + beside) + PLAUSIBLE_BESIDE_TOKENS, choices),
      webSearches: PLAUSIBLE_SEARCHES,
    };
  }

  private output(): OutputBound {
    return this.known === null ? this.of.format.outputBound(this.of.request) : this.known.output;
  }

  private weight(): PromptWeight {
    const { format, request, bodyBytes } = this.of;
    this.weighed ??= weighPrompt(request.body, format.conversation(request), bodyBytes);
    return this.weighed;
  }

  /**
   * Returns the maximum number of media tokens: a full context window if the bytes do not show the size of something in the prompt
   * (`isOpen`), because no model reads more.
   */
  private mostMediaTokens({ isOpen, images, audioBytes }: PromptWeight): number {
    const { window } = this;
    return isOpen
      ? window
      : Math.min(window, images * MOST_TOKENS_PER_IMAGE + Math.ceil(audioBytes / AUDIO_BYTES_PER_TOKEN));
  }

  private get window(): number {
    return this.of.model.capabilities?.contextTokens ?? UNKNOWN_CONTEXT_TOKENS;
  }

  private mostOutput(): number {
    return this.of.model.capabilities?.maxOutputTokens ?? UNKNOWN_OUTPUT_TOKENS;
  }

  /** Resolves to the counted tokens with a margin, at most one per byte; `null` if they could not be counted in time. */
  private async countedText({ textBytes }: PromptWeight): Promise<number | null> {
    const { accountId, request } = this.of;
    const tokens = await tokenThread.count(accountId, () => promptTexts(request.body), COUNTED_WITHIN_MS);
    return tokens === null ? null : Math.min(textBytes, Math.ceil(tokens * TOKENIZER_MARGIN));
  }
}

function product(tokens: number, choices: number): number {
  return Math.min(tokens * choices, Number.MAX_SAFE_INTEGER);
}
