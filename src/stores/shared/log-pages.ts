import { OTHER_VALUE, tagKeyOf } from '../../domain/usage/request-tags.ts';
import type { LogPlace, RequestLogQuery, WrittenLine } from '../../engine/ports/request-log.ts';
import { endOfBucket } from '../sql/usage/thinning.ts';
import { fromRequestLogRow, type RequestLogRow } from './tables/request-log.ts';

/*
 * Reads the request log at any size with a single index, by time. For other conditions it uses the usage roll-ups: they give the minutes in
 * which requests of an account, key, model, channel or status ended and the longest latency, which bounds the ranges of the log to search.
 * A page that finds too little within its time budget ends early, and the next one continues there.
 */

export type LogValue = string | number | bigint;

export interface LogPageTask {
  readonly query: RequestLogQuery;
  /** The last line of the previous page. */
  readonly after: LogPlace | null;
  readonly limit: number;
  /** The time budget after which a page ends even if it is not full, in milliseconds. */
  readonly budgetMs: number;
}

export interface LogRows {
  readonly rows: readonly RequestLogRow[];
  readonly next: LogPlace | null;
}

export interface LogDialect {
  readonly mark: '?' | '$';
  /** The columns of a line, as required by `fromRequestLogRow`. */
  readonly columns: string;
  /** Returns the condition that the JSON array of strings in `column` contains the parameter. */
  hasText(column: string, parameter: string): string;
}

export type ReadRows = (sql: string, values: readonly LogValue[]) => readonly unknown[] | Promise<readonly unknown[]>;

interface FoundRow extends RequestLogRow {
  readonly at_ms: number;
  readonly line_id: number | bigint;
}

/** Lines from `fromMs` to `toMs` (exclusive). */
interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Bucket extends Stretch {
  readonly bucketMs: number;
}

/** Half of the 50 ms that a listing may take; the rest is for other requests and the response. */
export const LOG_PAGE_BUDGET_MS = 25;
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

/** Reads lines from newest to oldest within one read transaction. */
export async function readLogPage(task: LogPageTask, dialect: LogDialect, read: ReadRows): Promise<LogRows> {
  return new LogPage(task, dialect, read).page();
}

class LogPage {
  private readonly endsAt: number;
  private readonly rows: FoundRow[] = [];
  /** All lines up to this position, in list order, have been searched. */
  private place: LogPlace;
  private isLate = false;

  constructor(
    private readonly task: LogPageTask,
    private readonly dialect: LogDialect,
    private readonly read: ReadRows,
  ) {
    this.endsAt = performance.now() + task.budgetMs;
    const { toMs = END_OF_TIME } = task.query;
    const { after } = task;
    this.place = after !== null && after.atMs < toMs ? after : { atMs: toMs, id: 0 };
  }

  async page(): Promise<LogRows> {
    const bottomMs = await this.oldest();
    for await (const { fromMs, toMs } of this.stretches(bottomMs)) {
      if (toMs <= this.place.atMs) this.place = { atMs: toMs, id: 0 };
      const isOver = await this.scan(Math.max(fromMs, bottomMs));
      if (isOver) return this.cut();
    }
    return this.isLate ? this.cut() : { rows: this.rows.map(withoutPlace), next: null };
  }

  private async oldest(): Promise<number> {
    const { fromMs = 0 } = this.task.query;
    const [row] = (await this.read('SELECT min(at_ms) AS at_ms FROM request_log', [])) as {
      at_ms: number | bigint | null;
    }[];
    return Math.max(fromMs, row?.at_ms == null ? END_OF_TIME : Number(row.at_ms));
  }

  /** Returns whether the page is full or out of time. */
  private async scan(fromMs: number): Promise<boolean> {
    while (this.place.atMs > fromMs || (this.place.atMs === fromMs && this.place.id > 0)) {
      const end = await this.endOfSlice(fromMs);
      this.rows.push(...(await this.matching(end ?? { atMs: fromMs, id: 0 })));
      this.place = end ?? { atMs: fromMs, id: 0 };
      if (this.rows.length > this.task.limit) return true;
      if (end !== null && performance.now() > this.endsAt) return true;
    }
    return performance.now() > this.endsAt;
  }

  private async endOfSlice(fromMs: number): Promise<LogPlace | null> {
    const { atMs, id } = this.place;
    const [a, b, c, d, e] = this.marks(5);
    const sql = `SELECT at_ms, id FROM request_log WHERE at_ms >= ${a} AND at_ms <= ${b} AND (at_ms < ${c} OR id < ${d})
      ORDER BY at_ms DESC, id DESC LIMIT 1 OFFSET ${e}`;
    const [row] = (await this.read(sql, [fromMs, atMs, atMs, id, SLICE_ROWS - 1])) as { at_ms: number; id: bigint }[];
    return row === undefined ? null : { atMs: Number(row.at_ms), id: Number(row.id) };
  }

