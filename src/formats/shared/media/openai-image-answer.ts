import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageAnswer, ImageTokens } from '../../../domain/images/images.ts';
import type { WireAnswer } from '../../wire.ts';
import { answerObject } from '../failure/error-in-answer.ts';
import { isRecord, objectOf } from '../json/record.ts';
import { countOf, imagesOf } from './image-answer.ts';

/** Decodes `ImagesResponse` of the published document; servers leave out members that they do not know. */
export function decodeAnswer({ bytes }: WireAnswer): ImageAnswer | Failure {
  const body = answerObject(bytes);
  return body instanceof Failure ? body : answerOf(body);
}

function answerOf(body: Readonly<Record<string, unknown>>): ImageAnswer | Failure {
  const facts = factsOf(body);
  const mediaType = facts.fileFormat === null ? null : mediaTypeOf(facts.fileFormat);
  const images = imagesOf(body.data, (item) => ({
    base64: item.b64_json,
    url: item.url,
    mediaType: item.mime_type ?? item.media_type ?? mediaType,
    revisedPrompt: item.revised_prompt,
  }));
  return images instanceof Failure ? images : { images, ...facts };
}

/** Members whose values are checked, and members meant only for the upstream's own clients. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  ...['created', 'created_at', 'data', 'background', 'output_format', 'quality', 'size'],
  ...['usage', 'model', 'error', '_routing'],
]);

/** Decodes the same for OpenAI's clients, who also get the members that the gateway does not know, and the whole usage. */
export function decodeClientsAnswer({ bytes }: WireAnswer): ImageAnswer | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const answer = answerOf(body);
  if (answer instanceof Failure) return answer;
  const others = Object.entries(body).filter(([name]) => !NOT_PASSED_ON.has(name));
  const usage = answer.tokens === null ? {} : { usage: body.usage };
  return { ...answer, details: { ...Object.fromEntries(others), ...usage } };
}

function mediaTypeOf(fileFormat: string): string {
  return fileFormat === 'svg' ? 'image/svg+xml' : `image/${fileFormat}`;
}

const WORD = /^[\w.-]{1,32}$/;

/** Returns the properties of the images in an answer, or of a finished image in a stream. */
export function factsOf(body: Readonly<Record<string, unknown>>): Omit<ImageAnswer, 'images'> {
  return {
    created: countOf(body.created) ?? countOf(body.created_at),
    tokens: imageTokensOf(body.usage),
    model: typeof body.model === 'string' ? body.model : null,
    size: wordOf(body.size),
    quality: wordOf(body.quality),
    background: wordOf(body.background),
    fileFormat: wordOf(body.output_format),
  };
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' && WORD.test(value) ? value : null;
}

/** Returns `null` if there is no count. Input tokens without a type count as text; output tokens all count as images. */
export function imageTokensOf(usage: unknown): ImageTokens | null {
  if (!isRecord(usage)) return null;
  const input = partsOf(usage.input_tokens, usage.input_tokens_details, 'text_tokens');
  const output = partsOf(usage.output_tokens, usage.output_tokens_details, 'image_tokens');
  if (input === null || output === null || input.text + input.image + output.text + output.image === 0) return null;
  return { textInput: input.text, imageInput: input.image, textOutput: output.text, imageOutput: output.image };
}

type Part = 'text_tokens' | 'image_tokens';

/** Splits a total into its parts, which add up to it; `rest` gets whatever no part claims. */
function partsOf(total: unknown, details: unknown, rest: Part): { text: number; image: number } | null {
  const all = countOf(total);
  const parts = objectOf(details);
  const text = countOf(parts.text_tokens);
  const image = countOf(parts.image_tokens);
  if (all === null) return text === null && image === null ? null : { text: text ?? 0, image: image ?? 0 };
  if (rest === 'text_tokens') {
    const known = Math.min(image ?? 0, all);
    return { text: all - known, image: known };
  }
  const known = Math.min(text ?? 0, all);
  return { text: known, image: all - known };
}
