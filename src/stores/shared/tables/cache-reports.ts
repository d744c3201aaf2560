import type { FeedbackType } from '../../../domain/cache/cache-feedback.ts';
import type { CacheReport } from '../../../engine/ports/cache-reports.ts';
import type { ContentBox } from '../content-box.ts';

/** Of either database. */
export interface CacheReportRow {
  readonly id: string;
  readonly entry_id: string;
  readonly cache_key: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly model_id: string;
  /** The table's check holds what it may be. */
  readonly type: FeedbackType;
  /** Sealed by the content box for this row alone; NULL where the client has said nothing. */
  readonly sealed_description: Uint8Array | null;
  /** PostgreSQL's `bigint` comes as one. */
  readonly at_ms: number | bigint;
  readonly invalidated_at_ms: number | bigint | null;
}

/** In the order of `toCacheReportValues`. */
const COLUMNS = [
  'id',
  'entry_id',
  'cache_key',
  'account_id',
  'key_id',
  'model_id',
  'type',
  'sealed_description',
  'at_ms',
  'invalidated_at_ms',
] as const satisfies readonly (keyof CacheReportRow)[];

/**
 * The statements of cache reports; the databases differ in how they mark a parameter and in how they pick rows to delete. `row_id`
 * rises with every report, so it says which is newer.
 *
 * @param mark what stands before a parameter's number
 * @param skipLocked what makes nodes take rows that no other one is deleting
 */
export function cacheReportStatements(mark: '?' | '$', skipLocked: 'FOR UPDATE SKIP LOCKED' | '') {
  const values = COLUMNS.map((_, index) => `${mark}${index + 1}`);
  return {
    add: `
      INSERT INTO cache_reports (${COLUMNS.join(', ')}) VALUES (${values.join(', ')})
      ON CONFLICT (entry_id, account_id, key_id) DO NOTHING
    `,
    /** (entry) */
    count: `SELECT count(*) AS keys, count(DISTINCT account_id) AS accounts FROM cache_reports WHERE entry_id = ${mark}1`,
    /** (account, how many stay) */
    makeRoom: `
      DELETE FROM cache_reports WHERE row_id IN (
        SELECT row_id FROM cache_reports WHERE account_id = ${mark}1 AND row_id <= (
          SELECT row_id FROM cache_reports WHERE account_id = ${mark}1 ORDER BY row_id DESC LIMIT 1 OFFSET ${mark}2
        ) ${skipLocked}
      )
    `,
    /** (entry, when) */
    invalidated: `UPDATE cache_reports SET invalidated_at_ms = ${mark}2 WHERE entry_id = ${mark}1 AND invalidated_at_ms IS NULL`,
    /** (before when, limit) */
    removeOld: `
      DELETE FROM cache_reports WHERE row_id IN (
        SELECT row_id FROM cache_reports WHERE at_ms < ${mark}1 ORDER BY at_ms LIMIT ${mark}2 ${skipLocked}
      )
    `,
  };
}

export interface CacheReportPage {
  readonly limit: number;
  readonly before: string | null;
  readonly accountId: string | null;
  readonly entryId: string | null;
}

/** Only the conditions that the page has, so that each finds its index. */
export function cacheReportsPage(
  mark: '?' | '$',
  { limit, before, accountId, entryId }: CacheReportPage,
): { readonly sql: string; readonly values: (string | number)[] } {
  const values: (string | number)[] = [];
  const marked = (value: string | number) => `${mark}${values.push(value)}`;
  const conditions = [
    ...(accountId === null ? [] : [`account_id = ${marked(accountId)}`]),
    ...(entryId === null ? [] : [`entry_id = ${marked(entryId)}`]),
    ...(before === null ? [] : [`row_id < (SELECT row_id FROM cache_reports WHERE id = ${marked(before)})`]),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const most = marked(Math.max(0, Math.floor(limit)));
  return { sql: `SELECT ${COLUMNS.join(', ')} FROM cache_reports ${where} ORDER BY row_id DESC LIMIT ${most}`, values };
}

export function toCacheReportValues(report: CacheReport, box: ContentBox): (string | number | Uint8Array | null)[] {
  return [
    report.id,
    report.entryId,
    report.cacheKey,
    report.accountId,
    report.keyId,
    report.modelId,
    report.type,
    report.description === '' ? null : box.seal(report.description, placeOf(report.accountId, report.id)),
    Math.floor(report.atMs),
    report.invalidatedAtMs === null ? null : Math.floor(report.invalidatedAtMs),
  ];
}

/** Throws a `SecretBoxError` that names the row when it was sealed with another secret. */
export function fromCacheReportRow(row: CacheReportRow, box: ContentBox): CacheReport {
  const { sealed_description: sealed } = row;
  return {
    id: row.id,
    entryId: row.entry_id,
    cacheKey: row.cache_key,
    accountId: row.account_id,
    keyId: row.key_id,
    modelId: row.model_id,
    type: row.type,
    description: sealed === null ? '' : box.open(sealed, placeOf(row.account_id, row.id)),
    atMs: Number(row.at_ms),
    invalidatedAtMs: row.invalidated_at_ms === null ? null : Number(row.invalidated_at_ms),
  };
}

/** What its sealed text is bound to. */
export function placeOf(accountId: string, id: string): readonly string[] {
  return ['cache_reports', accountId, id, 'description'];
}
