import type { ImageAnswer, ImageRequest, ImageTokens } from '../../../domain/images/images.ts';
import { type ModelPricing, type Prices, pricePeriods } from '../../../domain/money/pricing.ts';
import type { Billable, Quantity } from '../../../domain/money/quantity.ts';
import type { ImageDefaults } from './image-defaults.ts';

type Told = Omit<ImageAnswer, 'images'>;

/** What an image is priced by: `1024x1024/high`, or its ratio in the place of the size; `null` if nothing of it is known. */
export function variantOf(
  { size, aspectRatio, quality }: Pick<ImageRequest, 'size' | 'aspectRatio' | 'quality'>,
  defaults: ImageDefaults,
): string | null {
  const asked = size === null || size === 'auto' ? null : `${size.width}x${size.height}`;
  return joined(asked ?? aspectRatio ?? defaults.size, known(quality) ?? defaults.quality);
}

/** What the provider says that it has made counts before what was asked for. */
function madeVariant(request: ImageRequest, { size, quality }: Told, defaults: ImageDefaults): string | null {
  const asked = request.size === null || request.size === 'auto' ? null : request.size;
  const askedSize = asked === null ? request.aspectRatio : `${asked.width}x${asked.height}`;
  return joined(
    known(size) ?? askedSize ?? defaults.size,
    known(quality) ?? known(request.quality) ?? defaults.quality,
  );
}

function known(value: string | null): string | null {
  return value === 'auto' ? null : value;
}

/** Without a size, a quality alone is a variant that has no price: the general price holds, else the dearest. */
function joined(size: string | null, quality: string | null): string | null {
  if (size === null) return quality;
  return quality === null ? size : `${size}/${quality}`;
}

/** What a charge depends on beside the request and the answer. */
export interface Priced {
  /** How many images were made. */
  readonly count: number;
  readonly defaults: ImageDefaults;
  /** How many requests were sent to the upstream. */
  readonly requests: number;
  /** The model has prices for tokens, so they have to be estimated where the upstream does not count them. */
  readonly byTokens: boolean;
}

/** What is charged for an answer: its images, its tokens, and the requests that were sent for it. */
export function billableOf(request: ImageRequest, answer: Told, priced: Priced): Billable {
  const { count, defaults, requests, byTokens } = priced;
  const variant = madeVariant(request, answer, defaults);
  const amount = Math.min(count, request.count);
  const isEstimated = answer.tokens === null && byTokens;
  return {
    quantities: [
      ...tokenQuantities(isEstimated ? estimatedTokens(request, answer, amount) : answer.tokens),
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

/** OpenAI's page "Image generation": the tokens of an image of 1024 x 1024 pixels; others have 1.5 times as many. */
const TOKENS_BY_QUALITY: Readonly<Record<string, number>> = { low: 272, medium: 1_056, high: 4_160 };
const TOKENS_OF_INPUT = 1_000;
const BYTES_PER_TOKEN = 4;

function estimatedTokens(request: ImageRequest, answer: Told, images: number): ImageTokens {
  const quality = known(answer.quality) ?? known(request.quality) ?? 'high';
  const { size } = request;
  const isSquare = size === null || size === 'auto' || size.width === size.height;
  const each = Math.ceil((TOKENS_BY_QUALITY[quality] ?? 4_160) * (isSquare ? 1 : 1.5));
  return {
    textInput: Math.ceil(Buffer.byteLength(request.prompt) / BYTES_PER_TOKEN),
    imageInput: (request.images.length + (request.mask === null ? 0 : 1)) * TOKENS_OF_INPUT,
    textOutput: 0,
    imageOutput: images * each,
  };
}

function tokenQuantities(tokens: ImageTokens | null): readonly Quantity[] {
  if (tokens === null) return [];
  return [
    { unit: 'input_token', amount: tokens.textInput },
    { unit: 'image_input_token', amount: tokens.imageInput },
    { unit: 'output_token', amount: tokens.textOutput },
    { unit: 'image_output_token', amount: tokens.imageOutput },
  ];
}
