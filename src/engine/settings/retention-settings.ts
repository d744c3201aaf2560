import { DEFAULT_RESPONSE_QUOTA } from '../ports/response-store.ts';

const DAY_MS = 86_400_000;

/** How long data is kept that would otherwise grow without bound (docs/retention.md). */
export interface RetentionSettings {
  /** Entries of the request log. */
  readonly requestLogMs: number;
  /** Usage sums by minute; older ones are by quarter of an hour. */
  readonly minuteSumsMs: number;
  /** Usage sums by hour and less; older ones are by day (UTC), which are kept forever. */
  readonly hourSumsMs: number;
  /** Daily costs of each account, from which the overview ranks the most expensive ones. */
  readonly rankingMs: number;
  /** Entries of the audit log. */
  readonly auditMs: number;
  /** Captured requests and answers. */
  readonly capturesMs: number;
  /** Reports of cached answers. */
  readonly cacheReportsMs: number;
  /** Tasks that have ended, with their files. */
  readonly tasksMs: number;
  /** Stored responses. */
  readonly responsesMs: number;
  /** Events of alerts and their deliveries. */
  readonly alertsMs: number;
  /** Holds that have ended, and overstated charges that an operator has decided on. */
  readonly holdsMs: number;
}

export const DEFAULT_RETENTION: RetentionSettings = {
  requestLogMs: 30 * DAY_MS,
  minuteSumsMs: 3 * DAY_MS,
  hourSumsMs: 400 * DAY_MS,
  rankingMs: 400 * DAY_MS,
  auditMs: 3_650 * DAY_MS,
  capturesMs: 7 * DAY_MS,
  cacheReportsMs: 90 * DAY_MS,
  tasksMs: 7 * DAY_MS,
  responsesMs: DEFAULT_RESPONSE_QUOTA.keepMs,
  alertsMs: 30 * DAY_MS,
  holdsMs: 400 * DAY_MS,
};
