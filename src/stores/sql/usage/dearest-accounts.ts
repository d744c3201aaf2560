import type { NamedUsageQuery, UsageQuery, UsageSpan, UsageSum } from '../../../engine/ports/usage-store.ts';
import type { SqlDialect, SqlProgram } from '../program.ts';
import { ACCOUNT, accountRows, type SumRow, sumStatement, sumsOf } from './sum-statements.ts';

/*
 * Finds the most expensive accounts without summing each of them. `usage_account_days` has the cost of each account per day (UTC), indexed
 * by descending cost within a day. The first accounts of each day in the span are candidates. An account that is in no day's first ones
 * cost at most the total of the last candidate of each day. So once the last requested account cost at least that total, no other account
 * can precede it; otherwise more candidates are read. This is the threshold algorithm (Fagin, Lotem and Naor, 2003).
 */

const DAY_MS = 86_400_000;
/** The number of accounts read per day at first, for each requested account, and the growth factor of each further round. */
const FIRST_OF_EACH = 4;
const GROWTH = 8;
/** The number of days per statement. SQLite allows at most 500 terms in a compound statement. */
const DAYS_AT_ONCE = 100;

/** The rank of an account: its cost, then its requests. */
interface Rank {
  readonly cost: bigint;
  readonly requests: bigint;
}

interface DayRow {
  readonly day: bigint | number | string;
  readonly account_id: string;
  readonly cost: bigint | number | string;
  readonly requests: bigint | number | string;
}

interface BoundRow {
  readonly account_id: string;
  readonly most: bigint | number | string;
  readonly most_requests: bigint | number | string;
  readonly least: bigint | number | string;
  readonly least_requests: bigint | number | string;
}

interface Candidates {
  readonly ids: readonly string[];
  /** The upper bound of all accounts that are not candidates; `null` if there are none. */
  readonly unseen: Rank | null;
}

const NOTHING: Rank = { cost: 0n, requests: 0n };

/** Runs a query of `UsageStore` within one snapshot. */
export function* usageSums(query: UsageQuery, dialect: SqlDialect): SqlProgram<readonly UsageSum[]> {
  const { accountIds } = query;
  if (accountIds === 'every') return yield* dearestAccounts(query, dialect);
  return yield* namedSums({ ...query, accountIds }, dialect);
}

function* namedSums(query: NamedUsageQuery, dialect: SqlDialect): SqlProgram<readonly UsageSum[]> {
  const rows = yield sumStatement(query, dialect);
  return sumsOf(rows as unknown as readonly SumRow[], query); // The columns in the statement.
}

/** Returns the most expensive accounts of the query's single span, one more than its limit. */
function* dearestAccounts(query: UsageQuery, dialect: SqlDialect): SqlProgram<readonly UsageSum[]> {
  const [span] = query.spans;
  if (span === undefined) return [];
  const wanted = query.limit + 1;
  for (let most = wanted * FIRST_OF_EACH; ; most *= GROWTH) {
    const { ids, unseen } = yield* candidatesOf(span, most, dialect);
    const likely = isFiltered(query) ? ids : yield* likelyOf(ids, span, wanted, dialect);
    const exact: NamedUsageQuery = { ...query, accountIds: likely, limit: likely.length };
    const sums = yield* namedSums(exact, dialect);
    const last = sums[wanted - 1];
    if (unseen === null || (last !== undefined && compareRanks(rankOf(last), unseen) <= 0))
      return sums.slice(0, wanted);
  }
}

/** Returns the first accounts of each day and of the rows that are not rolled up yet. */
function* candidatesOf(span: UsageSpan, most: number, dialect: SqlDialect): SqlProgram<Candidates> {
  const ids = new Set<string>();
  let unseen: Rank | null = null;
  for (const statement of [...dayStatements(span, most, dialect), newStatement(span, most, dialect)]) {
    const rows = (yield statement) as unknown as readonly DayRow[];
    for (const ofDay of Map.groupBy(rows, ({ day }) => String(day)).values()) {
      for (const { account_id } of ofDay) ids.add(account_id);
      const last = ofDay[most - 1];
      if (last !== undefined)
        unseen = plus(unseen ?? NOTHING, { cost: BigInt(last.cost), requests: BigInt(last.requests) });
    }
  }
  return { ids: [...ids], unseen };
}

