import { describe, expect, test } from 'bun:test';
import type { ImageAnswer, ImageRequest, ImageShape } from '../../../domain/images/images.ts';
import { amountOf } from '../../../domain/money/quantity.ts';
import { IMAGES_ALONE } from '../../../formats/shared/media/image-answer.ts';
import { PLAIN_IMAGE } from '../../../formats/shared/testing/image-samples.ts';
import { billableOf, expectedShape, hasTokenPrices, type Priced } from './image-billable.ts';

const NO_DEFAULTS = { size: null, quality: null };
const SQUARE = '1024x1024';

function billed(
  asked: Partial<ImageShape>,
  answer: Partial<Omit<ImageAnswer, 'images'>>,
  priced: Partial<Priced & { readonly defaults: ImageShape; readonly request: Partial<ImageRequest> }> = {},
) {
  const { defaults = NO_DEFAULTS, request, ...others } = priced;
  const expected = expectedShape({ ...NO_DEFAULTS, ...asked }, defaults);
  const all = { count: 1, expected, requests: 1, byTokens: false, ...others };
  return billableOf({ ...PLAIN_IMAGE, ...request }, { ...IMAGES_ALONE, ...answer }, all);
}
const variant = (...of: Parameters<typeof billed>) =>
  billed(...of).quantities.find(({ unit }) => unit === 'image')?.variant;

describe('the priced variant of an image', () => {
  test.each([
    [{}, {}, undefined],
    [{ size: 'auto', quality: 'auto' }, {}, undefined],
    [{ size: SQUARE }, {}, '1024x1024'],
    [{ size: SQUARE, quality: 'high' }, {}, '1024x1024/high'],
    [{ size: '16:9', quality: 'low' }, {}, '16:9/low'],
    [{ size: SQUARE, quality: 'low' }, { size: '1536x1024', quality: 'medium' }, '1536x1024/medium'],
    [{ size: 'auto' }, { size: 'auto', quality: 'auto' }, undefined],
    [{ quality: 'hd' }, {}, 'hd'],
  ] as const)('for %j made as %j is %s', (request, made, expected) => {
    expect(variant(request, made)).toBe(expected);
  });

  test('is the model’s default if unspecified', () => {
    const defaults = { size: '1024x1024', quality: 'standard' };
    expect(variant({}, {}, { defaults })).toBe('1024x1024/standard');
    expect(variant({ size: '1792x1024' }, {}, { defaults })).toBe('1792x1024/standard');
    expect(variant({ size: 'auto', quality: 'auto' }, {}, { defaults })).toBe('1024x1024/standard');
  });
});

describe('a response', () => {
  test('is billed for at most the requested images', () => {
    expect(amountOf(billed({}, {}, { request: { count: 2 }, count: 5 }), 'image')).toBe(2);
    expect(amountOf(billed({}, {}, { request: { count: 4 }, count: 1 }), 'image')).toBe(1);
  });

  test('is billed by its tokens as reported', () => {
    const tokens = { textInput: 1, imageInput: 2, textOutput: 3, imageOutput: 4 };
    const billable = billed({}, { tokens }, { byTokens: true });
    expect(billable.source).toBe('reported');
    expect(
      ['input_token', 'image_input_token', 'output_token', 'image_output_token'].map((unit) =>
        amountOf(billable, unit as never),
      ),
    ).toEqual([1, 2, 3, 4]);
  });

  test('without tokens is billed by an estimate if the model is priced by tokens', () => {
    const billable = billed({ quality: 'low', size: SQUARE }, {}, { byTokens: true, count: 1 });
    expect([billable.source, amountOf(billable, 'image_output_token')]).toEqual(['estimated', 272]);
    expect(amountOf(billed({ quality: 'low', size: SQUARE }, {}), 'image_output_token')).toBe(0);
    for (const size of ['1536x1024', '3:2']) {
      const wide = billed({ quality: 'medium', size }, {}, { byTokens: true });
      expect(amountOf(wide, 'image_output_token')).toBe(1_584);
    }
  });
});

test('token prices are recognized', () => {
  expect(hasTokenPrices({ per_image: '0.04' })).toBe(false);
  expect(hasTokenPrices({ input_per_1m: '5' })).toBe(false);
  expect(hasTokenPrices({ image_output_per_1m: '40' })).toBe(true);
  expect(hasTokenPrices('free')).toBe(false);
  expect(hasTokenPrices(null)).toBe(false);
  const period = { effectiveFromMs: null, prices: { output_per_1m: '40' }, tiers: [] };
  expect(hasTokenPrices([period])).toBe(true);
});
