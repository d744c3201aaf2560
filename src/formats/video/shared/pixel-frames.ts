import type { Loss } from '../../../domain/exchange/loss.ts';
import { pairOf, shapeDistance } from '../../../domain/images/image-size.ts';
import type { PixelSize } from '../../../domain/images/images.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { nearestResolution } from './video-shape.ts';

/*
 * Video frames for providers that publish the pixels of each resolution and ratio. One provider's 4:3 of 1080p is 1664x1248, and
 * its 21:9 is 2206x946, so one side of a frame does not identify its resolution.
 */

/** Sizes such as `1280x720` by resolution, in lower case (`720p`); the default size of each first. */
export type PixelFrames = Readonly<Record<string, readonly string[]>>;

export interface ChosenFrame {
  readonly pixels: PixelSize;
  /** The resolution's name in the table. */
  readonly resolution: string;
  /** The frame's index in the resolution's list. */
  readonly index: number;
  readonly losses: readonly Loss[];
}

type Framed = Pick<VideoRequest, 'size' | 'aspectRatio' | 'resolution'>;

/** The tolerance for rounded pixels: 1104x832 is one provider's 4:3, and 1584x672 its 21:9. */
const SAME_SHAPE = 0.02;

/** Returns the frame nearest to the client's request; without one, the default frame of the resolution `usual`. */
export function nearestFrame(request: Framed, frames: PixelFrames, usual: string): ChosenFrame {
  const resolution = resolutionFor(request, frames, usual);
  const wanted = request.size ?? (request.aspectRatio === null ? null : pairOf(request.aspectRatio, ':'));
  const sizes = (frames[resolution] ?? []).map(sizeOf);
  const index = wanted === null ? 0 : nearestShape(wanted, sizes);
  const pixels = sizes[index];
  if (pixels === undefined) throw new Error(`there is no frame of ${resolution}`);
  return { pixels, resolution, index, losses: lossesOf(request, pixels, resolution, wanted) };
}

function lossesOf(request: Framed, pixels: PixelSize, resolution: string, wanted: PixelSize | null): readonly Loss[] {
  const made = `${pixels.width}x${pixels.height}`;
  const { size } = request;
  if (size !== null) {
    if (size.width === pixels.width && size.height === pixels.height) return [];
    return [{ field: 'size', verdict: 'approximated', why: `${size.width}x${size.height} becomes ${made}` }];
  }
  const losses: Loss[] = [];
  if (request.resolution !== null && request.resolution !== resolution) {
    losses.push({ field: 'resolution', verdict: 'approximated', why: `${request.resolution} becomes ${resolution}` });
  }
  if (wanted !== null && shapeDistance(wanted, pixels) > SAME_SHAPE) {
    losses.push({ field: 'aspect_ratio', verdict: 'approximated', why: `${request.aspectRatio} becomes ${made}` });
  }
  return losses;
}

function resolutionFor({ size, resolution }: Framed, frames: PixelFrames, usual: string): string {
  const names = Object.keys(frames);
  if (size !== null) {
    const area = size.width * size.height;
    return nearestBy(names, (name) => {
      const areas = (frames[name] ?? []).map(sizeOf).map(({ width, height }) => width * height);
      return Math.min(...areas.map((one) => Math.abs(Math.log(one / area))));
    });
  }
  return resolution === null ? usual : (nearestResolution(resolution, names) ?? usual);
}

/** Returns the name with the least distance; the first of equal ones. */
function nearestBy(names: readonly string[], distance: (name: string) => number): string {
  const [first, ...others] = names;
  if (first === undefined) throw new Error('there is nothing to choose from');
  return others.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
}

function nearestShape(wanted: PixelSize, sizes: readonly PixelSize[]): number {
  let best = 0;
  for (const [index, size] of sizes.entries()) {
    const nearest = sizes[best];
    if (nearest !== undefined && shapeDistance(wanted, size) < shapeDistance(wanted, nearest) - 1e-9) best = index;
  }
  return best;
}

export function sizeOf(text: string): PixelSize {
  const size = pairOf(text, 'x');
  if (size === null) throw new Error(`${text} is not a size`);
  return size;
}
