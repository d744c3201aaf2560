import type {
  NamedUsageQuery,
  RankingMeasure,
  UsageDelta,
  UsageDimension,
  UsageQuery,
  UsageSum,
} from '../../../engine/ports/usage-store.ts';
import { DIMENSION_COLUMNS, LATENCY_COLUMNS, MEASURE_COLUMNS } from '../../shared/tables/usage.ts';
import { type Columns, type SqlDialect, type Statement, statement } from '../program.ts';
import { type Segment, segmentsOf } from './segments.ts';

type Column = (typeof DIMENSION_COLUMNS)[number];
type Value = string | number | bigint;

export const COLUMN_OF: Readonly<Record<UsageDimension, Column>> = {
  accountId: 'account_id',
  keyId: 'key_id',
  modelId: 'model_id',
  channelId: 'channel_id',
  status: 'status',
  tag: 'tag',
};

const RANKING_COLUMN: Readonly<Record<RankingMeasure, (typeof MEASURE_COLUMNS)[number]>> = {
  requests: 'requests',
  errors: 'errors',
  cacheHits: 'cache_hits',
  inputTokens: 'input_tokens',
  cachedInputTokens: 'cached_input_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  outputTokens: 'output_tokens',
  reasoningTokens: 'reasoning_tokens',
  latencyMsSum: 'latency_ms_sum',
  firstByteMsSum: 'first_byte_ms_sum',
  firstByteCount: 'first_byte_count',
  costNanoUsd: 'cost_nano',
  savedNanoUsd: 'saved_nano',
  unpricedRequests: 'unpriced_requests',
};

const ROLLED = [
  'level',
  'bucket_ms',
  ...DIMENSION_COLUMNS,
  ...MEASURE_COLUMNS,
  ...LATENCY_COLUMNS,
  'latency_ms_max',
].join(', ');
const ADDED = [
  ...MEASURE_COLUMNS.map((column) => `${column} = usage_rollups.${column} + excluded.${column}`),
  ...LATENCY_COLUMNS.map((column) => {
    const [known, more] = [`usage_rollups.${column}`, `excluded.${column}`];
    return `${column} = coalesce(${known} + ${more}, ${known}, ${more})`;
  }),
].join(', ');
const LARGER =
  'latency_ms_max = CASE WHEN excluded.latency_ms_max > usage_rollups.latency_ms_max THEN excluded.latency_ms_max ELSE usage_rollups.latency_ms_max END';

/** The upsert clause that adds a row to an existing one. */
export const ADDED_TO_ROLLUP = `ON CONFLICT (account_id, level, bucket_ms, key_id, model_id, channel_id, status, tag) DO UPDATE SET ${ADDED}, ${LARGER}`;

/**
 * Each row of money or counts is added to a minute, an hour and a day of its account, and of all accounts, the latter without keys and
 * tags.
 */
export function rollStatement(source: string, condition: string): string {
  const sums = [...MEASURE_COLUMNS, ...LATENCY_COLUMNS].map((column) => `sum(${column})`).join(', ');
  return `
    INSERT INTO usage_rollups (${ROLLED})
    SELECT level, at_ms - at_ms % size AS bucket, CASE of_all WHEN 1 THEN '' ELSE account_id END AS account,
      CASE of_all WHEN 1 THEN '' ELSE key_id END AS key, model_id, channel_id, status, tag, ${sums}, max(latency_ms_max)
    FROM ${source}
      CROSS JOIN (SELECT 'minute' AS level, 60000 AS size UNION ALL SELECT 'hour', 3600000 UNION ALL SELECT 'day', 86400000) levels
      CROSS JOIN (SELECT 0 AS of_all UNION ALL SELECT 1) wholes
    WHERE ${condition} AND (of_all = 0 OR tag = '')
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
    ${ADDED_TO_ROLLUP}
  `;
}

/** A row of either half of `sumStatement`. */
export type SumRow = {
  /** 1 for rows that are not rolled up yet, whose `place` is the minute; otherwise `place` is the span. */
  readonly is_new: bigint | number;
  readonly place: bigint | number;
} & { readonly [Of in Exclude<Column, 'status'>]?: string } & { readonly status?: bigint | number } & {
  readonly [Of in (typeof MEASURE_COLUMNS)[number]]: bigint | string | number;
} & { readonly [Of in (typeof LATENCY_COLUMNS)[number]]?: bigint | string | number | null };

/** The columns of segment rows. */
export const SEGMENT: Columns = { place: 'bigint', level: 'text', from_ms: 'bigint', to_ms: 'bigint' };
export const ACCOUNT: Columns = { id: 'text' };

