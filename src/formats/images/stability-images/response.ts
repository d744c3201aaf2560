import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { ImageAnswer, ImageRequest } from '../../../domain/images/images.ts';
import { garbage } from '../../shared/failure/answer-failure.ts';
import { jsonObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure as decodeUsual, messageOf, withParam } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { entryOf, objectOf } from '../../shared/json/record.ts';
import { contentRefused, IMAGES_ALONE, madeImage, noImages } from '../../shared/media/image-answer.ts';
import type { WireAnswer } from '../../wire.ts';

/** Decodes `{image, finish_reason, seed}`; an image that the filter has blurred comes with `CONTENT_FILTERED`. */
export function decodeAnswer({ bytes }: WireAnswer, request: ImageRequest): ImageAnswer | Failure {
  const body = jsonObject(bytes);
  if (body instanceof Failure) return body;
  const { image: base64, finish_reason: finish } = body;
  if (finish === 'CONTENT_FILTERED') return contentRefused('The provider’s content filter blurred the image.');
  if (finish !== 'SUCCESS') return garbage('The upstream reported an unknown final job status.');
  if (typeof base64 !== 'string' || base64 === '') return noImages();
  const fileFormat = request.fileFormat ?? 'png';
  const image = madeImage({ base64, mediaType: `image/${fileFormat}` });
  if (image === null) return garbage('The upstream returned an invalid image.');
  return { ...IMAGES_ALONE, images: [image], fileFormat };
}

/** The client's names for the form's parts. */
const FIELDS: Readonly<Record<string, string>> = {
  prompt: 'prompt',
  image: 'image',
  mask: 'mask',
  seed: 'seed',
  negative_prompt: 'negative_prompt',
  aspect_ratio: 'aspect_ratio',
  output_format: 'output_format',
  style_preset: 'style',
  strength: 'provider_options.strength',
};

/** Decodes `{id, name, errors: ["prompt: must not be empty"]}`; the filter answers 403. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const body: unknown = parseJsonBytes(bytes);
  const { name, errors } = objectOf(body);
  if (name === 'content_moderation') return contentRefused(messageOf(errors));
  const failure = decodeUsual(status, headers, bytes);
  if (failure.side !== 'client') return failure;
  const [, part = ''] = /^([\w-]{1,40}):/.exec(messageOf(errors)) ?? [];
  return withParam(failure, entryOf(FIELDS, part));
}
