import { type ImageShape, imageOutputTokens, variantOf } from '../../../domain/images/images.ts';
import type { PriceSheet } from '../../../domain/money/price-sheet.ts';
import type { LargestRequest } from '../../../domain/money/tariff.ts';
import type { Drawing } from '../../ports/billing.ts';

/* The most that an `image_generation` tool may draw (OpenAI, "Image generation"). The answer shows what it has drawn. */

/** The number of calls that are reserved, and that an upstream may report, if the request states no limit. */
const ASSUMED_CALLS = 10;
const PLAUSIBLE_CALLS = 100;

/** The model's prompt for the tool, up to 32,000 characters, or an input image. */
const INPUT_TOKENS_A_CALL = 8_000;
/** The longest prompt and 16 images of high fidelity. */
const PLAUSIBLE_INPUT_TOKENS_A_CALL = 160_000;
/** Used for unknown qualities, whose tokens OpenAI does not state. */
const UNKNOWN_QUALITY_TOKENS = 16_000;
const KNOWN_QUALITIES: readonly unknown[] = ['low', 'medium', 'high', 'auto', null];
const PARTIAL_IMAGE_TOKENS = 100;
const MOST_PARTIAL_IMAGES = 3;
const SQUARE_PIXELS = 1024 * 1024;
/** A false alarm withholds an operator's revenue, while a missed one costs little. */
const PLAUSIBLE_FACTOR = 2;

export interface ImageTool {
  /** The tool as the request has it. */
  readonly tool: Readonly<Record<string, unknown>>;
  readonly sheets: readonly PriceSheet[];
  /** The most calls that the request allows; `null` if it states no limit. */
  readonly calls: number | null;
}

/** Adds a tool to the request's possible drawing. Several tools share the calls, so the largest image of any of them counts. */
export function withImageTool(before: Drawing | null, { tool, sheets, calls }: ImageTool): Drawing {
  const shape = shapeOf(tool);
  const tokens = imageTokens(tool, shape);
  const variant = variantOf(shape);
  const sized = (images: number, inputTokens: number, outputTokens: number): LargestRequest => ({
    inputTokens: images * inputTokens,
    outputTokens: images * outputTokens,
    requests: images,
    pieces: [{ unit: 'image', amount: images, ...(variant !== null && { variant }) }],
  });
  const most = sized(calls ?? ASSUMED_CALLS, INPUT_TOKENS_A_CALL, tokens);
  const plausibleTokens = PLAUSIBLE_FACTOR * Math.max(tokens, UNKNOWN_QUALITY_TOKENS);
  const plausible = sized(calls ?? PLAUSIBLE_CALLS, PLAUSIBLE_INPUT_TOKENS_A_CALL, plausibleTokens);
  if (before === null) return { sheets, most, plausible };
  return {
    sheets: [...new Set([...before.sheets, ...sheets])],
    most: larger(before.most, most),
    plausible: larger(before.plausible, plausible),
  };
}

function larger(one: LargestRequest, other: LargestRequest): LargestRequest {
  const isAlike = one.pieces?.[0]?.variant === other.pieces?.[0]?.variant;
  return {
    ...other,
    outputTokens: Math.max(one.outputTokens, other.outputTokens),
    // Images of different shapes are reserved at the most expensive price.
    pieces: (other.pieces ?? []).map(({ unit, amount, variant }) => ({
      ...{ unit, amount },
      ...(isAlike && variant !== undefined && { variant }),
    })),
  };
}

function shapeOf({ size, quality }: Readonly<Record<string, unknown>>): ImageShape {
  return { size: word(size), quality: word(quality) };
}

function word(value: unknown): string | null {
  return typeof value === 'string' && value !== 'auto' ? value : null;
}

function imageTokens(tool: Readonly<Record<string, unknown>>, { size, quality }: ImageShape): number {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(size ?? '') ?? [];
  const squares = (Number(width ?? 0) * Number(height ?? 0)) / SQUARE_PIXELS;
  const square = imageOutputTokens({ size: '1024x1024', quality });
  // The model may choose an oblong size.
  const usual = imageOutputTokens({ size: size ?? '1536x1024', quality });
  const known = Math.max(usual, Math.ceil(square * squares));
  const isKnown = KNOWN_QUALITIES.includes(quality);
  return Math.max(known, isKnown ? 0 : UNKNOWN_QUALITY_TOKENS) + PARTIAL_IMAGE_TOKENS * partialImages(tool);
}

function partialImages({ partial_images: stated = null }: Readonly<Record<string, unknown>>): number {
  if (stated === null) return 0;
  return [0, 1, 2].find((number) => number === stated) ?? MOST_PARTIAL_IMAGES;
}
