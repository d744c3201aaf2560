import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { ImageAnswer, ImageRequest } from '../../../domain/images/images.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { answerObject, contentRefused, countOf, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import type { WireAnswer, WireTarget } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';
import { recraftModel } from './models.ts';

/** Decodes OpenAI's shape: `{created, credits, data: [{image_id, url | b64_json, revised_prompt}]}`. */
export function decodeAnswer(
  { bytes }: WireAnswer,
  { fileFormat }: ImageRequest,
  target: WireTarget,
): ImageAnswer | Failure {
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
}

/** Errors are `{code, message}`, and no code is documented for the filter. */
const FLAGGED = /\bmoderat\w+|\bnsfw\b|\b(?:content|safety|usage) polic(?:y|ies)\b|\bprohibited content\b/i;

export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const failure = decodeUsual(status, headers, bytes);
  const isClients = failure.side === 'client' || status === 403;
  return isClients && FLAGGED.test(failure.message) ? contentRefused(failure.message) : failure;
}
