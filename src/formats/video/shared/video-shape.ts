import type { Loss } from '../../../domain/exchange/loss.ts';
import { nearestRatio, pairOf, shapeDistance } from '../../../domain/images/image-size.ts';
import type { PixelSize } from '../../../domain/images/images.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { entryOf } from '../../shared/json/record.ts';

/* Aspect ratios and resolutions of videos, for providers that use these two instead of pixels. */

type ShapedRequest = Pick<VideoRequest, 'size' | 'aspectRatio' | 'resolution'>;

/** The shapes that a model supports; `null` if unknown, so that it gets the client's values. */
export interface VideoShapes {
  /** Ratios such as `16:9`. */
  readonly ratios: readonly string[] | null;
  /** Resolutions such as `720p`; empty if the model has only one resolution and no member for it. */
  readonly resolutions: readonly string[] | null;
}

export interface ChosenShape {
  readonly ratio: string | null;
  readonly resolution: string | null;
  readonly losses: readonly Loss[];
}

/** Resolutions that are not named after their number of lines. */
const NAMED_LINES: Readonly<Record<string, number>> = { '2k': 1_440, '4k': 2_160, '8k': 4_320 };

/** Returns the shorter side of `720p` or `4k` in pixels; `null` for other names. */
export function linesOf(resolution: string): number | null {
  const lines = entryOf(NAMED_LINES, resolution);
  if (lines !== undefined) return lines;
  const digits = /^([1-9]\d{1,3})p?$/.exec(resolution)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Returns the name for a size in pixels: `1080p` for 1920x1080. */
export function resolutionOf({ width, height }: PixelSize): string {
  const lines = Math.min(width, height);
  return lines === 2_160 ? '4k' : `${lines}p`;
}

/** Returns the provider's resolution nearest to the requested one, the first of equally near ones; `null` for an unknown name. */
export function nearestResolution(asked: string, made: readonly string[]): string | null {
  if (made.includes(asked)) return asked;
  const lines = linesOf(asked);
  if (lines === null) return null;
  let best: { readonly value: string; readonly distance: number } | null = null;
  for (const value of made) {
    const distance = Math.abs(Math.log((linesOf(value) ?? 1) / lines));
    if (best === null || distance < best.distance) best = { value, distance };
  }
  return best?.value ?? null;
}

/** Returns the ratio and resolution to send, and the resulting losses. Both are `null` if the client requested neither. */
export function videoShape(request: ShapedRequest, shapes: VideoShapes): ChosenShape {
  const { size } = request;
  return size === null ? fromWords(request, shapes) : fromPixels(size, shapes);
}

/** Does the same for a video that has the shape of its first image, whatever ratio is requested. */
export function shapeByImage(
  request: ShapedRequest,
  resolutions: VideoShapes['resolutions'],
  why = 'the video has the shape of its image',
): ChosenShape {
  const { resolution, losses } = videoShape({ ...request, aspectRatio: null }, { ratios: null, resolutions });
  if (request.size !== null) {
    const verdict = resolution === null ? 'dropped' : 'approximated';
    return { ratio: null, resolution, losses: [{ field: 'size', verdict, why }] };
  }
  if (request.aspectRatio === null) return { ratio: null, resolution, losses };
  return { ratio: null, resolution, losses: [{ field: 'aspect_ratio', verdict: 'dropped', why }, ...losses] };
}

function fromWords({ aspectRatio, resolution }: ShapedRequest, shapes: VideoShapes): ChosenShape {
  const losses: Loss[] = [];
  let ratio = aspectRatio;
  if (aspectRatio !== null && shapes.ratios !== null) {
    const chosen = nearestRatio({ size: null, aspectRatio }, shapes.ratios);
    ratio = chosen.value;
    losses.push(...chosen.losses);
  }
  if (resolution === null || shapes.resolutions === null) return { ratio, resolution, losses };
  const chosen = nearestResolution(resolution, shapes.resolutions);
  if (chosen !== resolution) losses.push(resolutionLoss(resolution, chosen, shapes.resolutions));
  return { ratio, resolution: chosen, losses };
}

function resolutionLoss(asked: string, chosen: string | null, made: readonly string[]): Loss {
  const field = 'resolution';
  if (chosen !== null) return { field, verdict: 'approximated', why: `the model makes ${made.join(', ')}` };
  const why = made.length === 0 ? 'the model has only one resolution' : `${asked} is not a resolution of the model`;
  return { field, verdict: 'dropped', why };
}

/** The ratios that most models support: a size approximates one of these, such as 854x480 (16:9). */
const USUAL_RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'];
/** How much a size may differ from its ratio because its sides are whole or even numbers. */
const SAME_SHAPE = 0.005;

function fromPixels(size: PixelSize, { ratios, resolutions }: VideoShapes): ChosenShape {
  const ratio = nearestRatio({ size, aspectRatio: null }, ratios ?? USUAL_RATIOS).value;
  const shape = ratio === null ? null : pairOf(ratio, ':');
  const isShape = shape !== null && shapeDistance(size, shape) < SAME_SHAPE;
  const exact = isShape || ratios !== null ? ratio : reduced(size);
  const asked = resolutionOf(size);
  const resolution = resolutions === null ? asked : nearestResolution(asked, resolutions);
  if (resolution === asked && (isShape || ratios === null)) return { ratio: exact, resolution, losses: [] };
  const made = [exact, resolution].filter((one) => one !== null).join(' in ');
  const why = `the provider accepts a ratio and a resolution: ${size.width}x${size.height} becomes ${made === '' ? 'its own' : made}`;
  return { ratio: exact, resolution, losses: [{ field: 'size', verdict: 'approximated', why }] };
}

function reduced({ width, height }: PixelSize): string {
  let [one, other] = [width, height];
  while (other > 0) [one, other] = [other, one % other];
  return `${width / one}:${height / one}`;
}
