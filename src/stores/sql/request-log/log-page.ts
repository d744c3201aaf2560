import { requestIdOfTrace } from '../../../domain/trace/span-ids.ts';
import { OTHER_VALUE, tagKeyOf } from '../../../domain/usage/request-tags.ts';
import type { LogPlace, RequestLogPage, RequestLogQuery } from '../../../engine/ports/request-log.ts';
import type { SqlParameter } from '../../../engine/ports/sign-in-database.ts';
import type { RequestLogRow } from '../../shared/tables/request-log.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlRow, type Values } from '../program.ts';
import { endOfBucket } from '../usage/thinning.ts';
import { identityPage, type WantedId } from './identity-page.ts';
import { LINE_COLUMNS, toLine } from './lines.ts';

/*
 * Reads the request log at any size with the index by time. For other conditions it uses the usage roll-ups: they give the minutes in which
 * requests of an account, key, model, channel or status ended and the longest latency, which bounds the ranges of the log to search. Only ids
 * have other indexes (identity-page.ts).
 * A page that finds too little within its time budget ends early, and the next one continues there.
 */

export interface LogPageTask {
  readonly query: RequestLogQuery;
  /** The last line of the previous page. */
  readonly after: LogPlace | null;
  readonly limit: number;
  /** The time budget after which a page ends even if it is not full, in milliseconds. */
  readonly budgetMs: number;
}

/** Lines from `fromMs` to `toMs` (exclusive). */
interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Bucket extends Stretch {
  readonly bucketMs: number;
}

const SLICE_ROWS = 2_000;
const LEVELS = [
  { level: 'day', ms: 86_400_000 },
  { level: 'hour', ms: 3_600_000 },
  { level: 'minute', ms: 60_000 },
] as const;
/** Selects the usage sums of a level. Quarter-hours take the place of minutes as well (sql/usage/thinning.ts). */
const LEVEL_CONDITIONS = {
  day: `level = 'day'`,
  hour: `level = 'hour'`,
  minute: `(level = 'minute' OR (level = 'hour' AND bucket_ms % 60000 > 0))`,
} as const;
/** Allows for rounded latencies and clock adjustments. */
const SLACK_MS = 1_000;
const END_OF_TIME = 8_640_000_000_000_000;

/** Reads lines from newest to oldest, within one snapshot. Reads the clock, since it changes nothing and must end in time. */
export function logPage(dialect: SqlDialect, task: LogPageTask): SqlProgram<RequestLogPage> {
  return new LogPage(dialect, task).page();
}

