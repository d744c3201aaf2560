import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageAnswer, MadeImage } from '../../../domain/images/images.ts';
import { bodyNoAnswer, garbage } from '../failure/answer-failure.ts';
import { cleanMessage } from '../failure/clean-message.ts';
import { isRecord } from '../json/record.ts';

/* Read upstreams' answers to image requests, which are not trusted. */

/** An answer with images and no other facts. */
export const IMAGES_ALONE: Omit<ImageAnswer, 'images'> = {
  created: null,
  tokens: null,
  model: null,
  size: null,
  quality: null,
  background: null,
  fileFormat: null,
};

/** An upstream's facts about one image, unchecked. */
export interface ToldImage {
  readonly url?: unknown;
  /** Base64 text or a `data:` URI. */
  readonly base64?: unknown;
  readonly mediaType?: unknown;
  readonly revisedPrompt?: unknown;
}

const LONGEST_URL = 16_384;
const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+=-]+)*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MEDIA_TYPE = /^image\/[\w.+-]{1,40}$/;

/** Returns one image; `null` if none exists or it is unusable: its address is not http(s), or its text is not base64. */
export function madeImage(told: ToldImage): MadeImage | null {
  const { url, base64, revisedPrompt } = told;
  const text = [base64, url].find((value) => typeof value === 'string' && value !== '');
  if (typeof text !== 'string') return null;
  const prompt = typeof revisedPrompt === 'string' && revisedPrompt !== '' ? revisedPrompt : null;
  const mediaType = typeof told.mediaType === 'string' && MEDIA_TYPE.test(told.mediaType) ? told.mediaType : null;
  const uri = DATA_URI.exec(text.slice(0, 256));
  if (uri === null && text === url) {
    return isWebAddress(text) ? { url: text, mediaType, revisedPrompt: prompt } : null;
  }
  const own = uri?.[1]?.toLowerCase();
  if (own?.startsWith('text/')) return null;
  const data = standardBase64(uri === null ? text : text.slice(uri[0].length));
  if (data === null) return null;
  const declared = own !== undefined && MEDIA_TYPE.test(own) ? own : null;
  return { base64: data, mediaType: declared ?? mediaType, revisedPrompt: prompt };
}

/** Returns whether the text is an http(s) address of limited length. */
export function isWebAddress(url: string): boolean {
  return url.length <= LONGEST_URL && /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** Normalizes base64 to the standard alphabet, whole groups of four, and no line breaks; `null` if the text is not base64. */
export function standardBase64(text: string): string | null {
  const plain = /[-_\s]/.test(text) ? text.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/') : text;
  const padded = plain.endsWith('=') ? plain : plain.padEnd(Math.ceil(plain.length / 4) * 4, '=');
  return padded.length % 4 === 0 && BASE64.test(padded) ? padded : null;
}

/**
 * Returns the images of a list: at least one, all of them usable. `told` extracts an item's facts; it returns `null` to skip an
 * item that is not an image.
 */
export function imagesOf(
  list: unknown,
  told: (item: Readonly<Record<string, unknown>>) => ToldImage | null,
): readonly MadeImage[] | Failure {
  if (!Array.isArray(list)) return bodyNoAnswer();
  const images: MadeImage[] = [];
  for (const item of list) {
    const found = isRecord(item) ? told(item) : {};
    if (found === null) continue;
    const image = madeImage(found);
    if (image === null) return garbage('The upstream returned an invalid image.');
    images.push(image);
  }
  return images.length === 0 ? noImages() : images;
}

export function noImages(): Failure {
  return garbage('The upstream answered 200 without an image.');
}

/** Returns a number of tokens; `null` if the value is not one. */
export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/**
 * Returns the failure for a prompt or a result that a provider's filter has refused. The client has to change it, so no other
 * channel is tried. `said` are the provider's words.
 */
export function contentRefused(said: string): Failure {
  const message = cleanMessage(said);
  return new Failure('invalid_request', {
    message: message === '' ? 'The provider’s content filter refused the request without giving a reason.' : message,
    param: 'prompt',
    publicCode: 'content_policy_violation',
    kind: 'content_refused',
    hint: 'Change the prompt or the input images.',
  });
}