  /** Returns matching lines between `end` and the current place. */
  private async matching(end: LogPlace): Promise<readonly FoundRow[]> {
    const values: LogValue[] = [];
    const bind = (value: LogValue) => `${this.dialect.mark}${values.push(value)}`;
    const { place } = this;
    const conditions = [
      `at_ms <= ${bind(place.atMs)} AND (at_ms < ${bind(place.atMs)} OR id < ${bind(place.id)})`,
      `at_ms >= ${bind(end.atMs)} AND (at_ms > ${bind(end.atMs)} OR id >= ${bind(end.id)})`,
      ...this.conditions(bind),
    ];
    const wanted = this.task.limit + 1 - this.rows.length;
    const sql = `SELECT ${this.dialect.columns}, id AS line_id FROM request_log WHERE ${conditions.join(' AND ')}
      ORDER BY at_ms DESC, id DESC LIMIT ${bind(wanted)}`;
    return (await this.read(sql, values)) as readonly FoundRow[]; // The columns of a line.
  }

  private conditions(bind: (value: LogValue) => string): string[] {
    const { query } = this.task;
    const equal = (column: keyof RequestLogRow, value: LogValue | undefined) =>
      value === undefined ? [] : [`${column} = ${bind(value)}`];
    const most = (column: keyof RequestLogRow, value: LogValue | undefined) =>
      value === undefined ? [] : [`${column} <= ${bind(value)}`];
    const least = (column: keyof RequestLogRow, value: LogValue | undefined) =>
      value === undefined ? [] : [`${column} >= ${bind(value)}`];
    const { status, stream, clientGone, cached, tag } = query;
    return [
      ...equal('account_id', query.accountId),
      ...equal('key_id', query.keyId),
      ...equal('model_id', query.modelId),
      ...equal('channel_id', query.channelId),
      ...equal('provider', query.provider),
      ...equal('format', query.format),
      ...equal('error_code', query.errorCode),
      ...equal('failure_kind', query.failureKind),
      ...equal('stream', stream === undefined ? undefined : Number(stream)),
      ...equal('client_gone', clientGone === undefined ? undefined : Number(clientGone)),
      ...least('latency_ms', query.minLatencyMs),
      ...most('latency_ms', query.maxLatencyMs),
      ...least('cost_nano', query.minCostNanoUsd),
      ...most('cost_nano', query.maxCostNanoUsd),
      ...(status === undefined ? [] : [`status >= ${bind(status.from)} AND status <= ${bind(status.to)}`]),
      ...(cached === undefined ? [] : [`cache_match IS ${cached ? 'NOT NULL' : 'NULL'}`]),
      ...(tag === undefined ? [] : [this.dialect.hasText('tags', bind(tag))]),
    ];
  }

  private cut(): LogRows {
    const { limit } = this.task;
    const rows = this.rows.slice(0, limit);
    const last = rows.at(-1);
    const isFull = this.rows.length > limit && last !== undefined;
    const next = isFull ? { atMs: Number(last.at_ms), id: Number(last.line_id) } : this.place;
    return { rows: rows.map(withoutPlace), next };
  }

  // ---- where to look

  /** Yields ranges that together contain all matching lines, latest end first. */
  private async *stretches(bottomMs: number): AsyncGenerator<Stretch> {
    if (bottomMs === END_OF_TIME) return;
    if (!this.isNarrowed) {
      yield { fromMs: bottomMs, toMs: this.place.atMs };
      return;
    }
    const fresh = await this.notRolledUp();
    if (fresh !== null) yield { fromMs: fresh, toMs: END_OF_TIME };
    yield* this.rolledUp(0, { fromMs: bottomMs, toMs: END_OF_TIME });
  }

  private get isNarrowed(): boolean {
    const { accountId, modelId, channelId, errorCode, failureKind, status, cached, minLatencyMs } = this.task.query;
    const facts = [accountId, modelId, channelId, errorCode, failureKind, status, minLatencyMs];
    return cached === true || facts.some((fact) => fact !== undefined);
  }

  private async notRolledUp(): Promise<number | null> {
    const values: LogValue[] = [];
    const bind = (value: LogValue) => `${this.dialect.mark}${values.push(value)}`;
    const { accountId } = this.task.query;
    const conditions = [
      ...(accountId === undefined ? [] : [`account_id = ${bind(accountId)}`]),
      ...this.narrowing(bind),
    ];
    const sql = `SELECT min(at_ms - latency_ms_max) AS from_ms FROM usage_deltas WHERE ${conditions.join(' AND ')}`;
    const [row] = (await this.read(sql, values)) as { from_ms: number | bigint | null }[];
    return row?.from_ms == null ? null : Number(row.from_ms) - SLACK_MS;
  }

