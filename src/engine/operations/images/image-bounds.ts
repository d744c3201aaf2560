import { type ImageRequest, type ImageShape, variantOf } from '../../../domain/images/images.ts';
import { amountOf, type Billable, completionTokensOf, promptTokensOf } from '../../../domain/money/quantity.ts';
import type { LargestRequest } from '../../../domain/money/tariff.ts';
import type { RequestBounds } from '../../ports/billing.ts';

/** The provider's own instructions around the prompt. */
const TOKENS_AROUND_PROMPT = 1_000;
/** OpenAI's image models count about 6,500 tokens for an image with `input_fidelity: high`, Google's 1,290. */
const MOST_TOKENS_AN_INPUT = 8_000;
/** The largest image of OpenAI's most expensive quality has 6,240 tokens, Google's 2,520. Partial images and reasoning add to this. */
const MOST_TOKENS_AN_IMAGE = 16_000;
const LIKELY_TOKENS_AN_IMAGE = 8_000;
/** Low quality takes 272 to 408 tokens, medium 1,056 to 1,584. */
const LIKELY_BY_QUALITY: Readonly<Record<string, number>> = { low: 1_500, medium: 3_000 };
const BYTES_PER_TOKEN = 2;
/** A false alarm withholds an operator's revenue, while a missed one costs little. */
const PLAUSIBLE_FACTOR = 2;

const ANY: ImageShape = { size: null, quality: null };

/** The size of one image request. `expected` has the image shapes of all channels that may answer. */
export class ImageBounds implements RequestBounds {
  private readonly shape: ImageShape;

  constructor(
    private readonly request: ImageRequest,
    expected: readonly ImageShape[],
  ) {
    const byVariant = new Map(expected.map((shape) => [variantOf(shape), shape]));
    const [shape = ANY] = byVariant.size === 1 ? byVariant.values() : [];
    this.shape = shape;
  }

  /** Assumes one token per byte, since no text has more tokens than bytes. */
  certain(): LargestRequest {
    return this.sized(Buffer.byteLength(this.request.prompt), MOST_TOKENS_AN_IMAGE);
  }

  async counted(): Promise<LargestRequest> {
    const { prompt, quality } = this.request;
    const likely = LIKELY_BY_QUALITY[quality ?? ''] ?? LIKELY_TOKENS_AN_IMAGE;
    return this.sized(Math.ceil(Buffer.byteLength(prompt) / BYTES_PER_TOKEN), likely);
  }

  isPlausible(billable: Billable): boolean {
    const { inputTokens, outputTokens } = this.plausible();
    return (
      promptTokensOf(billable) <= inputTokens &&
      completionTokensOf(billable) <= outputTokens &&
      amountOf(billable, 'image') <= this.request.count &&
      billable.quantities.every(({ unit, variant }) => unit !== 'image' || isOfShape(variant, this.shape))
    );
  }

  plausible(): LargestRequest {
    const { inputTokens, outputTokens, ...rest } = this.certain();
    return { ...rest, inputTokens: PLAUSIBLE_FACTOR * inputTokens, outputTokens: PLAUSIBLE_FACTOR * outputTokens };
  }

  private sized(promptTokens: number, tokensAnImage: number): LargestRequest {
    const { request } = this;
    const { count, images, mask } = request;
    const inputs = images.length + (mask === null ? 0 : 1);
    const variant = variantOf(this.shape);
    // If a provider makes one image per request, each request has the whole input.
    return {
      inputTokens: count * (promptTokens + TOKENS_AROUND_PROMPT + inputs * MOST_TOKENS_AN_INPUT),
      outputTokens: count * tokensAnImage,
      requests: count,
      pieces: [{ unit: 'image', amount: count, ...(variant !== null && { variant }) }],
    };
  }
}

/** Returns whether the made image has the requested shape. Another one is charged at most at the requested shape's price. */
function isOfShape(variant: string | undefined, { size, quality }: ImageShape): boolean {
  if (size === null && quality === null) return true;
  if (variant === undefined) return false;
  if (size === null) return variant === quality || variant.endsWith(`/${quality}`);
  return quality === null ? variant === size || variant.startsWith(`${size}/`) : variant === `${size}/${quality}`;
}
