import type { Loss } from '../exchange/loss.ts';
import type { ImageRequest, PixelSize } from './images.ts';

/* Sizes and aspect ratios for providers that support only some of them, or only one of the two. */

type SizedRequest = Pick<ImageRequest, 'size' | 'aspectRatio'>;

export interface Chosen {
  /** The provider's notation (`16:9`, `1536x1024`); `null` if the client requested nothing. */
  readonly value: string | null;
  readonly losses: readonly Loss[];
}

const NOTHING: Chosen = { value: null, losses: [] };

/**
 * Returns the provider's aspect ratio nearest to the client's request. `sizes` are the pixels that the provider makes for a
 * ratio, if known: a size among them is exact.
 */
export function nearestRatio(
  request: SizedRequest,
  ratios: readonly string[],
  sizes: Readonly<Record<string, string>> = {},
): Chosen {
  const { size, aspectRatio } = request;
  const wanted = wantedOf(request);
  if (wanted === null) return NOTHING;
  const value = nearest(wanted, ratios, ':');
  const losses = ratioNotRead(request);
  if (size === null || size === 'auto') {
    if (value !== null && isSameShape(wanted, value, ':')) return { value, losses };
    const field = 'aspect_ratio';
    return { value, losses: [...losses, { field, verdict: 'approximated', why: `${aspectRatio}${becomes(value)}` }] };
  }
  const asked = `${size.width}x${size.height}`;
  if (value !== null && Object.hasOwn(sizes, value) && sizes[value] === asked) return { value, losses };
  const why = `the provider accepts aspect ratios: ${asked}${becomes(value)}`;
  return { value, losses: [...losses, { field: 'size', verdict: 'approximated', why }] };
}

/** Returns the provider's size (`1536x1024`) nearest to the client's request: first by shape, then by area. */
export function nearestSize(request: SizedRequest, sizes: readonly string[]): Chosen {
  const { size, aspectRatio } = request;
  const wanted = wantedOf(request);
  if (wanted === null) return NOTHING;
  const value = nearest(wanted, sizes, 'x');
  const losses = ratioNotRead(request);
  if (size === null || size === 'auto') {
    if (value !== null && isSameShape(wanted, value, 'x')) return { value, losses };
    const why = `${aspectRatio}${becomes(value)}`;
    return { value, losses: [...losses, { field: 'aspect_ratio', verdict: 'approximated', why }] };
  }
  const asked = `${size.width}x${size.height}`;
  if (value === asked) return { value, losses };
  return { value, losses: [...losses, { field: 'size', verdict: 'approximated', why: `${asked}${becomes(value)}` }] };
}

/** Returns the pixels in `1536x1024`, or the two numbers in `16:9`; `null` for other texts. */
export function pairOf(text: string, separator: ':' | 'x'): PixelSize | null {
  const [width, height, ...more] = text.split(separator).map(Number);
  if (width === undefined || height === undefined || more.length > 0) return null;
  return width > 0 && height > 0 && Number.isFinite(width / height) ? { width, height } : null;
}

/** Returns how different two shapes are; 0 for the same shape. */
export function shapeDistance(one: PixelSize, other: PixelSize): number {
  return Math.abs(Math.log((one.width / one.height) * (other.height / other.width)));
}

/** Returns what the client requested: pixels, otherwise a ratio; `null` for neither. */
export function askedSize({ size, aspectRatio }: SizedRequest): string | null {
  return size === null || size === 'auto' ? aspectRatio : `${size.width}x${size.height}`;
}

/** Returns the same from a body's members: `width` and `height`, otherwise `aspect_ratio`. */
export function sizeText(members: Readonly<Record<string, unknown>>): string | null {
  const { width, height, aspect_ratio: ratio } = members;
  if (width !== undefined && height !== undefined) return `${width}x${height}`;
  return typeof ratio === 'string' ? ratio : null;
}

/**
 * Returns pixels for an aspect ratio, with about `area` of them and both sides a multiple of `step`: for providers that accept
 * any pixels but no ratio.
 */
export function pixelsOf(ratio: string, area: number, step: number): PixelSize | null {
  const pair = pairOf(ratio, ':');
  if (pair === null) return null;
  const scale = Math.sqrt(area / (pair.width * pair.height));
  const side = (length: number) => Math.max(step, Math.round((length * scale) / step) * step);
  return { width: side(pair.width), height: side(pair.height) };
}

/** One megapixel, the default of most models. */
const MEGAPIXEL = 1024 * 1024;

