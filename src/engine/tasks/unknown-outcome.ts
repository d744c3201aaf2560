import type { Failure } from '../../domain/failure/failure.ts';

/** Failures that can occur after an upstream may have received the whole request. */
const UNKNOWN_KINDS: ReadonlySet<string> = new Set([
  'reset',
  'transport',
  'garbage',
  'first_byte_timeout',
  'idle_timeout',
  'total_timeout',
  'answer_too_large',
  'answer_memory_full',
  'client_closed_request',
  'shutting_down',
  // A proxy in front of the provider has given up, and the provider may have accepted the job.
  'http_408',
  'http_499',
  'http_502',
  'http_504',
  'http_520',
  'http_522',
  'http_524',
]);

/**
 * Returns whether a failed submission may still have reached the upstream, so that a retry could generate, and cost, everything twice. An
 * upstream that answers with its own error has rejected the job; a connection that was never made carried nothing.
 */
export function isUnknownOutcome({ kind }: Pick<Failure, 'kind'>): boolean {
  return UNKNOWN_KINDS.has(kind);
}
