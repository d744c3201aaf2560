import { Failure } from '../../../domain/failure/failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { errorMembers, renderFailure } from '../../shared/failure/failure-envelope.ts';
import type { RenderedFailure } from '../../wire.ts';

/* OpenAI's error envelope: the contract's "Envelope (OpenAI-compatible endpoints)". */

export function encodeFailure(failure: Failure): RenderedFailure {
  return renderFailure(failure, JSON.stringify({ error: errorMembers(failure) }));
}

/**
 * Returns the event that ends a failed stream. OpenAI's document has the error's members in the event itself; its service and
 * Open Responses have them under `error`. Both are written, so that every reader finds them; the official SDK raises what is
 * under `error`. The status is there for WebSocket clients, who get no HTTP status.
 */
export function errorEvent(failure: Failure, sequenceNumber: number): string {
  const error = errorMembers(failure);
  const { code, message, param } = error;
  const event = { type: 'error', sequence_number: sequenceNumber, status: failure.status, code, message, param, error };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Returns the `error` of a failed response. The document has a closed list of codes; the gateway uses two of them. */
export function responseError({ code, message }: Failure) {
  return { code: code === 'rate_limit_exceeded' ? code : 'server_error', message };
}

// ---- what an upstream says inside a 200

type Json = Readonly<Record<string, unknown>>;

const SILENT = { message: 'The upstream failed without giving a reason.' };

/** Returns the failure of a response that failed, or of a body that holds only an error; `null` for any other response. */
export function failureInResponse({ error, status }: Json): Failure | null {
  return failureInAnswer(error) ?? (status === 'failed' ? failureInAnswer(SILENT) : null);
}

/** Returns the failure of an `error` event. The error's members are in the event itself or under `error`. */
export function failureInEvent({ type: _, error, ...event }: Json): Failure {
  return (
    failureInAnswer(error) ??
    failureInAnswer(event) ??
    new Failure('upstream_error', { kind: 'error_in_200', ...SILENT })
  );
}