/**
 * Returns pixels for a model that accepts any size with sides that are multiples of `step`; `null` if the client requested none.
 * With only a ratio it is a megapixel.
 */
export function pixelsFor(
  request: SizedRequest,
  step: number,
): { readonly pixels: PixelSize | null; readonly losses: readonly Loss[] } {
  const { size, aspectRatio } = request;
  if (size !== null && size !== 'auto') {
    const rounded = (length: number) => Math.max(step, Math.round(length / step) * step);
    const pixels = { width: rounded(size.width), height: rounded(size.height) };
    const losses = ratioNotRead(request);
    if (pixels.width === size.width && pixels.height === size.height) return { pixels, losses };
    const why = `${size.width}x${size.height} becomes ${pixels.width}x${pixels.height}`;
    return { pixels, losses: [...losses, { field: 'size', verdict: 'approximated', why }] };
  }
  if (aspectRatio === null) return { pixels: null, losses: [] };
  const pixels = pixelsOf(aspectRatio, MEGAPIXEL, step);
  const field = 'aspect_ratio';
  if (pixels === null) return { pixels, losses: [{ field, verdict: 'dropped', why: 'it is not a ratio' }] };
  const value = `${pixels.width}x${pixels.height}`;
  if (isSameShape(pixels, aspectRatio, ':')) return { pixels, losses: [] };
  return { pixels, losses: [{ field, verdict: 'approximated', why: `it becomes the size ${value}` }] };
}

/** The limits of a model that otherwise accepts any pixels. */
export interface PixelBounds {
  /** Both sides are multiples of this. */
  readonly step: number;
  readonly longestSide: number;
  /** The largest ratio of the longer side to the shorter one. */
  readonly widest: number;
  readonly leastArea: number;
  readonly mostArea: number;
}

/** Returns the nearest pixels within the bounds: first by shape, then by area. */
export function pixelsWithin(wanted: PixelSize, bounds: PixelBounds): PixelSize {
  const { step, longestSide, widest, leastArea, mostArea } = bounds;
  const ratio = Math.min(widest, Math.max(1 / widest, wanted.width / wanted.height));
  const area = Math.min(mostArea, Math.max(leastArea, wanted.width * wanted.height));
  const longer = Math.min(longestSide, Math.sqrt(area * Math.max(ratio, 1 / ratio)));
  const shorter = longer / Math.max(ratio, 1 / ratio);
  // An exact size stays unchanged; otherwise one side is rounded so that neither the area nor the shape exceeds its
  // bounds.
  const isTooLarge = Math.round(longer / step) * Math.round(shorter / step) * step * step > mostArea;
  const long = (isTooLarge ? Math.floor(longer / step) : Math.round(longer / step)) * step;
  const least = Math.max(Math.ceil(long / widest / step), Math.ceil(leastArea / long / step));
  const most = Math.floor(mostArea / long / step);
  const short = Math.min(most, Math.max(least, Math.round(shorter / step))) * step;
  return ratio >= 1 ? { width: long, height: short } : { width: short, height: long };
}

function becomes(value: string | null): string {
  return value === null ? ' is not one of the provider’s' : ` becomes ${value}`;
}

function wantedOf({ size, aspectRatio }: SizedRequest): PixelSize | null {
  if (size !== null && size !== 'auto') return size;
  return aspectRatio === null ? null : pairOf(aspectRatio, ':');
}

function ratioNotRead({ size, aspectRatio }: SizedRequest): readonly Loss[] {
  if (size === null || size === 'auto' || aspectRatio === null) return [];
  return [{ field: 'aspect_ratio', verdict: 'dropped', why: 'the request also has `size`, which is more specific' }];
}

function isSameShape(wanted: PixelSize, value: string, separator: ':' | 'x'): boolean {
  const pair = pairOf(value, separator);
  return pair !== null && pair.width * wanted.height === pair.height * wanted.width;
}

function nearest(wanted: PixelSize, values: readonly string[], separator: ':' | 'x'): string | null {
  let best: { readonly value: string; readonly shape: number; readonly area: number } | null = null;
  for (const value of values) {
    const pair = pairOf(value, separator);
    if (pair === null) continue;
    const shape = shapeDistance(pair, wanted);
    const area =
      separator === ':' ? 0 : Math.abs(Math.log((pair.width * pair.height) / (wanted.width * wanted.height)));
    const isNearer = best === null || shape < best.shape - 1e-9 || (shape < best.shape + 1e-9 && area < best.area);
    if (isNearer) best = { value, shape, area };
  }
  return best?.value ?? null;
}