function* dayStatements({ fromMs, toMs }: UsageSpan, most: number, { mark, integer }: SqlDialect) {
  const first = Math.floor(fromMs / DAY_MS);
  const days = Array.from({ length: Math.ceil(toMs / DAY_MS) - first }, (_, index) => (first + index) * DAY_MS);
  for (let from = 0; from < days.length; from += DAYS_AT_ONCE) {
    const values = days.slice(from, from + DAYS_AT_ONCE);
    const limit = `${mark}${values.length + 1}`;
    const parts = values.map(
      (_, index) => `SELECT * FROM (
        SELECT day_ms AS day, account_id, cost_nano AS cost, requests FROM usage_account_days WHERE day_ms = ${mark}${index + 1}
        ORDER BY day_ms DESC, cost_nano DESC, requests DESC LIMIT ${integer(limit)}
      ) AS day_${index}`,
    );
    yield { sql: parts.join(' UNION ALL '), values: [...values, most] };
  }
}

function newStatement({ fromMs, toMs }: UsageSpan, most: number, { mark, integer }: SqlDialect) {
  const sql = `
    SELECT 'new' AS day, account_id, ${integer('sum(cost_nano)')} AS cost, ${integer('sum(requests)')} AS requests FROM usage_deltas
    WHERE at_ms >= ${mark}1 AND at_ms < ${mark}2 AND tag = '' GROUP BY account_id ORDER BY cost DESC, requests DESC LIMIT ${mark}3
  `;
  return { sql, values: [fromMs, toMs, most] };
}

/**
 * Returns the candidates that can be in the result: their cost in whole days, including days that the span covers only partly, reaches the
 * cost of enough others without those days.
 */
function* likelyOf(
  ids: readonly string[],
  { fromMs, toMs }: UsageSpan,
  wanted: number,
  dialect: SqlDialect,
): SqlProgram<readonly string[]> {
  if (ids.length <= wanted) return ids;
  const { mark, integer } = dialect;
  const sum = (expression: string) => integer(`sum(${expression})`);
  const whole = (column: string) => sum(`CASE WHEN at_ms >= ${mark}2 AND end_ms <= ${mark}3 THEN ${column} ELSE 0 END`);
  const sql = `
    SELECT account_id, ${sum('cost_nano')} AS most, ${sum('requests')} AS most_requests, ${whole('cost_nano')} AS least,
      ${whole('requests')} AS least_requests
    FROM (
      SELECT account_id, day_ms AS at_ms, day_ms + ${DAY_MS} AS end_ms, cost_nano, requests FROM usage_account_days
      WHERE account_id IN (SELECT id FROM ${dialect.rowsOf(`${mark}1`, 'wanted', ACCOUNT)}) AND day_ms > ${integer(`${mark}2`)} - ${DAY_MS} AND day_ms < ${mark}3
      UNION ALL
      SELECT account_id, at_ms, at_ms, cost_nano, requests FROM usage_deltas
      WHERE at_ms >= ${mark}2 AND at_ms < ${mark}3 AND tag = ''
    ) AS parts
    GROUP BY account_id
  `;
  const rows = (yield { sql, values: [accountRows(ids), fromMs, toMs] }) as unknown as readonly BoundRow[];
  const least = rows.map((row) => ({ cost: BigInt(row.least), requests: BigInt(row.least_requests) }));
  const enough = least.toSorted(compareRanks)[wanted - 1] ?? NOTHING;
  return rows
    .filter((row) => compareRanks({ cost: BigInt(row.most), requests: BigInt(row.most_requests) }, enough) <= 0)
    .map(({ account_id }) => account_id);
}

/** Whether the query has filters, so that daily costs cannot rank its result. */
function isFiltered({ keyIds, modelIds, channelIds, statuses }: UsageQuery): boolean {
  return [keyIds, modelIds, channelIds, statuses].some((filter) => filter !== undefined);
}

function rankOf({ costNanoUsd, requests }: UsageSum): Rank {
  return { cost: costNanoUsd, requests: BigInt(requests) };
}

function plus(one: Rank, other: Rank): Rank {
  return { cost: one.cost + other.cost, requests: one.requests + other.requests };
}

/** Compares by descending cost. */
function compareRanks(one: Rank, other: Rank): number {
  if (one.cost !== other.cost) return one.cost > other.cost ? -1 : 1;
  if (one.requests === other.requests) return 0;
  return one.requests > other.requests ? -1 : 1;
}
