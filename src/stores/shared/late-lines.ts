import type { RequestRecord } from '../../engine/ports/request-log.ts';
import type { UsageDelta } from '../../engine/ports/usage-store.ts';
import { timeOfRequestId } from './log-pages.ts';

/** Lines whose charge is older may have been recovered meanwhile. */
const LATE_AFTER_MS = 30_000;
/** A process that was only paused may still write lines, and others may be late: lines are recovered when all that is over. */
export const RECOVER_AFTER_MS = 60_000;

/** A line waits for as long as its client takes the end of the answer, which comes after the charge. */
export function isLate({ atMs, latencyMs, times }: RequestRecord, nowMs: number): boolean {
  return nowMs - atMs - Math.min(latencyMs, times?.answeredMs ?? latencyMs) > LATE_AFTER_MS;
}

/** Where lines of these requests are found, also those that were recovered. */
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

/** Takes back what a recovered line has added to the sums: one request and its latency. */
export function takenBack(delta: UsageDelta): UsageDelta {
  return { ...delta, requests: -delta.requests, latencyMsSum: -delta.latencyMsSum };
}
