import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageAnswer } from '../../../domain/images/images.ts';
import { bodyNoAnswer } from '../../shared/failure/answer-failure.ts';
import { isRecord } from '../../shared/json/record.ts';
import { answerObject, contentRefused, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import type { WireAnswer } from '../../wire.ts';

/** Decodes predictions, each of which is an image or the reason why it was filtered out. */
export function decodeAnswer({ bytes }: WireAnswer): ImageAnswer | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const { predictions } = body;
  if (predictions !== undefined && !Array.isArray(predictions)) return bodyNoAnswer();
  const all: readonly unknown[] = predictions ?? [];
  // An answer without any prediction also means that all images were filtered out.
  if (all.every((one) => isRecord(one) && !('bytesBase64Encoded' in one) && 'raiFilteredReason' in one)) {
    return contentRefused(all.flatMap(reasonOf).join(' '));
  }
  const images = imagesOf(predictions, (one) =>
    'raiFilteredReason' in one && !('bytesBase64Encoded' in one)
      ? null
      : { base64: one.bytesBase64Encoded, mediaType: one.mimeType, revisedPrompt: one.prompt },
  );
  return images instanceof Failure ? images : { ...IMAGES_ALONE, images };
}

function reasonOf(prediction: unknown): readonly string[] {
  const reason = isRecord(prediction) ? prediction.raiFilteredReason : null;
  return typeof reason === 'string' ? [reason] : [];
}
