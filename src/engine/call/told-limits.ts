import type { Envelope } from '../../formats/wire.ts';
import type { Admission } from '../ports/admission.ts';

/** Adds the rate limit headers: those of the contract, and those of the format's own API. */
export function addLimitHeaders(
  headers: Record<string, string>,
  envelope: Pick<Envelope, 'limitHeaders'>,
  { headers: own, limits }: Admission,
  nowMs: number,
): void {
  if (own !== null) Object.assign(headers, own);
  if (limits !== null) envelope.limitHeaders?.(limits, headers, nowMs);
}
