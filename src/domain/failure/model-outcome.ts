import type { ErrorCode } from './error-codes.ts';

/** Whether a request counts as a success or a failure of its model; `null` if as neither. */
export type ModelOutcome = 'succeeded' | 'failed' | null;

/** The fields of a request log line that decide this; the engine's `RequestRecord` has them. */
export interface OutcomeFacts {
  readonly status: number;
  readonly errorCode: string | null;
  readonly clientGone: boolean;
  readonly channelId: string | null;
  /** No shared channel was involved, only the account's own key and address. A missing value means that one was. */
  readonly isPrivate?: boolean;
  /** The answer came from the cache, which says nothing of the model. A missing value means that it did not. */
  readonly cacheMatch?: string | null;
  /** A crash has lost how the request ended. It counts as neither, since the failures of the same moment are lost as well. */
  readonly recovered?: boolean;
}

/** The status of an answer that was sent, or began, without an error; a later error has a code nevertheless. */
export const ANSWERED_STATUS = 200;

/**
 * Errors that the upstream or the gateway caused. All others are the client's own mistakes, its limits, its leaving, or states of
 * the gateway (limits that cannot be counted, charges that cannot be written, shutting down) that have nothing to do with a
 * model.
 */
export const MODEL_FAILURES = [
  'upstream_error',
  'timeout_error',
  'all_channels_failed',
  'internal_error',
] as const satisfies readonly ErrorCode[];

/** The upstream's own limit when a channel was asked; without one it is the client's limit. */
export const MODEL_FAILURES_OF_A_CHANNEL = ['rate_limit_exceeded'] as const satisfies readonly ErrorCode[];

/**
 * The one rule of what counts in a model's success rate (the contract's `success_rate_24h`). Databases that count by themselves
 * build their condition from the lists above, and are tested against this function.
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
