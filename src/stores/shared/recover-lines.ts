import { FINAL_STAGES } from '../../domain/tasks/task-stage.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';
import type { SqlProgram, SqlRow } from '../sql/program.ts';
import { FIND_WITHIN_MS, timeOfRequestId } from './log-pages.ts';

/** Takes SQLite about two milliseconds, for which other writes wait. */
const PAGE_ENTRIES = 500;
const MINUTE_MS = 60_000;
/** The request log keeps lines for a day at least, so a line that is missing has not been deleted because of its age. */
const OLDEST_MS = 23 * 3_600_000;

/** What of SQL the two databases write differently. */
export interface RecoveryDialect {
  readonly mark: '?' | '$';
  /** A subquery that returns each member of a JSON list of texts. */
  texts(parameter: string): string;
}

/** Which charges are looked at; the newest first, up to a bounded number of them. */
export interface RecoveryTask {
  readonly upToSequence: number;
  /** In milliseconds since 1970, as all times here. */
  readonly chargedAfterMs: number;
  /** A task that ended later may have a line that is still on its way. */
  readonly tasksEndedBeforeMs: number;
  readonly nowMs: number;
}

export interface RecoveryPage {
  readonly lines: readonly RequestRecord[];
  /** Where the next page begins; `null` after the last one. */
  readonly nextSequence: number | null;
}

interface LostCharge {
  readonly requestId: string;
  readonly arrivedAtMs: number;
  readonly chargedAtMs: number;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly costNanoUsd: bigint;
}

/** Finds charges that have no line in the request log, and makes a line of what the charge and the sums of usage tell. */
export function* recoverLines(dialect: RecoveryDialect, task: RecoveryTask): SqlProgram<RecoveryPage> {
  const { mark } = dialect;
  const entries = yield {
    sql: `SELECT sequence, account_id, key_id, kind, amount_nano, request_id, at_ms FROM ledger_entries
      WHERE sequence <= ${mark}1 ORDER BY sequence DESC LIMIT ${PAGE_ENTRIES}`,
    values: [task.upToSequence],
  };
  const charges = entries.flatMap((row) => chargeOf(row, task.nowMs - OLDEST_MS));
  const lost = yield* withoutUnfinishedTasks(dialect, yield* withoutLines(dialect, charges), task.tasksEndedBeforeMs);
  const last = entries.at(-1);
  const isLast = entries.length < PAGE_ENTRIES || last === undefined || Number(last.at_ms) < task.chargedAfterMs;
  const nextSequence = isLast ? null : Number(last.sequence) - 1;
  if (lost.length === 0) return { lines: [], nextSequence };
  const usage = yield* usageOf(dialect, lost);
  return { lines: lost.map((charge) => lineOf(charge, usage.get(placeOf(charge)))), nextSequence };
}

function chargeOf(row: SqlRow, oldestMs: number): LostCharge[] {
  const requestId = String(row.request_id);
  const arrivedAtMs = timeOfRequestId(requestId);
  if (row.kind !== 'charge' || arrivedAtMs === null || arrivedAtMs < oldestMs) return [];
  const facts = { requestId, arrivedAtMs, chargedAtMs: Number(row.at_ms), accountId: String(row.account_id) };
  const keyId = row.key_id === null ? null : String(row.key_id);
  // Both databases give money as `bigint`.
  return [{ ...facts, keyId, costNanoUsd: -(row.amount_nano as bigint) }];
}

/** Looks close to the time of arrival first, where nearly every line is found, and then as far away as a look-up by id does. */
function* withoutLines(dialect: RecoveryDialect, charges: readonly LostCharge[]): SqlProgram<readonly LostCharge[]> {
  const { mark } = dialect;
  let missing = charges;
  for (const withinMs of FIND_WITHIN_MS) {
    const known = new Set<unknown>();
    for (const near of groupsByArrival(missing, 2 * withinMs)) {
      const rows = yield {
        sql: `SELECT request_id FROM request_log WHERE at_ms >= ${mark}1 AND at_ms <= ${mark}2
          AND request_id IN (${dialect.texts(`${mark}3`)})`,
        values: [
          (near[0]?.arrivedAtMs ?? 0) - withinMs,
          (near.at(-1)?.arrivedAtMs ?? 0) + withinMs,
          JSON.stringify(near.map(({ requestId }) => requestId)),
        ],
      };
      for (const { request_id } of rows) known.add(request_id);
    }
    missing = missing.filter(({ requestId }) => !known.has(requestId));
  }
  return missing;
}

/** One request that took an hour must not have an hour of lines looked through for those that came with it. */
function groupsByArrival(charges: readonly LostCharge[], gapMs: number): LostCharge[][] {
  const groups: LostCharge[][] = [];
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const charge of charges.toSorted((a, b) => a.arrivedAtMs - b.arrivedAtMs)) {
    if (charge.arrivedAtMs - lastMs > gapMs) groups.push([]);
    groups.at(-1)?.push(charge);
    lastMs = charge.arrivedAtMs;
  }
  return groups;
}

