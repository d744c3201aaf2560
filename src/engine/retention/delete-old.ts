import { describeError } from '../../domain/text/describe-error.ts';
import { CAPTURE_BATCH } from '../ports/capture-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { MOST_OBJECTS_OF_ACCOUNT } from '../ports/object-origins.ts';
import type { AgeingTable, ThinningTask } from '../ports/retention-store.ts';
import type { Store } from '../ports/store.ts';
import type { RetentionSettings } from '../settings/settings.ts';

/** Small enough that one batch delays other writes by only a few milliseconds. */
export const RETENTION_BATCH_ROWS = 500;
/** How long a process that dies during the deletion keeps others from continuing it. */
const CLAIM_MS = 60_000;
/** How long a repeated management request is recognized. */
const IDEMPOTENCY_MS = 86_400_000;
/** A chunk of a file has 256 KiB, so a batch of deletions is small. */
const CHUNKS_AT_ONCE = 40;

export type RetainedStore = Pick<
  Store,
  | 'responses'
  | 'objects'
  | 'tasks'
  | 'batches'
  | 'files'
  | 'cacheReports'
  | 'idempotency'
  | 'people'
  | 'alerts'
  | 'captures'
  | 'retention'
>;

export interface DeleteOldOptions {
  readonly store: RetainedStore;
  readonly settings: RetentionSettings;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
  /** The name of this process among those that share the store. */
  readonly holder: string;
  /** Awaited between two batches, so that requests are not delayed. Rejects when the process stops. */
  readonly between: () => Promise<unknown>;
  /** Completes interrupted erasures of people and accounts. */
  readonly resumeErasures: () => Promise<void>;
  /**
   * Resolves to the time before which lines of the request log may be deleted that are older than `beforeMs`: earlier while they are not
   * exported.
   */
  readonly logDeletableBefore: (beforeMs: number) => Promise<number>;
}

/** Thinning reads a row of sums, deletes it and adds it to another one. SQLite takes 6 ms for 100 (measured). */
const THINNED_ROWS = 100;
/** Sums are thinned once a day, since each run reads every account. */
const THIN_EVERY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** One kind of data. */
interface Expiry {
  /** The name in the log of what is deleted. */
  readonly what: string;
  /** Resolves to whether there may be more. */
  readonly deleteBatch: () => Promise<boolean>;
}

/**
 * Deletes everything that is older than the settings allow, in small batches. Only one of the processes that share a store does so at a
 * time; if it is interrupted, the next run deletes the rest. Resolves to whether this process completed the run.
 */
export async function deleteOld(options: DeleteOldOptions): Promise<boolean> {
  const { store, holder } = options;
  try {
    return await deleteAll(options);
  } finally {
    // If this fails, others wait until the claim expires.
    await store.retention.release(holder).catch(() => {});
  }
}

async function deleteAll(options: DeleteOldOptions): Promise<boolean> {
  const { store, clock, logger, holder, between } = options;
  let claimedUntilMs = Number.NEGATIVE_INFINITY;
  const isClaimed = async () => {
    const nowMs = clock.nowMs();
    if (nowMs < claimedUntilMs - CLAIM_MS / 2) return true;
    claimedUntilMs = nowMs + CLAIM_MS;
    return store.retention.claim(holder, nowMs, claimedUntilMs);
  };
  for (const { what, deleteBatch } of expiries(options)) {
    try {
      for (let isMore = true; isMore; ) {
        if (!(await isClaimed())) return false;
        isMore = await deleteBatch();
        await between();
      }
    } catch (error) {
      // A failure of one kind must not prevent the deletion of the others; it is tried again in the next run.
      const fields = { what, ...describeError(error) };
      logger.warn(fields, 'old data could not be deleted; this will be retried in an hour');
      await between();
    }
  }
  return true;
}

