import type { Quantity } from '../money/quantity.ts';
import type { ImageShape, ImageTokens } from './images.ts';

/* The quantities for which an image is charged: its tokens, or its shape. */

/** OpenAI's page "Image generation": the tokens of an image of 1024 x 1024 pixels; other sizes have 1.5 times as many. */
const TOKENS_BY_QUALITY: Readonly<Record<string, number>> = { low: 272, medium: 1_056, high: 4_160 };

/** Returns the tokens of one image. An unknown quality counts as `high`. */
export function imageOutputTokens({ size, quality }: ImageShape): number {
  const [width, height] = size?.split(/[x:]/) ?? [];
  return Math.ceil((TOKENS_BY_QUALITY[quality ?? ''] ?? 4_160) * (width === height ? 1 : 1.5));
}

export function imageTokenQuantities(tokens: ImageTokens | null): readonly Quantity[] {
  if (tokens === null) return [];
  return [
    { unit: 'input_token', amount: tokens.textInput },
    { unit: 'image_input_token', amount: tokens.imageInput },
    { unit: 'output_token', amount: tokens.textOutput },
    { unit: 'image_output_token', amount: tokens.imageOutput },
  ];
}

/**
 * Returns the variant by which an image is priced: `1024x1024/high`, or a ratio in place of the size; `null` if neither is known.
 * Few price lists have a price for the quality alone, so without a size the general price applies, otherwise the highest.
 */
export function variantOf({ size, quality }: ImageShape): string | null {
  if (size === null) return quality;
  return quality === null ? size : `${size}/${quality}`;
}
