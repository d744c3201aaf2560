import type { EntryPlace, EntryQuery, LedgerPage } from '../../engine/ports/ledger.ts';
import { ENTRY_COLUMNS, type EntryRow, fromEntryRow } from './tables/ledger.ts';

type Value = string | number | bigint;

/** The most entries scanned for a page of a key's entries, for which there is no index. */
const MOST_LOOKED_AT = 2_000;
const END_OF_TIME = 8_640_000_000_000_000;

export interface EntryPageTask {
  readonly query: EntryQuery;
  readonly after: EntryPlace | null;
  readonly limit: number;
}

/** Reads a page of an account's entries, newest first, by the index on account and time, or by the one on entries other than charges. */
export async function readEntryPage(
  { query, after, limit }: EntryPageTask,
  mark: '?' | '$',
  read: (sql: string, values: readonly Value[]) => Promise<readonly unknown[]>,
): Promise<LedgerPage> {
  const end = query.keyId === undefined ? null : await endOfLook({ query, after, limit }, mark, read);
  const { conditions, values, bind } = rangeOf({ query, after, limit }, mark);
  if (query.keyId !== undefined) conditions.push(`key_id = ${bind(query.keyId)}`);
  if (end !== null)
    conditions.push(`(at_ms > ${bind(end.atMs)} OR (at_ms = ${bind(end.atMs)} AND sequence >= ${bind(end.sequence)}))`);
  const sql = `SELECT ${ENTRY_COLUMNS} FROM ledger_entries WHERE ${conditions.join(' AND ')}
    ORDER BY at_ms DESC, sequence DESC LIMIT ${bind(limit + 1)}`;
  const rows = (await read(sql, values)) as readonly EntryRow[]; // The columns of an entry.
  const entries = rows.slice(0, limit).map(fromEntryRow);
  const last = entries.at(-1);
  const next = rows.length > limit && last !== undefined ? { atMs: last.atMs, sequence: last.sequence } : end;
  return { entries, next };
}

async function endOfLook(
  task: EntryPageTask,
  mark: '?' | '$',
  read: (sql: string, values: readonly Value[]) => Promise<readonly unknown[]>,
): Promise<EntryPlace | null> {
  const { conditions, values, bind } = rangeOf(task, mark);
  const sql = `SELECT at_ms, sequence FROM ledger_entries WHERE ${conditions.join(' AND ')}
    ORDER BY at_ms DESC, sequence DESC LIMIT 1 OFFSET ${bind(MOST_LOOKED_AT - 1)}`;
  const [row] = (await read(sql, values)) as Pick<EntryRow, 'at_ms' | 'sequence'>[]; // The columns in the statement.
  return row === undefined ? null : { atMs: Number(row.at_ms), sequence: Number(row.sequence) };
}

function rangeOf({ query, after }: EntryPageTask, mark: '?' | '$') {
  const values: Value[] = [];
  const bind = (value: Value) => `${mark}${values.push(value)}`;
  const { accountId, kind, fromMs = 0, toMs = END_OF_TIME } = query;
  const conditions = [`account_id = ${bind(accountId)}`, `at_ms >= ${bind(fromMs)}`, `at_ms < ${bind(toMs)}`];
  if (after !== null) {
    conditions.push(`at_ms <= ${bind(after.atMs)}`);
    conditions.push(`(at_ms < ${bind(after.atMs)} OR sequence < ${bind(after.sequence)})`);
  }
  // Repeats the condition of the partial index, so that it is used.
  if (kind !== undefined && kind !== 'charge') conditions.push(`kind <> 'charge'`);
  if (kind !== undefined) conditions.push(`kind = ${bind(kind)}`);
  return { conditions, values, bind };
}