  private async *rolledUp(index: number, within: Stretch): AsyncGenerator<Stretch> {
    const at = LEVELS[index];
    if (at === undefined) return;
    for (const { bucketMs, fromMs, toMs } of await this.buckets(at, within)) {
      // The current place may have passed the whole bucket.
      if (fromMs >= this.place.atMs) continue;
      if (index === LEVELS.length - 1) yield { fromMs, toMs };
      else yield* this.rolledUp(index + 1, { fromMs: bucketMs, toMs });
      // The rest to be searched is before this bucket.
      if (bucketMs < this.place.atMs) this.place = { atMs: bucketMs, id: 0 };
      this.isLate ||= performance.now() > this.endsAt;
      if (this.isLate) return;
    }
  }

  /** Ordered by latest end: a quarter-hour may overlap minutes that were written late. */
  private async buckets({ level, ms }: (typeof LEVELS)[number], within: Stretch): Promise<readonly Bucket[]> {
    const values: LogValue[] = [];
    const bind = (value: LogValue) => `${this.dialect.mark}${values.push(value)}`;
    const conditions = [
      `account_id = ${bind(this.task.query.accountId ?? '')} AND ${LEVEL_CONDITIONS[level]}`,
      `bucket_ms >= ${bind(Math.floor(within.fromMs / ms) * ms)} AND bucket_ms < ${bind(within.toMs)}`,
      `bucket_ms - latency_ms_max < ${bind(this.place.atMs + SLACK_MS)}`,
      ...this.narrowing(bind),
    ];
    // Also finds quarter-hours.
    const bucket = level === 'minute' ? 'bucket_ms' : `bucket_ms - bucket_ms % ${ms}`;
    const sql = `SELECT ${bucket} AS bucket_ms, max(latency_ms_max) AS longest FROM usage_rollups
      WHERE ${conditions.join(' AND ')} GROUP BY 1`;
    const rows = (await this.read(sql, values)) as { bucket_ms: bigint; longest: bigint }[];
    const buckets = rows.map(({ bucket_ms, longest }) => {
      const bucketMs = Number(bucket_ms);
      const toMs = level === 'minute' ? endOfBucket(bucketMs) : bucketMs + ms;
      return { bucketMs, fromMs: bucketMs - Number(longest) - SLACK_MS, toMs };
    });
    return buckets.toSorted((a, b) => b.toMs - a.toMs || b.bucketMs - a.bucketMs);
  }

  private narrowing(bind: (value: LogValue) => string): string[] {
    const { accountId, keyId, modelId, channelId, status, errorCode, failureKind, cached, tag, minLatencyMs } =
      this.task.query;
    const tagged = accountId === undefined ? undefined : tag;
    const among = (text: string) => `tag IN (${bind(text)}, ${bind(`${tagKeyOf(text)}=${OTHER_VALUE}`)})`;
    return [
      'requests > 0',
      tagged === undefined ? `tag = ''` : among(tagged),
      ...(accountId === undefined || keyId === undefined ? [] : [`key_id = ${bind(keyId)}`]),
      ...(modelId === undefined ? [] : [`model_id = ${bind(modelId)}`]),
      ...(channelId === undefined ? [] : [`channel_id = ${bind(channelId)}`]),
      ...(status === undefined ? [] : [`status >= ${bind(status.from)} AND status <= ${bind(status.to)}`]),
      ...(errorCode === undefined && failureKind === undefined ? [] : ['errors > 0']),
      ...(cached === true ? ['cache_hits > 0'] : []),
      ...(minLatencyMs === undefined ? [] : [`latency_ms_max >= ${bind(Math.floor(minLatencyMs))}`]),
    ];
  }

  private marks(count: number): string[] {
    return Array.from({ length: count }, (_, index) => `${this.dialect.mark}${index + 1}`);
  }
}

function withoutPlace({ line_id: _id, ...row }: FoundRow): RequestLogRow {
  return row;
}

/** Returns the time encoded in a request id (UUID version 7), in milliseconds since 1970; `null` for other ids. */
export function timeOfRequestId(requestId: string): number | null {
  const hex = /^req_([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(requestId);
  return hex === null ? null : Number.parseInt(`${hex[1]}${hex[2]}`, 16);
}

/** How far around that time the line is searched. The first range nearly always suffices; the second covers clock adjustments. */
export const FIND_WITHIN_MS = [250, 60_000] as const;

export function findStatement({ mark, columns }: Pick<LogDialect, 'mark' | 'columns'>): string {
  return `SELECT ${columns} FROM request_log
    WHERE at_ms >= ${mark}1 AND at_ms <= ${mark}2 AND request_id = ${mark}3 ORDER BY at_ms DESC, id DESC LIMIT 1`;
}

export interface WrittenRow extends RequestLogRow {
  readonly line_id: number | string;
}

export function writtenLines(rows: readonly WrittenRow[]): readonly WrittenLine[] {
  return rows.map(({ line_id, ...row }) => ({ id: Number(line_id), record: fromRequestLogRow(row) }));
}

export const LAST_WRITTEN = 'SELECT id FROM request_log ORDER BY id DESC LIMIT ';
