import { describe, expect, test } from 'bun:test';
import type { ImageRequest, ImageShape } from '../../../domain/images/images.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import { Tariff } from '../../../domain/money/tariff.ts';
import { IMAGES_ALONE } from '../../../formats/shared/media/image-answer.ts';
import { INLINE_PIXEL, PLAIN_IMAGE } from '../../../formats/shared/testing/image-samples.ts';
import { billableOf, expectedShape } from './image-billable.ts';
import { ImageBounds } from './image-bounds.ts';

const NO_SHAPE = { size: null, quality: null };
const boundsOf = (request: Partial<ImageRequest>, ...shapes: readonly ImageShape[]) =>
  new ImageBounds({ ...PLAIN_IMAGE, ...request }, shapes.length === 0 ? [NO_SHAPE] : shapes);

test('the reservation covers every plausible response, at every size and quality', async () => {
  const tariff = Tariff.parse({
    ...{ input_per_1m: '5', image_input_per_1m: '10', image_output_per_1m: '40', output_per_1m: '10' },
    per_image: '0.01',
    per_image_variants: { '1024x1024/high': '0.2', '1024x1024/low': '0.02', '1536x1024': '0.3' },
  });
  if (tariff === null) throw new Error('there is no price');
  for (const count of [1, 4, 10]) {
    for (const size of [null, 'auto', { width: 1024, height: 1024 }, { width: 1536, height: 1024 }] as const) {
      for (const quality of [null, 'auto', 'low', 'high'] as const) {
        for (const images of [[], [INLINE_PIXEL, INLINE_PIXEL]]) {
          const request = { ...PLAIN_IMAGE, count, size, quality, images };
          const text = typeof size === 'string' || size === null ? size : `${size.width}x${size.height}`;
          const expected = expectedShape({ size: text, quality }, NO_SHAPE);
          const bounds = boundsOf(request, expected);
          const made = { size: '1024x1024', quality: quality === 'low' ? 'low' : 'high' };
          const answer = { ...IMAGES_ALONE, ...(size === null || size === 'auto' ? made : {}) };
          const tokens = {
            textInput: 20,
            imageInput: count * images.length * 6_500,
            textOutput: 0,
            imageOutput: count * 6_240,
          };
          const billable = billableOf(
            request,
            { ...answer, tokens },
            { count, expected, requests: count, byTokens: true },
          );
          expect(bounds.isPlausible(billable)).toBe(true);
          expect(tariff.boundNanoUsd(bounds.certain())).toBeGreaterThanOrEqual(tariff.costNanoUsd(billable));
        }
      }
    }
  }
});

test('the likely cost is at most the certain one', async () => {
  for (const quality of [null, 'low', 'medium', 'high'] as const) {
    const bounds = boundsOf({ quality, prompt: 'ü'.repeat(5_000), count: 3 });
    const [certain, likely] = [bounds.certain(), await bounds.counted()];
    expect(likely.inputTokens).toBeLessThanOrEqual(certain.inputTokens);
    expect(likely.outputTokens).toBeLessThanOrEqual(certain.outputTokens);
  }
});

test('a false upstream report is implausible', () => {
  const bounds = boundsOf({ count: 2 });
  const quantities = (unit: 'image' | 'image_output_token' | 'input_token', amount: number) => ({
    quantities: [{ unit, amount }],
    source: 'reported' as const,
  });
  expect(bounds.isPlausible(quantities('image', 3))).toBe(false);
  expect(bounds.isPlausible(quantities('image_output_token', 1e6))).toBe(false);
  expect(bounds.isPlausible(quantities('input_token', 1e6))).toBe(false);
});

describe('an image other than requested', () => {
  const tariff = Tariff.parse({
    per_image: '0.04',
    per_image_variants: { '1024x1024/low': '0.01', '1024x1024/high': '0.16', '1536x1024/low': '0.02' },
  });
  const image = (variant?: string): Billable => ({
    quantities: [{ unit: 'image', amount: 1, ...(variant !== undefined && { variant }) }],
    source: 'reported',
  });
  const most = (...shapes: readonly ImageShape[]) => tariff?.boundNanoUsd(boundsOf({}, ...shapes).plausible());

  test.each([
    [{ size: '1024x1024', quality: 'low' }, '1024x1024/low', true],
    [{ size: '1024x1024', quality: 'low' }, '1024x1024/high', false],
    [{ size: '1024x1024', quality: 'low' }, '1536x1024/low', false],
    [{ size: '1024x1024', quality: 'low' }, undefined, false],
    [{ size: '1024x1024', quality: null }, '1024x1024/high', true],
    [{ size: '1024x1024', quality: null }, '1536x1024/low', false],
    [{ size: null, quality: 'low' }, '1536x1024/low', true],
    [{ size: null, quality: 'low' }, '1024x1024/high', false],
    [{ size: null, quality: null }, '1024x1024/high', true],
  ] as const)('for %j, as %p, is plausible: %p', (shape, variant, expected) => {
    expect(boundsOf({}, shape).isPlausible(image(variant))).toBe(expected);
  });

  test('is charged at most what is reserved for the request', () => {
    expect(most({ size: '1024x1024', quality: 'low' })).toBe(10_000_000n);
    expect(most({ size: '1024x1024', quality: null })).toBe(160_000_000n);
    expect(most({ size: null, quality: 'low' })).toBe(40_000_000n);
    expect(most({ size: null, quality: 'high' })).toBe(160_000_000n);
  });

  test('may come from different channels, so the dearest is reserved', () => {
    const low = { size: '1024x1024', quality: 'low' };
    expect(most(low, low)).toBe(10_000_000n);
    expect(most(low, { size: '1536x1024', quality: 'low' })).toBe(160_000_000n);
  });
});
