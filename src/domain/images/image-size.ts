import type { Loss } from '../exchange/loss.ts';
import type { ImageRequest, PixelSize } from './images.ts';

/* Sizes and aspect ratios for providers that have only some of them, or only one of the two. */

type SizedRequest = Pick<ImageRequest, 'size' | 'aspectRatio'>;

export interface Chosen {
  /** One of the provider's own words (`16:9`, `1536x1024`); `null` where the client asked for nothing. */
  readonly value: string | null;
  readonly losses: readonly Loss[];
}

const NOTHING: Chosen = { value: null, losses: [] };

/**
 * The provider's aspect ratio that is nearest to what the client asked for. `sizes` are the pixels that the provider makes
 * of a ratio, where it says so: a size that is among them is exact.
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
  const why = `the provider takes aspect ratios: ${asked}${becomes(value)}`;
  return { value, losses: [...losses, { field: 'size', verdict: 'approximated', why }] };
}

/** The provider's size (`1536x1024`) that is nearest to what the client asked for: in shape first, then in area. */
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

/** The pixels of `1536x1024`, or the two numbers of `16:9`; `null` for other texts. */
export function pairOf(text: string, separator: ':' | 'x'): PixelSize | null {
  const [width, height, ...more] = text.split(separator).map(Number);
  if (width === undefined || height === undefined || more.length > 0) return null;
  return width > 0 && height > 0 && Number.isFinite(width / height) ? { width, height } : null;
}

/** How far two shapes are from each other; 0 for the same one. */
export function shapeDistance(one: PixelSize, other: PixelSize): number {
  return Math.abs(Math.log((one.width / one.height) * (other.height / other.width)));
}

/** What a client asked for: pixels, else a ratio; `null` for neither. */
export function askedSize({ size, aspectRatio }: SizedRequest): string | null {
  return size === null || size === 'auto' ? aspectRatio : `${size.width}x${size.height}`;
}

/** The same of members of a body. */
export function sizeText(members: Readonly<Record<string, unknown>>): string | null {
  const { width, height, aspect_ratio: ratio } = members;
  if (width !== undefined && height !== undefined) return `${width}x${height}`;
  return typeof ratio === 'string' ? ratio : null;
}

/**
 * Pixels for an aspect ratio, with about as many of them as `area`, and with both sides a multiple of `step`: for providers
 * that take any pixels and no ratio.
 */
export function pixelsOf(ratio: string, area: number, step: number): PixelSize | null {
  const pair = pairOf(ratio, ':');
  if (pair === null) return null;
  const scale = Math.sqrt(area / (pair.width * pair.height));
  const side = (length: number) => Math.max(step, Math.round((length * scale) / step) * step);
  return { width: side(pair.width), height: side(pair.height) };
}

/** A megapixel, which most models make where they are told nothing. */
const MEGAPIXEL = 1024 * 1024;

/**
 * Pixels for a model that takes any whose sides are multiples of `step`; `null` where the client did not ask for any. With a
 * ratio alone it is a megapixel.
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
  if (pixels === null) return { pixels, losses: [{ field, verdict: 'dropped', why: 'it is no ratio' }] };
  const value = `${pixels.width}x${pixels.height}`;
  if (isSameShape(pixels, aspectRatio, ':')) return { pixels, losses: [] };
  return { pixels, losses: [{ field, verdict: 'approximated', why: `it becomes the size ${value}` }] };
}

/** What a model that takes any pixels refuses nevertheless. */
export interface PixelBounds {
  /** Both sides are multiples of it. */
  readonly step: number;
  readonly longestSide: number;
  /** The longer side to the shorter one. */
  readonly widest: number;
  readonly leastArea: number;
  readonly mostArea: number;
}

/** Returns the pixels within the bounds that are nearest to the wanted ones: in shape first, then in area. */
export function pixelsWithin(wanted: PixelSize, bounds: PixelBounds): PixelSize {
  const { step, longestSide, widest, leastArea, mostArea } = bounds;
  const ratio = Math.min(widest, Math.max(1 / widest, wanted.width / wanted.height));
  const area = Math.min(mostArea, Math.max(leastArea, wanted.width * wanted.height));
  const longer = Math.min(longestSide, Math.sqrt(area * Math.max(ratio, 1 / ratio)));
  const shorter = longer / Math.max(ratio, 1 / ratio);
  // An exact size stays as it is; of the others, one side is rounded so that neither the area nor the shape leaves its bounds.
  const isTooLarge = Math.round(longer / step) * Math.round(shorter / step) * step * step > mostArea;
  const long = (isTooLarge ? Math.floor(longer / step) : Math.round(longer / step)) * step;
  const least = Math.max(Math.ceil(long / widest / step), Math.ceil(leastArea / long / step));
  const most = Math.floor(mostArea / long / step);
  const short = Math.min(most, Math.max(least, Math.round(shorter / step))) * step;
  return ratio >= 1 ? { width: long, height: short } : { width: short, height: long };
}

function becomes(value: string | null): string {
  return value === null ? ' is none of the provider’s' : ` becomes ${value}`;
}

function wantedOf({ size, aspectRatio }: SizedRequest): PixelSize | null {
  if (size !== null && size !== 'auto') return size;
  return aspectRatio === null ? null : pairOf(aspectRatio, ':');
}

function ratioNotRead({ size, aspectRatio }: SizedRequest): readonly Loss[] {
  if (size === null || size === 'auto' || aspectRatio === null) return [];
  return [{ field: 'aspect_ratio', verdict: 'dropped', why: 'the request also has `size`, which says more' }];
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