class LogPage {
  private readonly endsAt: number;
  private readonly rows: SqlRow[] = [];
  /** All lines up to this position, in list order, have been searched. */
  private place: LogPlace;
  private isLate = false;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly task: LogPageTask,
  ) {
    this.endsAt = performance.now() + task.budgetMs;
    const { toMs = END_OF_TIME } = task.query;
    const { after } = task;
    this.place = after !== null && after.atMs < toMs ? after : { atMs: toMs, id: 0 };
  }

  *page(): SqlProgram<RequestLogPage> {
    const wanted = this.wantedId;
    if (wanted !== null) return yield* this.ofId(wanted);
    const bottomMs = yield* this.oldest();
    const isOver = yield* this.stretches(bottomMs);
    return isOver || this.isLate ? this.cut() : { records: this.rows.map(toLine), next: null };
  }

  private get wantedId(): WantedId | null {
    const { clientRequestId, traceId } = this.task.query;
    if (clientRequestId !== undefined) return { clientRequestId };
    return traceId === undefined ? null : { traceId };
  }

  private ofId(wanted: WantedId): SqlProgram<RequestLogPage> {
    const { query, after, limit } = this.task;
    const { fromMs, toMs, traceId } = query;
    const isOther = 'clientRequestId' in wanted && traceId !== undefined;
    const conditions = (sql: Values) => [
      ...(fromMs === undefined ? [] : [`at_ms >= ${sql.put(fromMs)}`]),
      ...(toMs === undefined ? [] : [`at_ms < ${sql.put(toMs)}`]),
      ...(isOther ? [ofTrace(sql, traceId)] : []),
      ...this.conditions(sql),
    ];
    return identityPage(this.dialect, { wanted, conditions, beforeId: after?.id ?? null, limit, endsAt: this.endsAt });
  }

  /** Searches a range. Returns whether the page is over. */
  private *search({ fromMs, toMs }: Stretch, bottomMs: number): SqlProgram<boolean> {
    // A place at `toMs` itself is kept: lines of its millisecond may be left.
    if (toMs < this.place.atMs) this.place = { atMs: toMs, id: 0 };
    return yield* this.scan(Math.max(fromMs, bottomMs));
  }

  private *oldest(): SqlProgram<number> {
    const { fromMs = 0 } = this.task.query;
    const [row] = yield { sql: 'SELECT min(at_ms) AS at_ms FROM request_log', values: [] };
    return Math.max(fromMs, row?.at_ms == null ? END_OF_TIME : Number(row.at_ms));
  }

  /** Returns whether the page is full or out of time. */
  private *scan(fromMs: number): SqlProgram<boolean> {
    while (this.place.atMs > fromMs || (this.place.atMs === fromMs && this.place.id > 0)) {
      const end = yield* this.endOfSlice(fromMs);
      this.rows.push(...(yield* this.matching(end ?? { atMs: fromMs, id: 0 })));
      this.place = end ?? { atMs: fromMs, id: 0 };
      if (this.rows.length > this.task.limit) return true;
      if (end !== null && performance.now() > this.endsAt) return true;
    }
    return performance.now() > this.endsAt;
  }

  private *endOfSlice(fromMs: number): SqlProgram<LogPlace | null> {
    const { place } = this;
    const [row] = yield* ask(this.dialect, (sql) => {
      const atMs = sql.put(place.atMs);
      return `
        SELECT at_ms, id FROM request_log
        WHERE at_ms >= ${sql.put(fromMs)} AND at_ms <= ${atMs} AND (at_ms < ${atMs} OR id < ${sql.put(place.id)})
        ORDER BY at_ms DESC, id DESC LIMIT 1 OFFSET ${sql.put(SLICE_ROWS - 1)}
      `;
    });
    return row === undefined ? null : { atMs: Number(row.at_ms), id: Number(row.id) };
  }

  /** Returns matching lines between `end` and the current place. */
  private *matching(end: LogPlace): SqlProgram<readonly SqlRow[]> {
    const { place } = this;
    return yield* ask(this.dialect, (sql) => {
      const [fromMs, toMs] = [sql.put(end.atMs), sql.put(place.atMs)];
      const conditions = [
        `at_ms <= ${toMs} AND (at_ms < ${toMs} OR id < ${sql.put(place.id)})`,
        `at_ms >= ${fromMs} AND (at_ms > ${fromMs} OR id >= ${sql.put(end.id)})`,
        ...this.conditions(sql),
      ];
      return `
        SELECT ${LINE_COLUMNS}, id AS line_id FROM request_log WHERE ${conditions.join(' AND ')}
        ORDER BY at_ms DESC, id DESC LIMIT ${sql.put(this.task.limit + 1 - this.rows.length)}
      `;
    });
  }

  private conditions(sql: Values): string[] {
    const { query } = this.task;
    const bind = (value: SqlParameter) => sql.put(value);
    const equal = (column: keyof RequestLogRow, value: SqlParameter | undefined) =>
      value === undefined ? [] : [`${column} = ${bind(value)}`];
    const among = (column: keyof RequestLogRow, values: readonly string[] | undefined) =>
      values === undefined ? [] : [isOneOf(column, values, sql)];
    const most = (column: keyof RequestLogRow, value: SqlParameter | undefined) =>
      value === undefined ? [] : [`${column} <= ${bind(value)}`];
    const least = (column: keyof RequestLogRow, value: SqlParameter | undefined) =>
      value === undefined ? [] : [`${column} >= ${bind(value)}`];
    const { status, failed, stream, clientGone, cached, tag } = query;
    return [
      ...equal('account_id', query.accountId),
      ...equal('key_id', query.keyId),
      ...equal('model_id', query.modelId),
      ...among('channel_id', query.channelIds),
      ...equal('upstream_key', query.upstreamKey),
      ...equal('batch_id', query.batchId),
      ...equal('provider', query.provider),
      ...equal('format', query.format),
      ...among('error_code', query.errorCodes),
      ...equal('failure_kind', query.failureKind),
      ...equal('stream', stream === undefined ? undefined : Number(stream)),
      ...equal('client_gone', clientGone === undefined ? undefined : Number(clientGone)),
      ...least('latency_ms', query.minLatencyMs),
      ...most('latency_ms', query.maxLatencyMs),
      ...least('cost_nano', query.minCostNanoUsd),
      ...most('cost_nano', query.maxCostNanoUsd),
      ...(status === undefined ? [] : [`status >= ${bind(status.from)} AND status <= ${bind(status.to)}`]),
      ...(failed === undefined ? [] : [`error_code IS ${failed ? 'NOT NULL' : 'NULL'}`]),
      ...(cached === undefined ? [] : [`cache_match IS ${cached ? 'NOT NULL' : 'NULL'}`]),
      ...(tag === undefined ? [] : [this.dialect.hasMember('tags', bind(tag))]),
    ];
  }

  private cut(): RequestLogPage {
    const { limit } = this.task;
    const rows = this.rows.slice(0, limit);
    const last = rows.at(-1);
    const isFull = this.rows.length > limit && last !== undefined;
    const next = isFull ? { atMs: Number(last.at_ms), id: Number(last.line_id) } : this.place;
    return { records: rows.map(toLine), next };
  }

  // ---- where to look

  /** Searches ranges that together contain all matching lines, latest end first. Returns whether the page is over. */
  private *stretches(bottomMs: number): SqlProgram<boolean> {
    if (bottomMs === END_OF_TIME) return false;
    if (!this.isNarrowed) return yield* this.search({ fromMs: bottomMs, toMs: this.place.atMs }, bottomMs);
    const fresh = yield* this.notRolledUp();
    if (fresh !== null && (yield* this.search({ fromMs: fresh, toMs: END_OF_TIME }, bottomMs))) return true;
    return yield* this.rolledUp(0, { fromMs: bottomMs, toMs: END_OF_TIME }, bottomMs);
  }

  private get isNarrowed(): boolean {
    const { accountId, modelId, channelIds, errorCodes, failureKind, failed, status, cached, minLatencyMs } =
      this.task.query;
    const facts = [accountId, modelId, channelIds, errorCodes, failureKind, status, minLatencyMs];
    return cached === true || failed === true || facts.some((fact) => fact !== undefined);
  }

  private *notRolledUp(): SqlProgram<number | null> {
    const { accountId } = this.task.query;
    const [row] = yield* ask(this.dialect, (sql) => {
      const ofAccount = accountId === undefined ? [] : [`account_id = ${sql.put(accountId)}`];
      const conditions = [...ofAccount, ...this.narrowing(sql)];
      return `SELECT min(at_ms - latency_ms_max) AS from_ms FROM usage_deltas WHERE ${conditions.join(' AND ')}`;
    });
    return row?.from_ms == null ? null : Number(row.from_ms) - SLACK_MS;
  }

  private *rolledUp(index: number, within: Stretch, bottomMs: number): SqlProgram<boolean> {
    const at = LEVELS[index];
    if (at === undefined) return false;
    for (const { bucketMs, fromMs, toMs } of yield* this.buckets(at, within)) {
      // The current place may have passed the whole bucket.
      if (fromMs >= this.place.atMs) continue;
      const isOver =
        index === LEVELS.length - 1
          ? yield* this.search({ fromMs, toMs }, bottomMs)
          : yield* this.rolledUp(index + 1, { fromMs: bucketMs, toMs }, bottomMs);
      if (isOver) return true;
      // The page has ended within this bucket.
      if (this.isLate) return false;
      // The rest to be searched is before this bucket.
      if (bucketMs < this.place.atMs) this.place = { atMs: bucketMs, id: 0 };
      this.isLate ||= performance.now() > this.endsAt;
      if (this.isLate) return false;
    }
    return false;
  }

  /** Ordered by latest end: a quarter-hour may overlap minutes that were written late. */
  private *buckets({ level, ms }: (typeof LEVELS)[number], within: Stretch): SqlProgram<readonly Bucket[]> {
    const rows = yield* ask(this.dialect, (sql) => {
      const conditions = [
        `account_id = ${sql.put(this.task.query.accountId ?? '')} AND ${LEVEL_CONDITIONS[level]}`,
        `bucket_ms >= ${sql.put(Math.floor(within.fromMs / ms) * ms)} AND bucket_ms < ${sql.put(within.toMs)}`,
        `bucket_ms - latency_ms_max < ${sql.put(this.place.atMs + SLACK_MS)}`,
        ...this.narrowing(sql),
      ];
      // Also finds quarter-hours.
      const bucket = level === 'minute' ? 'bucket_ms' : `bucket_ms - bucket_ms % ${ms}`;
      return `
        SELECT ${bucket} AS bucket_ms, max(latency_ms_max) AS longest FROM usage_rollups
        WHERE ${conditions.join(' AND ')} GROUP BY 1
      `;
    });
    const buckets = rows.map(({ bucket_ms, longest }) => {
      const bucketMs = Number(bucket_ms);
      const toMs = level === 'minute' ? endOfBucket(bucketMs) : bucketMs + ms;
      return { bucketMs, fromMs: bucketMs - Number(longest) - SLACK_MS, toMs };
    });
    return buckets.toSorted((a, b) => b.toMs - a.toMs || b.bucketMs - a.bucketMs);
  }

  private narrowing(sql: Values): string[] {
    const bind = (value: SqlParameter) => sql.put(value);
    const {
      accountId,
      keyId,
      modelId,
      channelIds,
      status,
      errorCodes,
      failureKind,
      failed,
      cached,
      tag,
      minLatencyMs,
    } = this.task.query;
    const onlyFailed = errorCodes !== undefined || failureKind !== undefined || failed === true;
    const tagged = accountId === undefined ? undefined : tag;
    const among = (text: string) => `tag IN (${bind(text)}, ${bind(`${tagKeyOf(text)}=${OTHER_VALUE}`)})`;
    return [
      'requests > 0',
      tagged === undefined ? `tag = ''` : among(tagged),
      ...(accountId === undefined || keyId === undefined ? [] : [`key_id = ${bind(keyId)}`]),
      ...(modelId === undefined ? [] : [`model_id = ${bind(modelId)}`]),
      ...(channelIds === undefined ? [] : [isOneOf('channel_id', channelIds, sql)]),
      ...(status === undefined ? [] : [`status >= ${bind(status.from)} AND status <= ${bind(status.to)}`]),
      ...(onlyFailed ? ['errors > 0'] : []),
      ...(cached === true ? ['cache_hits > 0'] : []),
      ...(minLatencyMs === undefined ? [] : [`latency_ms_max >= ${bind(Math.floor(minLatencyMs))}`]),
    ];
  }
}

/** A line whose trace is named after its request stores no trace id. */
function ofTrace(sql: Values, traceId: string): string {
  const own = requestIdOfTrace(traceId);
  const stored = `trace_id = ${sql.put(traceId)}`;
  return own === null ? stored : `(${stored} OR request_id = ${sql.put(own)})`;
}

function isOneOf(column: string, values: readonly string[], sql: Values): string {
  return `${column} IN (${values.map((value) => sql.put(value)).join(', ')})`;
}