/** Returns rows of `ACCOUNT` as JSON. */
export function accountRows(ids: readonly string[]): string {
  return JSON.stringify(ids.map((id) => ({ id })));
}

/**
 * Sums roll-ups and rows that are not rolled up yet in one statement, and so in one snapshot. The second half is grouped by minute, and the
 * caller assigns minutes to spans.
 */
export function sumStatement(query: NamedUsageQuery, dialect: SqlDialect): Statement {
  return statement(dialect, (sql) => sumText(query, dialect, (value) => sql.put(value)));
}

function sumText(query: NamedUsageQuery, dialect: SqlDialect, bind: (value: Value) => string): string {
  const { spans, accountIds, groupBy, limit } = query;
  const groups = groupBy.map((dimension) => COLUMN_OF[dimension]);
  const conditions = conditionsOf(query, bind);
  const summed = query.withLatencies === true ? [...MEASURE_COLUMNS, ...LATENCY_COLUMNS] : MEASURE_COLUMNS;
  const sums = summed.map((column) => `${dialect.integer(`sum(${column})`)} AS ${column}`).join(', ');
  const segments = bind(JSON.stringify(segmentsOf(spans).map(toRow)));
  const accounts = bind(accountRows(accountIds ?? ['']));
  const rolled = `
    usage_rollups.account_id = accounts.id AND usage_rollups.level = segments.level
      AND bucket_ms >= segments.from_ms AND bucket_ms < segments.to_ms AND ${conditions.join(' AND ')}
  `;
  const ranking = RANKING_COLUMN[query.rankedBy ?? 'costNanoUsd'];
  const order = query.dearestFirst === true ? `, sum(${ranking}) DESC, sum(requests) DESC` : '';
  const list = (...more: string[]) => [...more, ...groups].join(', ');
  const [from, to] = [bind(spans[0]?.fromMs ?? 0), bind(spans.at(-1)?.toMs ?? 0)];
  const ofAccounts =
    accountIds === null ? `tag = ''` : `account_id IN (SELECT id FROM ${dialect.rowsOf(accounts, 'among', ACCOUNT)})`;
  return `
    SELECT * FROM (
      SELECT 0 AS is_new, place, ${[...groups, sums].join(', ')}
      FROM ${dialect.rowsOf(segments, 'segments', SEGMENT)} CROSS JOIN ${dialect.rowsOf(accounts, 'accounts', ACCOUNT)}
      ${dialect.lookUp('usage_rollups', rolled, [...new Set(['account_id', ...groups])], summed)}
      GROUP BY ${list('place')} ORDER BY place${order}${groups.length > 0 ? `, ${groups.join(', ')}` : ''} LIMIT ${bind(limit + 1)}
    ) AS rolled
    UNION ALL
    SELECT * FROM (
      SELECT 1 AS is_new, at_ms - at_ms % 60000 AS place, ${[...groups, sums].join(', ')}
      FROM usage_deltas
      WHERE at_ms >= ${from} AND at_ms < ${to} AND ${[ofAccounts, ...conditions].join(' AND ')}
      GROUP BY ${list('at_ms - at_ms % 60000')}
    ) AS fresh
  `;
}

function toRow({ place, level, fromMs, toMs }: Segment) {
  return { place, level, from_ms: fromMs, to_ms: toMs };
}

function conditionsOf(query: UsageQuery, bind: (value: Value) => string): string[] {
  const { tags, keyIds, modelIds, channelIds, statuses } = query;
  const among = (column: Column, wanted: readonly Value[] | undefined) => {
    if (wanted === undefined) return [];
    return [wanted.length === 0 ? '1 = 0' : `${column} IN (${wanted.map(bind).join(', ')})`];
  };
  return [
    ...among('key_id', keyIds),
    ...among('model_id', modelIds),
    ...among('channel_id', channelIds),
    ...among('status', statuses),
    tagCondition(tags, bind),
  ];
}

/** `>` is the character after `=`, so all values of a key lie in between. Text is compared bytewise. */
function tagCondition(tags: UsageQuery['tags'], bind: (value: Value) => string): string {
  if (tags === null) return `tag = ''`;
  if ('every' in tags) return `tag <> ''`;
  if ('among' in tags) return tags.among.length === 0 ? '1 = 0' : `tag IN (${tags.among.map(bind).join(', ')})`;
  if ('tag' in tags) return `tag = ${bind(tags.tag)}`;
  return `(tag = '' OR (tag >= ${bind(`${tags.key}=`)} AND tag < ${bind(`${tags.key}>`)}))`;
}

