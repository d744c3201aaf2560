import { ApiError, ownError } from '../../../api/client.ts';
import { Refusal } from './refusal.ts';

/** An error in the form in which it is shown and stored with the conversation. */
export interface Failure {
  readonly message: string;
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly hint: string | null;
  readonly models: readonly string[];
  /** When a retry may work, in milliseconds since 1970. */
  readonly retryAt: number | null;
}

export function failureOf(error: unknown, requestId: string | null = null): Failure {
  const known = error instanceof ApiError ? error : error instanceof TypeError ? ownError('incomplete') : null;
  const refusal = error instanceof Refusal ? error : null;
  const wait = refusal?.retryAfter ?? null;
  return {
    message: known?.message ?? (error instanceof Error ? error.message : String(error)),
    status: known?.status ?? 0,
    code: known?.code ?? 'unknown',
    requestId: known?.requestId ?? requestId,
    hint: known?.hint ?? null,
    models: refusal?.models ?? [],
    retryAt: wait === null ? null : Date.now() + wait * 1000,
  };
}
