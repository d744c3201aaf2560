import type { Carriage, Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { type Chosen, nearestRatio, nearestSize } from '../../../domain/images/image-size.ts';
import type { ImageRequest, ImageShape } from '../../../domain/images/images.ts';
import { PNG_JPEG_WEBP } from '../../shared/image-limits.ts';
import { maskBytes } from '../../shared/media/image-form.ts';
import { imageUrl, jsonRequest, lossesOf, type Members } from '../../shared/media/image-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';
import { RATIOS, type RecraftModel, recraftModel } from './models.ts';

const NO_STYLE: Carriage = { verdict: 'dropped', why: 'the model does not have this style' };
/** How far the result may depart from the input image, for which the API requires a value; a client can set `strength` itself. */
const STRENGTH = 0.5;

/** Implements `ImageWire.asks`. */
export function asks(request: ImageRequest, target: WireTarget): ImageShape {
  return { size: sizeOf(request, recraftModel(ruleModelOf(target))).value, quality: null };
}

/** Encodes the request with images as `data:` URLs, so that the body is JSON and can hold any objects from `provider_options`. */
export async function encodeRequest(request: ImageRequest, target: WireTarget): Promise<WireRequest | Failure> {
  const model = recraftModel(ruleModelOf(target));
  const { hasNegativePrompt, isVector, longestPrompt } = model;
  const style = styleOf(request, model);
  const lost = lossesOf(request, {
    mostInputs: model.edits ? 1 : 0,
    fileFormats: isVector ? ['svg'] : ['png', 'webp'],
    carries: {
      ...{ seed: 'exact', style: style === null ? NO_STYLE : 'exact' },
      ...(hasNegativePrompt && { negativePrompt: 'exact' }),
      ...(model.fills && { mask: 'exact' }),
    },
    longestPrompt,
    inputs: { formats: PNG_JPEG_WEBP, mostBytes: 5_000_000 },
  });
  if (lost instanceof Failure) return lost;
  const place = await placeOf(request);
  if (place instanceof Failure) return place;
  const { value: size, losses } = sizeOf(request, model);
  const members: Members = {
    ...{ prompt: request.prompt, model: target.upstreamModel, n: request.count, size, ...place.members },
    style,
    negative_prompt: hasNegativePrompt ? request.negativePrompt : null,
    random_seed: request.seed,
    response_format: request.responseFormat,
    image_format: isVector ? null : request.fileFormat,
  };
  return jsonRequest(members, request, [...lost, ...losses], { suffix: place.suffix });
}

/** Returns the model's own spelling of a style; `null` for one that it does not have and would refuse. */
function styleOf({ style }: ImageRequest, { styles }: RecraftModel): string | null {
  const wanted = style?.toLowerCase();
  return styles.find((one) => one.toLowerCase() === wanted) ?? null;
}

interface Place {
  readonly suffix: string;
  readonly members: Members;
}

async function placeOf({ images, mask, options }: ImageRequest): Promise<Place | Failure> {
  const [image] = images;
  if (image === undefined) return { suffix: '/images/generations', members: {} };
  const image_url = await imageUrl(image);
  if (mask === null) {
    const strength = Object.hasOwn(options, 'strength') ? null : STRENGTH;
    return { suffix: '/images/imageToImage', members: { image_url, strength } };
  }
  const bytes = await maskBytes(mask, 'white');
  if (bytes instanceof Failure) return bytes;
  return { suffix: '/images/inpaint', members: { image_url, mask_url: `data:image/png;base64,${bytes.toBase64()}` } };
}

/** Returns a size, or a ratio with a colon. An edit is as large as its image. */
function sizeOf(request: ImageRequest, { isVector, sizes }: RecraftModel): Chosen {
  const hasSize = request.size !== null && request.size !== 'auto';
  if (request.images.length === 0) {
    return hasSize && !isVector ? nearestSize(request, sizes) : nearestRatio(request, RATIOS);
  }
  const why = 'an edit has the same size as its image';
  const losses: Loss[] = [];
  if (hasSize) losses.push({ field: 'size', verdict: 'dropped', why });
  if (request.aspectRatio !== null) losses.push({ field: 'aspect_ratio', verdict: 'dropped', why });
  return { value: null, losses };
}