/** Merges the two halves into at most one sum more than the query's limit, in the order of the spans. */
export function sumsOf(rows: readonly SumRow[], query: UsageQuery): UsageSum[] {
  const { spans, groupBy, limit, dearestFirst = false, rankedBy = 'costNanoUsd', withLatencies = false } = query;
  const sums = new Map<string, UsageSum>();
  // If old rows were cut off, a group that only occurs in new rows may lack its older part and would be reported too low.
  const isCut = dearestFirst && rows.filter(({ is_new }) => Number(is_new) === 0).length > limit;
  for (const row of rows) {
    const place = Number(row.place);
    const isNew = Number(row.is_new) === 1;
    const span = isNew ? spanAt(spans, place) : place;
    if (span === -1) continue;
    const sum = withLatencies
      ? { ...toSum(row, span, groupBy), latencies: latenciesOf(row) }
      : toSum(row, span, groupBy);
    const name = JSON.stringify([span, ...groupBy.map((dimension) => sum[dimension])]);
    const known = sums.get(name);
    if (known === undefined && isNew && isCut) continue;
    sums.set(name, known === undefined ? sum : added(known, sum));
  }
  const inOrder = (a: UsageSum, b: UsageSum) =>
    a.span - b.span || (dearestFirst ? compareRanks(a, b, rankedBy) : 0) || compare(a, b, groupBy);
  return [...sums.values()].sort(inOrder).slice(0, limit + 1);
}

function compareRanks(a: UsageSum, b: UsageSum, by: RankingMeasure): number {
  if (a[by] !== b[by]) return a[by] > b[by] ? -1 : 1;
  return b.requests - a.requests;
}

function spanAt(spans: UsageQuery['spans'], atMs: number): number {
  let [low, high] = [0, spans.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = spans[middle];
    if (span === undefined) return -1;
    if (atMs < span.fromMs) high = middle - 1;
    else if (atMs >= span.toMs) low = middle + 1;
    else return middle;
  }
  return -1;
}

function toSum(row: SumRow, span: number, groupBy: readonly UsageDimension[]): UsageSum {
  const dimensions = Object.fromEntries(
    groupBy.map((dimension) => [
      dimension,
      dimension === 'status' ? Number(row.status) : (row[COLUMN_OF[dimension]] ?? ''),
    ]),
  ) as Partial<Pick<UsageDelta, UsageDimension>>; // Each value has the type of its column.
  return {
    span,
    ...dimensions,
    requests: Number(row.requests),
    errors: Number(row.errors),
    cacheHits: Number(row.cache_hits),
    inputTokens: Number(row.input_tokens),
    cachedInputTokens: Number(row.cached_input_tokens),
    cacheWriteTokens: Number(row.cache_write_tokens),
    outputTokens: Number(row.output_tokens),
    reasoningTokens: Number(row.reasoning_tokens),
    latencyMsSum: Number(row.latency_ms_sum),
    firstByteMsSum: Number(row.first_byte_ms_sum),
    firstByteCount: Number(row.first_byte_count),
    costNanoUsd: BigInt(row.cost_nano),
    savedNanoUsd: BigInt(row.saved_nano),
    upstreamCostNanoUsd: BigInt(row.upstream_cost_nano),
    costedRequests: Number(row.costed_requests),
    unpricedRequests: toCount(row.unpriced_requests),
  };
}

function latenciesOf(row: SumRow): number[] {
  return LATENCY_COLUMNS.map((column) => Number(row[column] ?? 0));
}

function toCount(value: bigint | string | number): number {
  return Number(value);
}

function added(one: UsageSum, other: UsageSum): UsageSum {
  return {
    ...one,
    ...(one.latencies && { latencies: one.latencies.map((count, step) => count + (other.latencies?.[step] ?? 0)) }),
    requests: one.requests + other.requests,
    errors: one.errors + other.errors,
    cacheHits: one.cacheHits + other.cacheHits,
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    latencyMsSum: one.latencyMsSum + other.latencyMsSum,
    firstByteMsSum: one.firstByteMsSum + other.firstByteMsSum,
    firstByteCount: one.firstByteCount + other.firstByteCount,
    costNanoUsd: one.costNanoUsd + other.costNanoUsd,
    savedNanoUsd: one.savedNanoUsd + other.savedNanoUsd,
    upstreamCostNanoUsd: one.upstreamCostNanoUsd + other.upstreamCostNanoUsd,
    costedRequests: one.costedRequests + other.costedRequests,
    unpricedRequests: one.unpricedRequests + other.unpricedRequests,
  };
}

function compare(a: UsageSum, b: UsageSum, groupBy: readonly UsageDimension[]): number {
  for (const dimension of groupBy) {
    const [one, other] = [a[dimension] ?? '', b[dimension] ?? ''];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}
