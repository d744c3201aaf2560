import { expect, test } from 'bun:test';
import { nearestRatio, nearestSize, pairOf, pixelsFor, pixelsWithin } from './image-size.ts';

const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4'];
const SIZES = ['1024x1024', '1536x1024', '1024x1536'];
const size = (width: number, height: number) => ({ size: { width, height }, aspectRatio: null });
const ratio = (aspectRatio: string) => ({ size: null, aspectRatio });

test('a request without size and ratio asks for nothing', () => {
  const none = { value: null, losses: [] };
  expect(nearestRatio({ size: null, aspectRatio: null }, RATIOS)).toEqual(none);
  expect(nearestSize({ size: 'auto', aspectRatio: null }, SIZES)).toEqual(none);
});

test('a supported ratio is exact, however it is written', () => {
  expect(nearestRatio(ratio('16:9'), RATIOS)).toEqual({ value: '16:9', losses: [] });
  expect(nearestRatio(ratio('32:18'), RATIOS)).toEqual({ value: '16:9', losses: [] });
});

test('an unsupported ratio becomes the nearest one and reports a loss', () => {
  const { value, losses } = nearestRatio(ratio('21:9'), RATIOS);
  expect(value).toBe('16:9');
  expect(losses).toEqual([{ field: 'aspect_ratio', verdict: 'approximated', why: '21:9 becomes 16:9' }]);
  expect(nearestRatio(ratio('1:50'), RATIOS).value).toBe('9:16');
});

test('a size becomes an approximate ratio, unless the provider makes exactly these pixels from it', () => {
  expect(nearestRatio(size(1920, 1080), RATIOS)).toMatchObject({
    value: '16:9',
    losses: [{ field: 'size', verdict: 'approximated' }],
  });
  expect(nearestRatio(size(1024, 1024), RATIOS, { '1:1': '1024x1024' })).toEqual({ value: '1:1', losses: [] });
  expect(nearestRatio(size(512, 512), RATIOS, { '1:1': '1024x1024' }).losses).toHaveLength(1);
});

test('a supported size is exact; another becomes the nearest in shape, then in area', () => {
  expect(nearestSize(size(1536, 1024), SIZES)).toEqual({ value: '1536x1024', losses: [] });
  expect(nearestSize(size(1792, 1024), SIZES).value).toBe('1536x1024');
  expect(nearestSize(size(600, 600), ['256x256', '512x512', '1024x1024']).value).toBe('512x512');
  expect(nearestSize(size(600, 600), SIZES).losses).toMatchObject([{ field: 'size', verdict: 'approximated' }]);
});

test('a ratio becomes a size, exact if one has its shape', () => {
  expect(nearestSize(ratio('3:2'), SIZES)).toEqual({ value: '1536x1024', losses: [] });
  expect(nearestSize(ratio('9:16'), SIZES)).toMatchObject({ value: '1024x1536', losses: [{ field: 'aspect_ratio' }] });
});

test('a ratio beside a size is ignored and reported', () => {
  const both = { size: { width: 1024, height: 1024 }, aspectRatio: '16:9' };
  expect(nearestSize(both, SIZES)).toMatchObject({ value: '1024x1024', losses: [{ field: 'aspect_ratio' }] });
  expect(nearestRatio(both, RATIOS).value).toBe('1:1');
});

test('the chosen ratio is the nearest for every size in a grid', () => {
  for (let width = 64; width <= 4096; width = Math.ceil(width * 1.7)) {
    for (let height = 64; height <= 4096; height = Math.ceil(height * 1.7)) {
      const distance = (one: string) => {
        const pair = pairOf(one, ':');
        return pair === null ? Number.NaN : Math.abs(Math.log(pair.width / pair.height) - Math.log(width / height));
      };
      const { value } = nearestRatio(size(width, height), RATIOS);
      const best = Math.min(...RATIOS.map(distance));
      expect(distance(value ?? '')).toBeCloseTo(best, 9);
    }
  }
});

test('pixels for a ratio keep shape, area and step', () => {
  for (const text of ['1:1', '16:9', '9:21', '3:2']) {
    const { pixels } = pixelsFor(ratio(text), 16);
    const pair = pairOf(text, ':');
    if (pixels === null || pair === null) throw new Error('no pixels');
    expect([pixels.width % 16, pixels.height % 16]).toEqual([0, 0]);
    expect(Math.abs((pixels.width * pixels.height) / 1_048_576 - 1)).toBeLessThan(0.05);
    expect(Math.abs(pixels.width / pixels.height / (pair.width / pair.height) - 1)).toBeLessThan(0.05);
  }
  expect(pixelsFor(ratio('1:1'), 16)).toEqual({ pixels: { width: 1024, height: 1024 }, losses: [] });
  expect(pixelsFor(ratio('16:9'), 16).losses).toMatchObject([{ field: 'aspect_ratio', verdict: 'approximated' }]);
  expect(pixelsFor(ratio('wide'), 16)).toMatchObject({ pixels: null, losses: [{ field: 'aspect_ratio' }] });
  expect(pixelsFor(size(640, 480), 16)).toEqual({ pixels: { width: 640, height: 480 }, losses: [] });
  expect(pixelsFor(size(641, 1), 16)).toMatchObject({
    pixels: { width: 640, height: 16 },
    losses: [{ field: 'size' }],
  });
  expect(pixelsFor({ size: 'auto', aspectRatio: null }, 16)).toEqual({ pixels: null, losses: [] });
});

test('a text that is not a pair gives null', () => {
  for (const text of ['', 'x', '1x', '0x5', '1x2x3', '-1x2', 'ax2', '1:2']) expect(pairOf(text, 'x')).toBeNull();
});

/** The bounds of OpenAI's GPT Image 2. */
const BOUNDS = { step: 16, longestSide: 3_840, widest: 3, leastArea: 655_360, mostArea: 8_294_400 };

test.each([
  [
    { width: 3_840, height: 2_160 },
    { width: 3_840, height: 2_160 },
  ],
  [
    { width: 1_360, height: 768 },
    { width: 1_360, height: 768 },
  ],
  [
    { width: 8_192, height: 8_192 },
    { width: 2_880, height: 2_880 },
  ],
  [
    { width: 16, height: 16 },
    { width: 816, height: 816 },
  ],
  [
    { width: 96, height: 10_240 },
    { width: 576, height: 1_712 },
  ],
])('%j becomes %j, which is within the bounds', (wanted, made) => {
  expect(pixelsWithin(wanted, BOUNDS)).toEqual(made);
});

test('any pixels become pixels within the bounds', () => {
  const isWithin = (width: number, height: number) =>
    [width, height].every((side) => side % 16 === 0 && side <= 3_840) &&
    width * height >= BOUNDS.leastArea &&
    width * height <= BOUNDS.mostArea &&
    Math.max(width, height) <= 3 * Math.min(width, height);
  const wrong: unknown[] = [];
  for (let width = 1; width <= 16_384; width += 113) {
    for (let height = 1; height <= 16_384; height += 127) {
      const made = pixelsWithin({ width, height }, BOUNDS);
      if (!isWithin(made.width, made.height)) wrong.push({ width, height, made });
    }
  }
  expect(wrong).toEqual([]);
});
