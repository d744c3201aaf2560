import type { Carriage, Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { type Chosen, nearestRatio, nearestSize } from '../../../domain/images/image-size.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { PNG_JPEG_WEBP } from '../../shared/image-limits.ts';
import { contentRefused, countOf, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import { maskBytes } from '../../shared/media/image-form.ts';
import { imageUrl, jsonRequest, lossesOf, type Members } from '../../shared/media/image-request.ts';
import { ruleModelOf } from '../../wire.ts';
import type { ImageWire } from '../wire.ts';
import { RATIOS, type RecraftModel, recraftModel } from './models.ts';

/** Recraft's API: answers like OpenAI's, and requests with its own styles, controls and vectors. */
export const recraftImages: ImageWire = {
  name: 'recraft-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  harmlessOptions: ['controls', 'strength', 'text_layout', 'substyle'],
  mostImages: () => 6,
  asks(request, target) {
    return { size: sizeOf(request, recraftModel(ruleModelOf(target))).value, quality: null };
  },
  /** Encodes the request with images as `data:` URLs, so that the body is JSON and can hold any objects from `provider_options`. */
  async encodeRequest(request, target) {
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
  },
  /** Decodes OpenAI's shape: `{created, credits, data: [{image_id, url | b64_json, revised_prompt}]}`. */
  decodeAnswer({ bytes }, { fileFormat }, target) {
    const body = answerObject(bytes);
    if (body instanceof Failure) return body;
    const { isVector } = recraftModel(ruleModelOf(target));
    const raster = fileFormat === null ? null : `image/${fileFormat}`;
    const images = imagesOf(body.data, ({ url, b64_json: base64, revised_prompt: revisedPrompt }) => ({
      ...{ url, base64, revisedPrompt, mediaType: isVector ? 'image/svg+xml' : raster },
    }));
    if (images instanceof Failure) return images;
    const madeAs = isVector ? 'svg' : fileFormat;
    return { ...IMAGES_ALONE, images, created: countOf(body.created), fileFormat: madeAs };
  },
  decodeFailure(status, headers, bytes) {
    const failure = decodeUsual(status, headers, bytes);
    const isClients = failure.side === 'client' || status === 403;
    return isClients && FLAGGED.test(failure.message) ? contentRefused(failure.message) : failure;
  },
};

const NO_STYLE: Carriage = { verdict: 'dropped', why: 'the model does not have this style' };
/** How far the result may depart from the input image, for which the API requires a value; a client can set `strength` itself. */
const STRENGTH = 0.5;

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

/** Errors are `{code, message}`, and no code is documented for the filter. */
const FLAGGED = /\bmoderat\w+|\bnsfw\b|\b(?:content|safety|usage) polic(?:y|ies)\b|\bprohibited content\b/i;
