import { Failure } from '../../domain/failure/failure.ts';
import type { ImageAnswer } from '../../domain/images/images.ts';
import { answerObject, contentRefused, IMAGES_ALONE, imagesOf } from '../shared/image-answer.ts';
import { parseJsonBytes } from '../shared/json-text.ts';
import { isRecord } from '../shared/record.ts';
import { decodeFailure as decodeUsual, messageOf } from '../shared/upstream-failure.ts';
import type { WireAnswer } from '../wire.ts';

/** Most models answer `images`, some with one image `image`. An image that fal's checker has blacked out is left out. */
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

/** The pixels, where every image has the same. */
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

const CONTENT_TYPES: ReadonlySet<unknown> = new Set(['content_policy_violation', 'no_media_generated']);
/** Images that the client gave (fal.ai/docs, "Model errors"). */
const INPUT_TYPES: ReadonlySet<unknown> = new Set([
  'image_load_error',
  'file_download_error',
  'file_too_large',
  'unsupported_image_format',
  'face_detection_error',
  'image_too_small',
  'image_too_large',
]);

/** fal names each mistake with a type and the member that it is about: `detail: [{loc: ["body", "prompt"], msg, type}]`. */
export function decodeFailure(status: number, headers: Headers, bytes: Uint8Array): Failure {
  if (status !== 400 && status !== 422) return decodeUsual(status, headers, bytes);
  const body: unknown = parseJsonBytes(bytes);
  const [first]: readonly unknown[] = isRecord(body) && Array.isArray(body.detail) ? body.detail : [];
  const { type } = isRecord(first) ? first : {};
  if (CONTENT_TYPES.has(type)) return contentRefused(messageOf(isRecord(first) ? first.msg : null));
  const failure = decodeUsual(status, headers, bytes);
  const field = INPUT_TYPES.has(type) ? 'image' : ownField(failure.details.param);
  return field === null ? failure : new Failure(failure.code, { ...failure.details, param: field });
}

/** The client's name for a member of fal's. */
function ownField(param: string | undefined): string | null {
  const [name = ''] = (param ?? '').split('.');
  if (name === 'image_size') return 'size';
  if (name === 'num_images') return 'n';
  return /^image_urls?$/.test(name) ? 'image' : null;
}