function expiries(options: DeleteOldOptions): readonly Expiry[] {
  const { store, settings, clock, resumeErasures, logDeletableBefore } = options;
  const { responses, objects, tasks, batches, files, cacheReports, idempotency, people, alerts, captures, retention } =
    store;
  const limit = RETENTION_BATCH_ROWS;
  const now = () => clock.nowMs();
  const aged = (what: string, table: AgeingTable, keptMs: number): Expiry => ({
    what,
    deleteBatch: async () => (await retention.removeOld(table, now() - keptMs, limit)) === limit,
  });
  return [
    { what: 'names of people and accounts to erase', deleteBatch: async () => resumeErasures().then(() => false) },
    {
      what: 'parts of the request log',
      deleteBatch: async () => {
        await retention.tendLog(now(), await logDeletableBefore(now() - settings.requestLogMs));
        return false;
      },
    },
    {
      what: 'request log lines',
      deleteBatch: async () => {
        const beforeMs = await logDeletableBefore(now() - settings.requestLogMs);
        return (await retention.removeOld('request_log', beforeMs, limit)) === limit;
      },
    },
    sumsOfUsage({ retention, settings, now }),
    {
      what: 'costs of accounts by day',
      deleteBatch: async () => {
        const beforeMs = floor(now() - settings.rankingMs, DAY_MS);
        return (await retention.removeOld('usage_account_days', beforeMs, limit)) === limit;
      },
    },
    aged('entries of the audit log', 'audit_log', settings.auditMs),
    aged('holds', 'holds', settings.holdsMs),
    aged('held charges', 'held_charges', settings.holdsMs),
    // A batch of large responses may end before it reaches the limit.
    { what: 'stored responses', deleteBatch: async () => (await responses.removeExpired(now(), limit)) > 0 },
    {
      what: 'origins of objects',
      deleteBatch: async () => (await objects.removeOld(now(), MOST_OBJECTS_OF_ACCOUNT, limit)) > 0,
    },
    { what: 'tasks', deleteBatch: async () => (await tasks.removeExpired(now(), limit)) === limit },
    { what: 'batches', deleteBatch: async () => (await batches.removeExpired(now(), limit)) > 0 },
    { what: 'files', deleteBatch: async () => (await files.removeExpired(now(), CHUNKS_AT_ONCE)) > 0 },
    {
      what: 'cache reports',
      deleteBatch: async () => (await cacheReports.removeOld(now() - settings.cacheReportsMs, limit)) === limit,
    },
    {
      what: 'idempotent requests',
      deleteBatch: async () => (await idempotency.removeOld(now() - IDEMPOTENCY_MS, limit)) === limit,
    },
    { what: 'sessions and links', deleteBatch: async () => (await people.removeOld(now(), limit)) >= limit },
    { what: 'alerts', deleteBatch: async () => (await alerts.removeOld(now() - settings.alertsMs, limit)) === limit },
    {
      what: 'captures that their accounts keep for a shorter time',
      deleteBatch: async () => (await captures.removeOutlived(now(), CAPTURE_BATCH)) === CAPTURE_BATCH,
    },
    {
      what: 'captures',
      deleteBatch: async () => (await captures.removeOld(now() - settings.capturesMs, CAPTURE_BATCH)) === CAPTURE_BATCH,
    },
  ];
}

/** Returns the thinning of sums. A batch covers accounts with about as many rows as its limit. */
function sumsOfUsage({
  retention,
  settings,
  now,
}: Pick<DeleteOldOptions, 'settings'> & Pick<RetainedStore, 'retention'> & { readonly now: () => number }): Expiry {
  let walk: Omit<ThinningTask, 'limit'> | null = null;
  const begun = async () => {
    const { doneUntilMs: sinceMs } = await retention.thinning();
    const minutesBeforeMs = floor(now() - Math.min(settings.minuteSumsMs, settings.hourSumsMs), HOUR_MS);
    if (minutesBeforeMs - sinceMs < THIN_EVERY_MS) return null;
    const hoursBeforeMs = floor(now() - settings.hourSumsMs, DAY_MS);
    await retention.beginThinning({ minutesBeforeMs, hoursBeforeMs });
    return { fromAccount: '', sinceMs, minutesBeforeMs, hoursBeforeMs };
  };
  return {
    what: 'sums of usage',
    deleteBatch: async () => {
      walk ??= await begun();
      if (walk === null) return false;
      const next = await retention.thinSums({ ...walk, limit: THINNED_ROWS });
      if (next === null) await retention.endThinning(walk.minutesBeforeMs);
      walk = next === null ? null : { ...walk, fromAccount: next };
      return next !== null;
    },
  };
}

function floor(ms: number, sizeMs: number): number {
  return Math.floor(ms / sizeMs) * sizeMs;
}