/** Whoever takes up a task after a crash ends it once more and writes its line then. */
function* withoutUnfinishedTasks(
  dialect: RecoveryDialect,
  charges: readonly LostCharge[],
  endedBeforeMs: number,
): SqlProgram<readonly LostCharge[]> {
  if (charges.length === 0) return charges;
  const { mark } = dialect;
  const final = FINAL_STAGES.map((stage) => `'${stage}'`).join(', ');
  const arrivals = charges.map(({ arrivedAtMs }) => arrivedAtMs);
  const rows = yield {
    // There is no index by request, but one by the time of arrival.
    sql: `SELECT request_id FROM tasks WHERE request_id IN (${dialect.texts(`${mark}1`)})
      AND created_at_ms >= ${mark}2 AND created_at_ms <= ${mark}3
      AND (stage NOT IN (${final}) OR ended_at_ms >= ${mark}4)`,
    values: [
      JSON.stringify(charges.map(({ requestId }) => requestId)),
      arrivals.reduce((least, atMs) => Math.min(least, atMs)) - MINUTE_MS,
      arrivals.reduce((most, atMs) => Math.max(most, atMs)) + MINUTE_MS,
      Math.floor(endedBeforeMs),
    ],
  };
  const unfinished = new Set(rows.map(({ request_id }) => request_id));
  return charges.filter(({ requestId }) => !unfinished.has(requestId));
}

/** What all charges of one key in one minute have in common; `null` where they differ. */
interface CommonUsage {
  readonly modelId: string | null;
  readonly channelId: string | null;
  readonly provider: string | null;
  readonly status: number | null;
}

function placeOf({ accountId, keyId, chargedAtMs }: LostCharge): string {
  return `${accountId}\0${keyId ?? ''}\0${minuteOf(chargedAtMs)}`;
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}

/** The sums name no request: they tell its model only where a key has used a single one in that minute. */
function* usageOf(dialect: RecoveryDialect, charges: readonly LostCharge[]): SqlProgram<Map<string, CommonUsage>> {
  const { mark } = dialect;
  const minutes = charges.map(({ chargedAtMs }) => minuteOf(chargedAtMs));
  const dimensions = 'account_id, key_id, model_id, channel_id, status';
  const where = `tag = '' AND cost_nano <> 0 AND account_id IN (${dialect.texts(`${mark}3`)})`;
  const rows = yield {
    sql: `SELECT usage.*, channels.provider FROM (
        SELECT at_ms - at_ms % ${MINUTE_MS} AS minute_ms, ${dimensions} FROM usage_deltas
          WHERE at_ms >= ${mark}1 AND at_ms < ${mark}2 AND ${where}
        UNION
        SELECT bucket_ms AS minute_ms, ${dimensions} FROM usage_rollups
          WHERE level = 'minute' AND bucket_ms >= ${mark}1 AND bucket_ms < ${mark}2 AND ${where}
      ) AS usage LEFT JOIN channels ON channels.id = usage.channel_id`,
    values: [
      minutes.reduce((least, minute) => Math.min(least, minute)),
      minutes.reduce((most, minute) => Math.max(most, minute)) + MINUTE_MS,
      JSON.stringify([...new Set(charges.map(({ accountId }) => accountId))]),
    ],
  };
  const found = new Map<string, CommonUsage>();
  for (const row of rows) {
    const place = `${row.account_id}\0${row.key_id}\0${row.minute_ms}`;
    const usage = usageOfRow(row);
    const known = found.get(place);
    found.set(place, known === undefined ? usage : common(known, usage));
  }
  return found;
}

function usageOfRow({ model_id, channel_id, provider, status }: SqlRow): CommonUsage {
  return {
    modelId: String(model_id) || null,
    channelId: String(channel_id) || null,
    provider: provider === null ? null : String(provider),
    status: Number(status) || null,
  };
}

function common(one: CommonUsage, other: CommonUsage): CommonUsage {
  return {
    modelId: one.modelId === other.modelId ? one.modelId : null,
    channelId: one.channelId === other.channelId ? one.channelId : null,
    provider: one.provider === other.provider ? one.provider : null,
    status: one.status === other.status ? one.status : null,
  };
}

const NOTHING_IN_COMMON: CommonUsage = { modelId: null, channelId: null, provider: null, status: null };

function lineOf(charge: LostCharge, usage: CommonUsage = NOTHING_IN_COMMON): RequestRecord {
  const { requestId, arrivedAtMs, chargedAtMs, accountId, keyId, costNanoUsd } = charge;
  return {
    ...{ requestId, atMs: arrivedAtMs, accountId, keyId, costNanoUsd },
    ...{ modelId: usage.modelId, channelId: usage.channelId, provider: usage.provider },
    // Only answers are charged, nearly all of which have this status.
    status: usage.status ?? 200,
    // The charge is written just before the end of the answer.
    latencyMs: Math.max(0, chargedAtMs - arrivedAtMs),
    ...{ format: 'unknown', upstreamModel: null, answerModel: null, stream: false, errorCode: null, failureKind: null },
    ...{ clientGone: false, retryCount: 0, failedAttempts: [], firstByteMs: null, billable: null },
    ...{ upstreamRequestId: null, cacheMatch: null, cacheEntryId: null },
    recovered: true,
  };
}
