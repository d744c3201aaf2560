import type { Failure } from '../../domain/failure/failure.ts';

/** What can go wrong after an upstream may have got the whole request. */
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
  // A gateway before the provider has given up; what is behind it may have taken the job.
  'http_408',
  'http_499',
  'http_502',
  'http_504',
  'http_520',
  'http_522',
  'http_524',
]);

/**
 * Whether a failed submission may have reached the upstream all the same, so that another one could make, and cost, everything
 * twice. An upstream that answers with an error of its own has refused the job; a connection that was never made carried nothing.
 */
export function isUnknownOutcome({ kind }: Pick<Failure, 'kind'>): boolean {
  return UNKNOWN_KINDS.has(kind);
}
