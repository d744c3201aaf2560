import type { ClientFormat } from '../../formats/format.ts';
import type { Admission } from '../ports/admission.ts';

/** Adds the headers of limits: the contract's, and those that the format's own API has. */
export function addLimitHeaders(
  headers: Record<string, string>,
  format: Pick<ClientFormat, 'limitHeaders'>,
  { headers: own, limits }: Admission,
  nowMs: number,
): void {
  if (own !== null) Object.assign(headers, own);
  if (limits !== null) format.limitHeaders?.(limits, headers, nowMs);
}
