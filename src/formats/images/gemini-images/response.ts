import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageAnswer, ImageTokens, MadeImage } from '../../../domain/images/images.ts';
import { garbage } from '../../shared/failure/answer-failure.ts';
import { cleanMessage } from '../../shared/failure/clean-message.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { meaningOfReason } from '../../shared/failure/google-finish.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import { contentRefused, countOf, IMAGES_ALONE, madeImage, noImages } from '../../shared/media/image-answer.ts';
import type { WireAnswer } from '../../wire.ts';

type WireObject = Readonly<Record<string, unknown>>;

/** Decodes `GenerateContentResponse` of the published document. */
export function decodeAnswer({ bytes }: WireAnswer): ImageAnswer | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const candidates = recordsIn(body.candidates);
  const parts = candidates.flatMap(partsOf);
  const images: MadeImage[] = [];
  for (const data of parts.map(imageIn)) {
    if (data === null) continue;
    const image = madeImage({ base64: data.data, mediaType: data.mimeType ?? data.mime_type });
    if (image === null) return garbage('The upstream returned an invalid image.');
    images.push(image);
  }
  if (images.length === 0) return whyNone(body, candidates, parts);
  const model = typeof body.modelVersion === 'string' ? body.modelVersion : null;
  return { ...IMAGES_ALONE, images, tokens: tokensOf(body.usageMetadata), model };
}

function recordsIn(list: unknown): readonly WireObject[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** Returns the parts without thoughts: models that think draw drafts. */
function partsOf({ content }: WireObject): readonly WireObject[] {
  return isRecord(content) ? recordsIn(content.parts).filter(({ thought }) => thought !== true) : [];
}

function imageIn(part: WireObject): WireObject | null {
  const data = part.inlineData ?? part.inline_data;
  return isRecord(data) ? data : null;
}

function whyNone(body: WireObject, candidates: readonly WireObject[], parts: readonly WireObject[]): Failure {
  const feedback = objectOf(body.promptFeedback);
  const { blockReason, blockReasonMessage } = feedback;
  if (typeof blockReason === 'string' && blockReason !== 'BLOCK_REASON_UNSPECIFIED') {
    return contentRefused(wordsOf(blockReasonMessage) ?? `The prompt was blocked: ${blockReason}.`);
  }
  for (const { finishReason, finishMessage } of candidates) {
    if (typeof finishReason !== 'string' || meaningOfReason(finishReason) !== 'content-filter') continue;
    return contentRefused(wordsOf(finishMessage) ?? `The provider’s filter blocked the image: ${finishReason}.`);
  }
  const said = cleanMessage(parts.map(({ text }) => (typeof text === 'string' ? text : '')).join(' '));
  return said === '' ? noImages() : textInsteadOfImages(said);
}

function wordsOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** Returns the failure for a text answer: the model refused the prompt, or asks for details. */
function textInsteadOfImages(said: string): Failure {
  return new Failure('invalid_request', {
    message: `The model returned text instead of an image: ${said}`,
    param: 'prompt',
    kind: 'no_image',
    hint: 'Describe the image in the prompt.',
  });
}

function tokensOf(usage: unknown): ImageTokens | null {
  if (!isRecord(usage)) return null;
  const input = countOf(usage.promptTokenCount) ?? 0;
  const output = countOf(usage.candidatesTokenCount) ?? 0;
  const more = countOf(usage.toolUsePromptTokenCount) ?? 0;
  const thoughts = countOf(usage.thoughtsTokenCount) ?? 0;
  if (input + output + more + thoughts === 0) return null;
  const imageInput = Math.min(imageTokens(usage.promptTokensDetails) ?? 0, input);
  const imageOutput = Math.min(imageTokens(usage.candidatesTokensDetails) ?? output, output);
  return { textInput: input - imageInput + more, imageInput, textOutput: output - imageOutput + thoughts, imageOutput };
}

/** Returns `null` if the answer does not distinguish the kinds of tokens. */
function imageTokens(details: unknown): number | null {
  const known = recordsIn(details);
  if (known.length === 0) return null;
  const images = known.filter(({ modality }) => modality === 'IMAGE');
  return images.reduce((sum, { tokenCount }) => sum + (countOf(tokenCount) ?? 0), 0);
}
