import { FINAL_STAGES } from '../../../domain/tasks/task.ts';
import type { RequestRecord } from '../../../engine/ports/request-log.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlRow } from '../program.ts';
import { FIND_WITHIN_MS, timeOfRequestId } from './lines.ts';

/** A page takes SQLite about two milliseconds, during which other writes wait. */
const PAGE_ENTRIES = 500;
const MINUTE_MS = 60_000;
/** The request log keeps lines for at least a day, so that a line missing within this time was not deleted by age. */
const OLDEST_MS = 23 * 3_600_000;

/** Selects the charges to scan: a bounded number, newest first. */
export interface RecoveryTask {
  readonly upToSequence: number;
  /** Milliseconds since 1970, like all times here. */
  readonly chargedAfterMs: number;
  /** A task that ended later may still have a line in flight. */
  readonly tasksEndedBeforeMs: number;
  readonly nowMs: number;
}

export interface RecoveryPage {
  readonly lines: readonly RequestRecord[];
  /** The start of the next page; `null` after the last one. */
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

/** Finds charges without a request log line and creates the line from the charge and the usage sums. */
export function* recoverLines(dialect: SqlDialect, task: RecoveryTask): SqlProgram<RecoveryPage> {
  const entries = yield* ask(
    dialect,
    (sql) => `SELECT sequence, account_id, key_id, kind, amount_nano, request_id, at_ms FROM ledger_entries
      WHERE sequence <= ${sql.put(task.upToSequence)} ORDER BY sequence DESC LIMIT ${PAGE_ENTRIES}`,
  );
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
  // Both databases return money as `bigint`.
  return [{ ...facts, keyId, costNanoUsd: -(row.amount_nano as bigint) }];
}

/** Searches close to the arrival time first, where nearly every line is, then as far away as a look-up by id does. */
function* withoutLines(dialect: SqlDialect, charges: readonly LostCharge[]): SqlProgram<readonly LostCharge[]> {
  let missing = charges;
  for (const withinMs of FIND_WITHIN_MS) {
    const known = new Set<unknown>();
    for (const near of groupsByArrival(missing, 2 * withinMs)) {
      const rows = yield* ask(
        dialect,
        (sql) => `SELECT request_id FROM request_log
          WHERE at_ms >= ${sql.put((near[0]?.arrivedAtMs ?? 0) - withinMs)}
            AND at_ms <= ${sql.put((near.at(-1)?.arrivedAtMs ?? 0) + withinMs)}
            AND request_id ${dialect.inList(sql.put(idsOf(near)), 'text')}`,
      );
      for (const { request_id } of rows) known.add(request_id);
    }
    missing = missing.filter(({ requestId }) => !known.has(requestId));
  }
  return missing;
}

/** A single request that took an hour must not widen the searched range to an hour for the others. */
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

/** A process that claims a task after a crash completes it again and writes its line then. */
function* withoutUnfinishedTasks(
  dialect: SqlDialect,
  charges: readonly LostCharge[],
  endedBeforeMs: number,
): SqlProgram<readonly LostCharge[]> {
  if (charges.length === 0) return charges;
  const final = FINAL_STAGES.map((stage) => `'${stage}'`).join(', ');
  const arrivals = charges.map(({ arrivedAtMs }) => arrivedAtMs);
  const fromMs = arrivals.reduce((least, atMs) => Math.min(least, atMs)) - MINUTE_MS;
  const toMs = arrivals.reduce((most, atMs) => Math.max(most, atMs)) + MINUTE_MS;
  const rows = yield* ask(
    dialect,
    // There is an index by arrival time, but none by request.
    (sql) => `SELECT request_id FROM tasks WHERE request_id ${dialect.inList(sql.put(idsOf(charges)), 'text')}
      AND created_at_ms >= ${sql.put(fromMs)} AND created_at_ms <= ${sql.put(toMs)}
      AND (stage NOT IN (${final}) OR ended_at_ms >= ${sql.put(Math.floor(endedBeforeMs))})`,
  );
  const unfinished = new Set(rows.map(({ request_id }) => request_id));
  return charges.filter(({ requestId }) => !unfinished.has(requestId));
}

function idsOf(charges: readonly LostCharge[]): string {
  return JSON.stringify(charges.map(({ requestId }) => requestId));
}

/** The usage that all charges of one key in one minute share; `null` where they differ. */
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

/** The sums do not identify requests. They reveal a request's model only if the key used a single model in that minute. */
function* usageOf(dialect: SqlDialect, charges: readonly LostCharge[]): SqlProgram<Map<string, CommonUsage>> {
  const minutes = charges.map(({ chargedAtMs }) => minuteOf(chargedAtMs));
  const accountIds = JSON.stringify([...new Set(charges.map(({ accountId }) => accountId))]);
  const dimensions = 'account_id, key_id, model_id, channel_id, status';
  const rows = yield* ask(dialect, (sql) => {
    const fromMs = sql.put(minutes.reduce((least, minute) => Math.min(least, minute)));
    const toMs = sql.put(minutes.reduce((most, minute) => Math.max(most, minute)) + MINUTE_MS);
    const where = `tag = '' AND cost_nano <> 0 AND account_id ${dialect.inList(sql.put(accountIds), 'text')}`;
    return `SELECT usage.*, channels.provider FROM (
        SELECT at_ms - at_ms % ${MINUTE_MS} AS minute_ms, ${dimensions} FROM usage_deltas
          WHERE at_ms >= ${fromMs} AND at_ms < ${toMs} AND ${where}
        UNION
        SELECT bucket_ms AS minute_ms, ${dimensions} FROM usage_rollups
          WHERE level = 'minute' AND bucket_ms >= ${fromMs} AND bucket_ms < ${toMs} AND ${where}
      ) AS usage LEFT JOIN channels ON channels.id = usage.channel_id`;
  });
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
    // Only responses are charged, and nearly all have this status.
    status: usage.status ?? 200,
    // The charge is written just before the end of the response.
    latencyMs: Math.max(0, chargedAtMs - arrivedAtMs),
    ...{ format: 'unknown', upstreamModel: null, answerModel: null, stream: false, errorCode: null, failureKind: null },
    ...{ clientGone: false, retryCount: 0, failedAttempts: [], firstByteMs: null, billable: null },
    ...{ upstreamRequestId: null, cacheMatch: null, cacheEntryId: null },
    recovered: true,
  };
}
