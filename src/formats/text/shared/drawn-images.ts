import type { MediaPart } from '../../../domain/exchange/part.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import {
  type ImageShape,
  type ImageTokens,
  imageOutputTokens,
  imageTokenQuantities,
  variantOf,
} from '../../../domain/images/images.ts';
import { asDrawn, summed } from '../../../domain/money/drawn.ts';
import type { Billable, Quantity } from '../../../domain/money/quantity.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { listOf } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { imageTokensOf } from '../../shared/media/openai-image-answer.ts';

/*
 * The images that OpenAI's `image_generation` tool draws within a response. `tool_usage.image_gen` counts the image model's
 * tokens; older deployments lack that member (recorded), so there the images in the answer are counted.
 */

const BYTES_PER_TOKEN = 4;

/** Adds what a response's tool has drawn: as reported, otherwise derived from the items. */
export function withDrawn(usage: Usage | null, response: Readonly<Record<string, unknown>>): Usage | null {
  if (usage === null) return null;
  const items = listOf(response.output).filter(isDrawnItem);
  const reported = imageTokensOf(isRecord(response.tool_usage) ? response.tool_usage.image_gen : null);
  if (reported === null && items.length === 0) return usage;
  return { ...usage, drawn: drawnBy(items, reported) };
}

/** Returns what one finished item has drawn; `null` for any other item. */
export function drawnByItem(item: unknown): Billable | null {
  return isDrawnItem(item) ? drawnBy([item], null) : null;
}

/** Returns the cost basis of an image in an answer if the tool has drawn it; `null` for any other image. */
export function drawnByPart({ type, state }: MediaPart): Billable | null {
  if (type !== 'image' || state?.family !== 'openai-responses') return null;
  const item = parseObject(state.data);
  return item?.type === 'image_generation_call' ? drawnBy([item], null) : null;
}

/**
 * Returns whether the item is a drawn image. Azure leaves the status of a finished call at `generating` (recorded), so an image's
 * presence suffices.
 */
function isDrawnItem(item: unknown): item is Readonly<Record<string, unknown>> {
  if (!isRecord(item) || item.type !== 'image_generation_call' || item.status === 'failed') return false;
  return item.status === 'completed' || (typeof item.result === 'string' && item.result !== '');
}

function drawnBy(items: readonly Readonly<Record<string, unknown>>[], reported: ImageTokens | null): Billable {
  const shapes = items.map(shapeOf);
  const images = shapes.map((shape): Quantity => {
    const variant = variantOf(shape);
    return { unit: 'image', amount: 1, ...(variant !== null && { variant }) };
  });
  const tokens = reported ?? {
    textInput: items.reduce((sum, item) => sum + promptTokensOf(item), 0),
    ...{ imageInput: 0, textOutput: 0 },
    imageOutput: shapes.reduce((sum, shape) => sum + imageOutputTokens(shape), 0),
  };
  const counted = imageTokenQuantities(tokens).filter(({ amount }) => amount > 0);
  const requests: Quantity[] = items.length === 0 ? [] : [{ unit: 'request', amount: items.length }];
  return {
    quantities: summed([...counted, ...images, ...requests].map(asDrawn)),
    source: reported === null ? 'estimated' : 'reported',
  };
}

function promptTokensOf({ revised_prompt: prompt }: Readonly<Record<string, unknown>>): number {
  return typeof prompt === 'string' ? Math.ceil(Buffer.byteLength(prompt) / BYTES_PER_TOKEN) : 0;
}

const SHAPE_WORD = /^[a-z0-9]{1,16}$/;

function shapeOf({ size, quality }: Readonly<Record<string, unknown>>): ImageShape {
  return { size: shapeWord(size), quality: shapeWord(quality) };
}

function shapeWord(value: unknown): string | null {
  return typeof value === 'string' && value !== 'auto' && SHAPE_WORD.test(value) ? value : null;
}
