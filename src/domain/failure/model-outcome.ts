import type { ErrorCode } from './error-codes.ts';

/** Whether a request counts as a success or a failure of its model; `null` for neither. */
export type ModelOutcome = 'succeeded' | 'failed' | null;

/** The fields of a request log line that decide the outcome; the engine's `RequestRecord` has them. */
export interface OutcomeFacts {
  readonly status: number;
  readonly errorCode: string | null;
  readonly clientGone: boolean;
  readonly channelId: string | null;
  /** Whether no shared channel was involved, only the account's own key and address. Absent means that one was. */
  readonly isPrivate?: boolean;
  /** Set if the answer came from the cache, which says nothing about the model. Absent means that it did not. */
  readonly cacheMatch?: string | null;
  /**
   * Whether a crash has lost the request's outcome. It counts as neither, because failures at the same moment are lost as well.
   */
  readonly recovered?: boolean;
}

/** The status of an answer that was sent, or began, without an error; a later error nevertheless has a code. */
export const ANSWERED_STATUS = 200;

/**
 * Errors that the upstream or the gateway caused. All others are the client's own mistakes, its limits, its disconnection, or
 * states of the gateway (limits that cannot be counted, charges that cannot be written, shutting down) that are unrelated to a
 * model.
 */
export const MODEL_FAILURES = [
  'upstream_error',
  'timeout_error',
  'all_channels_failed',
  'internal_error',
] as const satisfies readonly ErrorCode[];

/** The upstream's own limit if a channel was asked; otherwise it is the client's limit. */
export const MODEL_FAILURES_OF_A_CHANNEL = ['rate_limit_exceeded'] as const satisfies readonly ErrorCode[];

/**
 * Returns how a request counts in a model's success rate (the contract's `success_rate_24h`). Databases that compute the rate
 * themselves build their condition from the lists above, and are tested against this function.
 */
export function modelOutcome({
  status,
  errorCode,
  clientGone,
  channelId,
  isPrivate = false,
  cacheMatch = null,
  recovered = false,
}: OutcomeFacts): ModelOutcome {
  if (clientGone || isPrivate || cacheMatch !== null || recovered) return null;
  if (errorCode === null) return status === ANSWERED_STATUS ? 'succeeded' : null;
  if (includes(MODEL_FAILURES, errorCode)) return 'failed';
  return channelId !== null && includes(MODEL_FAILURES_OF_A_CHANNEL, errorCode) ? 'failed' : null;
}

function includes(codes: readonly string[], code: string): boolean {
  return codes.includes(code);
}
