import type { NamedUsageQuery, UsageQuery, UsageSpan, UsageSum } from '../../../engine/ports/usage-store.ts';
import type { SqlDialect, SqlProgram } from '../program.ts';
import { ACCOUNT, accountRows, type SumRow, sumStatement, sumsOf } from './sum-statements.ts';

/*
 * The dearest of all accounts, without a sum for each of them. `usage_account_days` holds what each account has cost in each day (UTC), and
 * its index has the dearest accounts of a day first. From each day of the span the first accounts are taken as candidates. An account that is
 * among the first of no day has cost no more than the last ones taken have cost together, so once the last account that is wanted has cost
 * as much as that, no other account can be before it. Otherwise more are taken. This is the threshold algorithm (Fagin, Lotem and Naor, 2003).
 */

const DAY_MS = 86_400_000;
/** How many accounts of each day are looked at first, for each that is wanted; and how many times as many the next time. */
const FIRST_OF_EACH = 4;
const GROWTH = 8;
/** How many days one statement reads: SQLite takes at most 500 parts of a compound statement. */
const DAYS_AT_ONCE = 100;

/** What ranks an account: its cost, and among equal costs its requests. */
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
  /** No account beside the candidates is before this; `null` where there is no other account. */
  readonly unseen: Rank | null;
}

const NOTHING: Rank = { cost: 0n, requests: 0n };

/** Reads the sums that a query of a `UsageStore` asks for, within one snapshot. */
export function* usageSums(query: UsageQuery, dialect: SqlDialect): SqlProgram<readonly UsageSum[]> {
  const { accountIds } = query;
  if (accountIds === 'every') return yield* dearestAccounts(query, dialect);
  return yield* namedSums({ ...query, accountIds }, dialect);
}

function* namedSums(query: NamedUsageQuery, dialect: SqlDialect): SqlProgram<readonly UsageSum[]> {
  const rows = yield sumStatement(query, dialect);
  return sumsOf(rows as unknown as readonly SumRow[], query); // As the statement says.
}

/** The accounts that have cost the most in the query's one span, one more than its limit. */
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

/** The first accounts of each day, and of what is not rolled up yet. */
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

/** Those candidates that can be among the wanted ones: with all of each day they have cost as much as enough others without the days' parts. */
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

/** Then what an account has cost in whole days says nothing of how much of it the query means. */
function isFiltered({ keyIds, modelIds, channelIds, statuses }: UsageQuery): boolean {
  return [keyIds, modelIds, channelIds, statuses].some((filter) => filter !== undefined);
}

function rankOf({ costNanoUsd, requests }: UsageSum): Rank {
  return { cost: costNanoUsd, requests: BigInt(requests) };
}

function plus(one: Rank, other: Rank): Rank {
  return { cost: one.cost + other.cost, requests: one.requests + other.requests };
}

/** The dearer one first. */
function compareRanks(one: Rank, other: Rank): number {
  if (one.cost !== other.cost) return one.cost > other.cost ? -1 : 1;
  if (one.requests === other.requests) return 0;
  return one.requests > other.requests ? -1 : 1;
}
