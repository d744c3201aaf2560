import type { Model } from '../../../domain/catalog/model.ts';
import {
  type ImageAnswer,
  type ImageRequest,
  type ImageShape,
  type ImageTokens,
  imageOutputTokens,
  imageTokenQuantities,
  variantOf,
} from '../../../domain/images/images.ts';
import { type ModelPricing, type Prices, pricePeriods } from '../../../domain/money/pricing.ts';
import type { Billable } from '../../../domain/money/quantity.ts';

type Told = Omit<ImageAnswer, 'images'>;

/** Returns the shape that an image will have: the one requested from the upstream, else the model's default. */
export function expectedShape({ size, quality }: ImageShape, defaults: ImageDefaults): ImageShape {
  return { size: known(size) ?? defaults.size, quality: known(quality) ?? defaults.quality };
}

function known(value: string | null): string | null {
  return value === 'auto' ? null : value;
}

/** Facts outside of the request and the answer that determine a charge. */
export interface Priced {
  /** The number of images made. */
  readonly count: number;
  /** The shape that they should have. */
  readonly expected: ImageShape;
  /** The number of requests sent to the upstream. */
  readonly requests: number;
  /** Whether the model has token prices, so that uncounted tokens have to be estimated. */
  readonly byTokens: boolean;
}

/** Returns the billable quantities of an answer: its images, its tokens, and the requests sent for it. */
export function billableOf(request: ImageRequest, answer: Told, priced: Priced): Billable {
  const { count, expected, requests, byTokens } = priced;
  // The shape that the provider reports takes precedence over the requested one.
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

/** Estimates the tokens of images whose provider does not count them. */
export function estimatedTokens(request: ImageRequest, shape: ImageShape, images: number): ImageTokens {
  return {
    textInput: Math.ceil(Buffer.byteLength(request.prompt) / BYTES_PER_TOKEN),
    imageInput: (request.images.length + (request.mask === null ? 0 : 1)) * TOKENS_OF_INPUT,
    textOutput: 0,
    imageOutput: images * imageOutputTokens(shape),
  };
}

/** The model's default size and quality; `null` if unknown. */
export interface ImageDefaults {
  readonly size: string | null;
  readonly quality: string | null;
}

/** Returns the defaults that the catalog states for the model. */
export function defaultsOf(model: Pick<Model, 'parameters'>, { kind }: Pick<ImageRequest, 'kind'>): ImageDefaults {
  const parameters = model.parameters[kind === 'edit' ? 'images.edits' : 'images.generations'];
  const text = (name: string) => {
    const value = parameters?.[name]?.default;
    return typeof value === 'string' && value !== 'auto' ? value : null;
  };
  return { size: text('size'), quality: text('quality') };
}
