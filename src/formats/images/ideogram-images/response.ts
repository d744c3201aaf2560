import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { ImageAnswer, ImageRequest } from '../../../domain/images/images.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure as decodeUsual, messageOf } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { isRecord } from '../../shared/json/record.ts';
import { contentRefused, IMAGES_ALONE, imagesOf } from '../../shared/media/image-answer.ts';
import type { WireAnswer } from '../../wire.ts';

/** Decodes `{created, data: [{url, prompt, resolution, is_image_safe, seed}]}`; an unsafe image has no URL. */
export function decodeAnswer({ bytes }: WireAnswer, request: ImageRequest): ImageAnswer | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const { data, created } = body;
  const items: readonly unknown[] = Array.isArray(data) ? data : [];
  const safe = items.filter((item) => !isRecord(item) || item.is_image_safe !== false);
  if (items.length > 0 && safe.length === 0) return contentRefused('The provider’s safety check rejected every image.');
  const images = imagesOf(Array.isArray(data) ? safe : data, ({ url, prompt }) => ({
    url,
    revisedPrompt: prompt === request.prompt ? null : prompt,
  }));
  if (images instanceof Failure) return images;
  return { ...IMAGES_ALONE, images, created: secondsOf(created), size: sizeOf(safe) };
}

function secondsOf(created: unknown): number | null {
  const ms = typeof created === 'string' && created.length < 40 ? Date.parse(created) : Number.NaN;
  return Number.isNaN(ms) || ms < 0 ? null : Math.floor(ms / 1_000);
}

function sizeOf(items: readonly unknown[]): string | null {
  const sizes = new Set(items.map((item) => (isRecord(item) ? item.resolution : null)));
  const [size, ...more] = sizes;
  return more.length === 0 && typeof size === 'string' && /^\d{2,5}x\d{2,5}$/.test(size) ? size : null;
}

/** Decodes errors: the safety check answers 422, other mistakes in a request are 400. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  if (status !== 422) return decodeUsual(status, headers, bytes);
  const body: unknown = parseJsonBytes(bytes);
  return contentRefused(isRecord(body) ? messageOf(body.error) : '');
}
