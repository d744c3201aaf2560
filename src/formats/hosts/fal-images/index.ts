import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { nearestRatio, pixelsOf, sizeText } from '../../../domain/images/image-size.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import type { ImageWire } from '../../images/wire.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import { contentRefused, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import { imageUrl, jsonRequest, lossesOf, type Members } from '../../shared/media/image-request.ts';
import { ruleModelOf } from '../../wire.ts';
import { falFailure } from '../shared/fal-failure.ts';
import { cancelInFalQueue, falPath, nextInFalQueue } from '../shared/fal-queue.ts';
import { type FalModel, falModel } from './models.ts';

/** The path of a job's state; that of its result has no `/status`. */
const WAITING = /^(\/\S{1,300}\/requests\/[\w-]{1,100})\/status$/;

/** Image models of many vendors at fal. Each is an endpoint with its own request body. */
export const falImages: ImageWire = {
  name: 'fal-images',
  operations: ['images.generations', 'images.edits'],
  takesUrls: true,
  // The number of steps is left out, because fal bills some models by compute time.
  harmlessOptions: ['guidance_scale', 'strength'],
  mostImages: (upstreamModel) => falModel(upstreamModel).mostImages,
  next: nextInFalQueue,
  cancel: cancelInFalQueue(({ url = '' }) => WAITING.exec(url)?.[1] ?? null),
  asks(request, target) {
    const { members } = sizeMembers(request, falModel(ruleModelOf(target)));
    return { size: sizeText(isRecord(members.image_size) ? members.image_size : members), quality: null };
  },
  async encodeRequest(request, target) {
    const model = falModel(ruleModelOf(target));
    const { edit, fileFormats, hasSeed, hasNegativePrompt } = model;
    const lost = lossesOf(request, {
      mostInputs: edit?.most ?? 0,
      fileFormats,
      carries: { ...(hasSeed && { seed: 'exact' }), ...(hasNegativePrompt && { negativePrompt: 'exact' }) },
    });
    if (lost instanceof Failure) return lost;
    const sized = sizeMembers(request, model);
    const members: Members = {
      prompt: request.prompt,
      ...sized.members,
      ...(await imageMembers(request, model)),
      num_images: model.mostImages > 1 ? request.count : null,
      negative_prompt: hasNegativePrompt ? request.negativePrompt : null,
      seed: hasSeed ? request.seed : null,
      output_format: request.fileFormat,
    };
    const id = (request.kind === 'edit' ? edit?.id : model.generation) ?? target.upstreamModel;
    return jsonRequest(members, request, [...lost, ...sized.losses], { suffix: falPath(id) });
  },
  /** Decodes `images`, or `image` from some models with one image. An image that fal's checker has blacked out is left out. */
  decodeAnswer({ bytes }) {
    const body = answerObject(bytes);
    if (body instanceof Failure) return body;
    const { images: several, image, has_nsfw_concepts: flags } = body;
    const list: unknown = several ?? (image === undefined ? undefined : [image]);
    const isFlagged = (place: number) => Array.isArray(flags) && flags[place] === true;
    const shown = Array.isArray(list) ? list.filter((_, place) => !isFlagged(place)) : list;
    if (Array.isArray(list) && list.length > 0 && Array.isArray(shown) && shown.length === 0) {
      return contentRefused('The provider’s safety checker blacked out every image.');
    }
    const images = imagesOf(shown, ({ url, content_type: mediaType }) => ({ url, mediaType }));
    if (images instanceof Failure) return images;
    return { ...IMAGES_ALONE, images, size: sizeOf(shown) };
  },
  decodeFailure(status, headers, bytes) {
    return falFailure(status, headers, bytes, 'image', ownField);
  },
};

const MEGAPIXEL = 1_048_576;

function sizeMembers(request: ImageRequest, { sizes }: FalModel): { members: Members; losses: readonly Loss[] } {
  const { size, aspectRatio } = request;
  if (sizes === 'image_size') {
    if (size !== null && size !== 'auto') {
      const why = 'the request also has `size`, which is more specific';
      const losses: Loss[] = aspectRatio === null ? [] : [{ field: 'aspect_ratio', verdict: 'dropped', why }];
      return { members: { image_size: { width: size.width, height: size.height } }, losses };
    }
    if (aspectRatio === null) return { members: {}, losses: [] };
    return { members: { image_size: pixelsOf(aspectRatio, MEGAPIXEL, 16) }, losses: [] };
  }
  const { value, losses } = nearestRatio(request, sizes ?? []);
  return { members: { aspect_ratio: value }, losses };
}

async function imageMembers({ images }: ImageRequest, { edit }: FalModel): Promise<Members> {
  if (edit === null || images.length === 0) return {};
  const urls = await Promise.all(images.map(imageUrl));
  return edit.member === 'image_url' ? { image_url: urls[0] } : { image_urls: urls };
}

/** Returns the pixels if every image has the same. */
function sizeOf(list: unknown): string | null {
  const sizes = new Set<string | null>();
  for (const item of Array.isArray(list) ? list : []) {
    const { width, height } = objectOf(item);
    const isSize = [width, height].every(
      (side) => Number.isInteger(side) && Number(side) > 0 && Number(side) < 100_000,
    );
    sizes.add(isSize ? `${width}x${height}` : null);
  }
  const [size = null, ...more] = sizes;
  return more.length === 0 ? size : null;
}

/** Returns the client's name for one of fal's members. */
function ownField(name: string): string | null {
  if (name === 'image_size') return 'size';
  if (name === 'num_images') return 'n';
  return /^image_urls?$/.test(name) ? 'image' : null;
}
