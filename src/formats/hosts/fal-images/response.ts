import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { ImageAnswer } from '../../../domain/images/images.ts';
import { isRecord } from '../../shared/json/record.ts';
import { answerObject, contentRefused, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import type { WireAnswer } from '../../wire.ts';
import { falFailure } from '../shared/fal-failure.ts';

/** Decodes `images`, or `image` from some models with one image. An image that fal's checker has blacked out is left out. */
export function decodeAnswer({ bytes }: WireAnswer): ImageAnswer | Failure {
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
}

/** Returns the pixels if every image has the same. */
function sizeOf(list: unknown): string | null {
  const sizes = new Set<string | null>();
  for (const item of Array.isArray(list) ? list : []) {
    const { width, height } = isRecord(item) ? item : {};
    const isSize = [width, height].every(
      (side) => Number.isInteger(side) && Number(side) > 0 && Number(side) < 100_000,
    );
    sizes.add(isSize ? `${width}x${height}` : null);
  }
  const [size = null, ...more] = sizes;
  return more.length === 0 ? size : null;
}

export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  return falFailure(status, headers, bytes, 'image', ownField);
}

/** Returns the client's name for one of fal's members. */
function ownField(name: string): string | null {
  if (name === 'image_size') return 'size';
  if (name === 'num_images') return 'n';
  return /^image_urls?$/.test(name) ? 'image' : null;
}
