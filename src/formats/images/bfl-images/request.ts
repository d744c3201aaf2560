import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { pixelsOf, sizeText } from '../../../domain/images/image-size.ts';
import type { ImageInput, ImageRequest, ImageShape, PixelSize } from '../../../domain/images/images.ts';
import { maskBytes } from '../../shared/media/image-form.ts';
import { imageBase64, jsonRequest, lossesOf, type Members, refused } from '../../shared/media/image-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';
import { type BflModel, bflModel } from './models.ts';

const MEGAPIXEL = 1_048_576;
const WIDEST = 21 / 9;

/** Implements `ImageWire.asks`. */
export function asks(request: ImageRequest, target: WireTarget): ImageShape {
  const { members } = shapeOf(request, bflModel(ruleModelOf(target)));
  return { size: sizeText(members), quality: null };
}

export async function encodeRequest(request: ImageRequest, target: WireTarget): Promise<WireRequest | Failure> {
  const model = bflModel(ruleModelOf(target));
  const { edit, fileFormats } = model;
  const lost = lossesOf(request, {
    mostInputs: edit?.most ?? 0,
    fileFormats,
    carries: { seed: 'exact', ...(edit?.hasMask && { mask: 'exact' }) },
  });
  if (lost instanceof Failure) return lost;
  const images = await imagesOf(request, model);
  if (images instanceof Failure) return images;
  const shaped = shapeOf(request, model);
  const members: Members = {
    ...{ prompt: request.prompt, ...shaped.members, ...images },
    seed: request.seed,
    output_format: request.fileFormat,
  };
  return jsonRequest(members, request, [...lost, ...shaped.losses], {
    suffix: `/${encodeURIComponent(target.upstreamModel)}`,
  });
}

interface Shaped {
  readonly members: Members;
  readonly losses: readonly Loss[];
}

const SIZE_SAYS_MORE: Loss = {
  field: 'aspect_ratio',
  verdict: 'dropped',
  why: 'the request also has `size`, which is more specific',
};

function shapeOf(request: ImageRequest, { shape }: BflModel): Shaped {
  const { aspectRatio } = request;
  const size = request.size === 'auto' ? null : request.size;
  if (size === null && aspectRatio === null) return { members: {}, losses: [] };
  const more = size !== null && aspectRatio !== null ? [SIZE_SAYS_MORE] : [];
  if (shape === null) {
    const field = size === null ? 'aspect_ratio' : 'size';
    const why = 'an edit has the same size as its image';
    return { members: {}, losses: [{ field, verdict: 'dropped', why }, ...more] };
  }
  if (shape === 'ratio') return ratioOf(size, aspectRatio, more);
  const wanted = size ?? pixelsOf(aspectRatio ?? '1:1', MEGAPIXEL, shape.step) ?? { width: 1_024, height: 1_024 };
  const made = { width: within(wanted.width, shape), height: within(wanted.height, shape) };
  if (made.width === wanted.width && made.height === wanted.height) return { members: { ...made }, losses: more };
  const field = size === null ? 'aspect_ratio' : 'size';
  const why = `the model makes multiples of ${shape.step} from ${shape.least} to ${shape.most}: ${made.width}x${made.height}`;
  return { members: { ...made }, losses: [{ field, verdict: 'approximated', why }, ...more] };
}

/** Returns any ratio that is neither too wide nor too tall. */
function ratioOf(size: PixelSize | null, aspectRatio: string | null, more: readonly Loss[]): Shaped {
  const ratio = size === null ? (aspectRatio ?? '1:1') : shortest(size);
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  const isTooWide = width / height > WIDEST;
  const isTooHigh = height / width > WIDEST;
  const made = isTooWide ? '21:9' : isTooHigh ? '9:21' : ratio;
  if (size !== null) {
    const why = `the provider accepts aspect ratios: ${size.width}x${size.height} becomes ${made}`;
    return { members: { aspect_ratio: made }, losses: [{ field: 'size', verdict: 'approximated', why }, ...more] };
  }
  if (made === ratio) return { members: { aspect_ratio: made }, losses: more };
  const why = `the provider accepts ratios from 21:9 to 9:21: ${ratio} becomes ${made}`;
  return { members: { aspect_ratio: made }, losses: [{ field: 'aspect_ratio', verdict: 'approximated', why }] };
}

function shortest({ width, height }: PixelSize): string {
  let [left, right] = [width, height];
  while (right > 0) [left, right] = [right, left % right];
  return `${width / left}:${height / left}`;
}

function within(pixels: number, { step, least, most }: { step: number; least: number; most: number }): number {
  return Math.min(most, Math.max(least, Math.round(pixels / step) * step));
}

/** Returns a URL or plain base64. */
async function imageText(input: ImageInput): Promise<string> {
  return input.kind === 'url' ? input.url : (await imageBase64(input)).base64;
}

async function imagesOf({ images, mask, kind }: ImageRequest, { edit }: BflModel): Promise<Members | Failure> {
  if (edit === null) return {};
  if (edit.hasMask && kind === 'generation') return refused('image', 'this model only edits images, but none was sent');
  const members: Record<string, unknown> = {};
  for (const [index, image] of images.entries()) {
    members[index === 0 ? edit.member : `${edit.member}_${index + 1}`] = await imageText(image);
  }
  if (mask === null) return members;
  const bytes = await maskBytes(mask, 'white');
  return bytes instanceof Failure ? bytes : { ...members, mask: bytes.toBase64() };
}
