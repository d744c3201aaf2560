import { imageOutputTokens, imageTokenQuantities, variantOf } from '../../../domain/images/image-tokens.ts';
import type { ImageAnswer, ImageRequest, ImageShape, ImageTokens } from '../../../domain/images/images.ts';
import { type ModelPricing, type Prices, pricePeriods } from '../../../domain/money/pricing.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import type { ImageDefaults } from './image-defaults.ts';

type Told = Omit<ImageAnswer, 'images'>;

/** The shape that an image will have: what the upstream is asked for, else what the model makes by itself. */
export function expectedShape({ size, quality }: ImageShape, defaults: ImageDefaults): ImageShape {
  return { size: known(size) ?? defaults.size, quality: known(quality) ?? defaults.quality };
}

function known(value: string | null): string | null {
  return value === 'auto' ? null : value;
}

/** What a charge depends on beside the request and the answer. */
export interface Priced {
  /** How many images were made. */
  readonly count: number;
  /** The shape that they should have. */
  readonly expected: ImageShape;
  /** How many requests were sent to the upstream. */
  readonly requests: number;
  /** The model has prices for tokens, so they have to be estimated where the upstream does not count them. */
  readonly byTokens: boolean;
}

/** What is charged for an answer: its images, its tokens, and the requests that were sent for it. */
export function billableOf(request: ImageRequest, answer: Told, priced: Priced): Billable {
  const { count, expected, requests, byTokens } = priced;
  // What the provider says that it has made counts before what was asked for.
  const made = { size: known(answer.size) ?? expected.size, quality: known(answer.quality) ?? expected.quality };
  const variant = variantOf(made);
  const amount = Math.min(count, request.count);
  const isEstimated = answer.tokens === null && byTokens;
  return {
    quantities: [
      ...imageTokenQuantities(isEstimated ? estimatedTokens(request, made, amount) : answer.tokens),
      { unit: 'image', amount, ...(variant !== null && { variant }) },
      { unit: 'request', amount: requests },
    ],
    source: isEstimated ? 'estimated' : 'reported',
  };
}

export function hasTokenPrices(pricing: ModelPricing): boolean {
  if (pricing === null || pricing === 'free') return false;
  const hasPrice = ({ output_per_1m, image_output_per_1m }: Prices) => Boolean(output_per_1m ?? image_output_per_1m);
  return pricePeriods(pricing).some(({ prices, tiers }) =>
    [prices, ...tiers.map((tier) => tier.prices)].some(hasPrice),
  );
}

const TOKENS_OF_INPUT = 1_000;
const BYTES_PER_TOKEN = 4;

/** The tokens of images whose provider does not count them. */
export function estimatedTokens(request: ImageRequest, shape: ImageShape, images: number): ImageTokens {
  return {
    textInput: Math.ceil(Buffer.byteLength(request.prompt) / BYTES_PER_TOKEN),
    imageInput: (request.images.length + (request.mask === null ? 0 : 1)) * TOKENS_OF_INPUT,
    textOutput: 0,
    imageOutput: images * imageOutputTokens(shape),
  };
}
