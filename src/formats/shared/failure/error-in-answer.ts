import { Failure } from '../../../domain/failure/failure.ts';
import { parseJsonBytes } from '../json/json-text.ts';
import { saysSomething } from '../json/json-values.ts';
import { entryOf, isRecord } from '../json/record.ts';
import { bodyNoAnswer, bodyNotJson } from './answer-failure.ts';
import { cleanMessage } from './clean-message.ts';
import { isAboutAbility } from './model-ability.ts';
import { decodeFailure, isAboutContext, messageOf } from './upstream-failure.ts';

/*
 * Errors that arrive under a 200, as a whole body or as an event of a stream. They are read as the error response that they would
 * have been with their own status, so that a client's own fault keeps the provider's code and details.
 */

/** The status that goes with a code or a type, for errors that do not state one. */
const STATUSES: Readonly<Record<string, number>> = {
  // OpenAI, and providers with the same codes.
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  insufficient_quota: 429,
  server_error: 500,
  vector_store_timeout: 504,
  model_not_found: 404,
  context_length_exceeded: 400,
  content_filter: 400,
  content_policy_violation: 400,
  moderation_blocked: 400,
  image_generation_user_error: 400,
  ResponsibleAIPolicyViolation: 400,
  string_above_max_length: 400,
  unsupported_value: 400,
  unsupported_parameter: 400,
  bio_policy: 400,
  cyber_policy: 400,
  data_residency_mismatch: 400,
  image_content_policy_violation: 400,
  failed_to_download_image: 400,
  unsupported_image_media_type: 400,
  image_file_not_found: 400,
  image_file_too_large: 400,
  image_parse_error: 400,
  image_too_large: 400,
  image_too_small: 400,
  empty_image_file: 400,
  // Groq: the model's output is not a call of the request's tools, or does not fit its schema.
  tool_use_failed: 400,
  json_validate_failed: 400,
  // vLLM, SGLang; llama.cpp; DeepSeek.
  BadRequestError: 400,
  exceed_context_size_error: 400,
};

/** Returns an answer as a JSON object; a failure if it is not one. An `error` in it is left to the caller. */
export function jsonObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | Failure {
  const body: unknown = parseJsonBytes(bytes);
  if (body === undefined) return bodyNotJson();
  return isRecord(body) ? body : bodyNoAnswer();
}

/** Returns an answer as a JSON object; a failure if it is not one, or if it carries an error. */
export function answerObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | Failure {
  const body = jsonObject(bytes);
  return body instanceof Failure ? body : (failureInAnswer(body.error) ?? body);
}

/** Returns `null` if the value carries no information: servers without optional members write an empty error into every answer. */
export function failureInAnswer(value: unknown): Failure | null {
  if (typeof value === 'string') return value.trim() === '' ? null : failureOf({ message: value });
  return isRecord(value) && saysSomething(value) ? failureOf(value) : null;
}

function failureOf(error: Readonly<Record<string, unknown>>): Failure {
  const said = messageOf(error);
  const message = cleanMessage(said) || 'The upstream sent an error without a message.';
  const status = statusBy(message, statusOf(error) ?? 500);
  if (status >= 500 && status !== 504 && status !== 524) {
    return new Failure('upstream_error', { kind: 'error_in_200', message, retry: 'other-target' });
  }
  const body = JSON.stringify({ error: { ...error, message: said === '' ? message : error.message } });
  return decodeFailure(status, new Headers(), new TextEncoder().encode(body));
}

/** Returns 400 for messages about the request, which self-hosted servers report as server errors; otherwise `status`. */
function statusBy(message: string, status: number): number {
  return status >= 500 && (isAboutContext(message) || isAboutAbility(message)) ? 400 : status;
}

function statusOf(error: Readonly<Record<string, unknown>>): number | null {
  for (const number of [error.status_code, error.code, error.status]) {
    const status = typeof number === 'string' && /^\d{3}$/.test(number) ? Number(number) : number;
    if (typeof status === 'number' && status >= 400 && status < 600) return status;
  }
  for (const word of [error.code, error.type]) {
    if (typeof word !== 'string') continue;
    const status = entryOf(STATUSES, word);
    if (status !== undefined) return status;
    if (/^invalid_(?!api_key)/.test(word)) return 400;
  }
  return null;
}
