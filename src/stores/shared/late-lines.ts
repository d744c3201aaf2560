import type { RequestRecord } from '../../engine/ports/request-log.ts';
import type { UsageDelta } from '../../engine/ports/usage-store.ts';
import { timeOfRequestId } from './log-pages.ts';

/** Lines whose charge is older than this may have been recovered already. */
const LATE_AFTER_MS = 30_000;
/** The delay before recovery, so that paused processes and late lines can still arrive. */
export const RECOVER_AFTER_MS = 60_000;

/** A line is only written when its client has received the end of the response, which comes after the charge. */
export function isLate({ atMs, latencyMs, times }: RequestRecord, nowMs: number): boolean {
  return nowMs - atMs - Math.min(latencyMs, times?.answeredMs ?? latencyMs) > LATE_AFTER_MS;
}

/** Where the lines of these requests are found, including recovered ones. */
export interface LinePlaces {
  readonly times: readonly number[];
  readonly ids: readonly string[];
}

export function placesOf(lines: readonly RequestRecord[]): LinePlaces {
  return {
    times: lines.flatMap(({ atMs, requestId }) => [atMs, timeOfRequestId(requestId) ?? atMs]),
    ids: lines.map(({ requestId }) => requestId),
  };
}

/** Returns the delta that undoes a recovered line in the sums: one request and its latency. */
export function takenBack(delta: UsageDelta): UsageDelta {
  return { ...delta, requests: -delta.requests, latencyMsSum: -delta.latencyMsSum };
}
