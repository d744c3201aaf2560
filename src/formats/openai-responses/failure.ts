import { Failure } from '../../domain/failure/failure.ts';
import type { RenderedFailure } from '../format.ts';
import { cleanMessage } from '../shared/clean-message.ts';
import { errorMembers, renderFailure } from '../shared/failure-envelope.ts';
import { entryOf, isRecord } from '../shared/record.ts';
import { decodeFailure } from '../shared/upstream-failure.ts';

/* OpenAI's error envelope: the contract's "Envelope (OpenAI-compatible endpoints)". */

export function encodeFailure(failure: Failure): RenderedFailure {
  return renderFailure(failure, JSON.stringify({ error: errorMembers(failure) }));
}

/**
 * The event that ends a stream which failed. OpenAI's document has the error's members in the event itself, its service and
 * Open Responses have them under `error`; both readers find them here, and the official SDK raises what is under `error`.
 */
export function errorEvent(failure: Failure, sequenceNumber: number): string {
  const error = errorMembers(failure);
  const { code, message, param } = error;
  const event = { type: 'error', sequence_number: sequenceNumber, code, message, param, error };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The `error` of a response that failed. The document has a closed list of codes, of which two are the gateway's. */
export function responseError({ code, message }: Failure) {
  return { code: code === 'rate_limit_exceeded' ? code : 'server_error', message };
}

// ---- what an upstream says inside a 200

type Json = Readonly<Record<string, unknown>>;

/** The status that an error inside a 200 would have had, so that it is read as any other error answer of the provider. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  server_error: 500,
  vector_store_timeout: 504,
  model_not_found: 404,
  context_length_exceeded: 400,
  invalid_prompt: 400,
  bio_policy: 400,
  data_residency_mismatch: 400,
  image_content_policy_violation: 400,
  failed_to_download_image: 400,
  image_file_not_found: 400,
  empty_image_file: 400,
};

/** A response that failed, or that is no response but an error; `null` for any other. */
export function failureInResponse(response: Json): Failure | null {
  const { error, status } = response;
  if (isRecord(error)) return failureOfError(error);
  if (typeof error === 'string' && error !== '') return failureOfError({ message: error });
  return status === 'failed' ? failureOfError({}) : null;
}

/** The data of an `error` event: its members stand in it, or under `error`. */
export function failureInEvent(event: Json): Failure {
  return failureOfError(isRecord(event.error) ? event.error : event);
}

function failureOfError(error: Json): Failure {
  const code = textOf(error.code) ?? textOf(error.type) ?? '';
  const status = entryOf(STATUS_OF_CODE, code) ?? (code.startsWith('invalid_') || /image/.test(code) ? 400 : 500);
  const message = textOf(error.message);
  if (status === 500) {
    return new Failure('upstream_error', {
      kind: 'error_in_200',
      message: message === null ? 'The upstream failed and did not say why.' : cleanMessage(message),
      retry: 'other-target',
    });
  }
  const body = JSON.stringify({ error: { ...error, message: message ?? code } });
  return decodeFailure(status, new Headers(), new TextEncoder().encode(body));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
