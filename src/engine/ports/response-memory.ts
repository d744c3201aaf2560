import { Failure } from '../../domain/failure/failure.ts';

/** The most memory, in bytes, that responses in flight may hold. One account may hold half of it. */
export interface ResponseMemorySettings {
  readonly maxHeldBytes: number;
}

/** A failure of the gateway itself: neither the upstream nor the request caused it. */
export function responseMemoryFull(): Failure {
  return new Failure('rate_limit_exceeded', {
    kind: 'answer_memory_full',
    side: 'gateway',
    retry: 'never',
    retryAfterMs: 5_000,
    message: 'Too many bytes of responses are in memory for requests in flight.',
    hint: 'Read responses as they arrive, and send the request again after retry_after seconds.',
  });
}
