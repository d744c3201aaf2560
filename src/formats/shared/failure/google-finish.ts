import type { FinishReason } from '../../../domain/exchange/response.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { entryOf } from '../json/record.ts';
import { cleanMessage } from './clean-message.ts';

/*
 * Meaning of Google's finish reasons (published document v1beta, "Candidate.FinishReason", and Vertex AI's): an answer, complete
 * or not, or a failed generation without an answer.
 */

/** The values of FinishReason in numeric order (google/ai/generativelanguage/v1beta/generative_service.proto). */
export const NUMBERED_REASONS = [
  'FINISH_REASON_UNSPECIFIED',
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'OTHER',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MALFORMED_FUNCTION_CALL',
  'IMAGE_SAFETY',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_OTHER',
  'NO_IMAGE',
  'IMAGE_RECITATION',
];

const ANSWERED: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  // "The response candidate content was flagged for using an unsupported language."
  LANGUAGE: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  // Vertex AI: Model Armor stopped the answer.
  MODEL_ARMOR: 'content-filter',
};

/** Why a generation failed, in the words of the client's error message. */
const FAILED: Readonly<Record<string, string>> = {
  OTHER: 'The model stopped for an unknown reason.',
  MALFORMED_FUNCTION_CALL: 'The model wrote an invalid function call.',
  UNEXPECTED_TOOL_CALL: 'The model called a tool that the request does not allow.',
  TOO_MANY_TOOL_CALLS: 'The model called too many tools in a row.',
  MISSING_THOUGHT_SIGNATURE: 'The conversation lacks a thought signature that the model requires.',
  MALFORMED_RESPONSE: 'The model wrote an invalid response.',
  IMAGE_OTHER: 'The model stopped generating the image for an unknown reason.',
  NO_IMAGE: 'The model returned no image.',
};

/** Returns whether a published document lists the reason, so that another provider's reason is never sent as one of Google's. */
export function isGoogleReason(raw: string): boolean {
  return NUMBERED_REASONS.includes(raw) || Object.hasOwn(ANSWERED, raw) || Object.hasOwn(FAILED, raw);
}

/** Returns the canonical reason; `failed` if there is no answer; `undefined` for a reason that no document lists. */
export function meaningOfReason(raw: string): FinishReason | 'failed' | undefined {
  return entryOf(ANSWERED, raw) ?? (Object.hasOwn(FAILED, raw) ? 'failed' : undefined);
}

/** Returns the failure for a failed generation. `finishMessage` may quote the model's output, which belongs to the client. */
export function failedGeneration(raw: string, finishMessage: unknown): Failure {
  const said = typeof finishMessage === 'string' ? cleanMessage(finishMessage) : '';
  const message = said === '' ? (entryOf(FAILED, raw) ?? 'The model stopped without a response.') : said;
  return new Failure('upstream_error', {
    kind: 'failed_generation',
    message: `The upstream returned no response (${raw.slice(0, 60)}): ${message}`,
  });
}
