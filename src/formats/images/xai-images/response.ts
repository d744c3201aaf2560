import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageAnswer } from '../../../domain/images/images.ts';
import { isRecord } from '../../shared/json/record.ts';
import { answerObject, contentRefused, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import type { WireAnswer } from '../../wire.ts';

/** Decodes the answer. An image that the filter has removed is marked, and has no URL. */
export function decodeAnswer({ bytes }: WireAnswer): ImageAnswer | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const { data } = body;
  if (Array.isArray(data) && data.length > 0 && data.every(isFiltered)) {
    return contentRefused('The provider’s moderation removed the image.');
  }
  const images = imagesOf(data, (item) =>
    isFiltered(item)
      ? null
      : { base64: item.b64_json, url: item.url, mediaType: item.mime_type, revisedPrompt: item.revised_prompt },
  );
  if (images instanceof Failure) return images;
  return { ...IMAGES_ALONE, images, model: typeof body.model === 'string' ? body.model : null };
}

function isFiltered(item: unknown): boolean {
  return isRecord(item) && item.respect_moderation === false && !item.url && !item.b64_json;
}
