import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageAnswer, ImageTokens } from '../../../domain/images/images.ts';
import { isRecord } from '../../shared/json/record.ts';
import { answerObject, countOf, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import type { WireAnswer } from '../../wire.ts';

/**
 * Decodes `ImageGenerationResponse` of the published document: it always contains the images, and its token counts are like those
 * of chat.
 */
export function decodeAnswer({ bytes }: WireAnswer): ImageAnswer | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const images = imagesOf(body.data, (item) => ({ base64: item.b64_json, url: item.url, mediaType: item.media_type }));
  if (images instanceof Failure) return images;
  return { ...IMAGES_ALONE, images, created: countOf(body.created), tokens: tokensOf(body.usage) };
}

/** Reads the tokens. The parts of the prompt are not distinguished; output tokens of no stated kind are the images'. */
function tokensOf(usage: unknown): ImageTokens | null {
  if (!isRecord(usage)) return null;
  const prompt = countOf(usage.prompt_tokens);
  const completion = countOf(usage.completion_tokens);
  if (prompt === null || completion === null || prompt + completion === 0) return null;
  const { image_tokens: image, reasoning_tokens: reasoning } = isRecord(usage.completion_tokens_details)
    ? usage.completion_tokens_details
    : {};
  const others = countOf(image) === null ? (countOf(reasoning) ?? 0) : completion - (countOf(image) ?? 0);
  const textOutput = Math.min(Math.max(0, others), completion);
  return { textInput: prompt, imageInput: 0, textOutput, imageOutput: completion - textOutput };
}
