import type { KeyPlace } from '../../../engine/ports/key-use-store.ts';
import type {
  Balance,
  Credits,
  EntryPlace,
  EntryQuery,
  KeySpending,
  LedgerEntry,
  LedgerPage,
} from '../../../engine/ports/ledger.ts';
import {
  type BalanceRow,
  ENTRY_COLUMNS,
  type EntryRow,
  fromBalanceRow,
  fromEntryRow,
  fromSpendingRow,
  type SpendingRow,
} from '../../shared/tables/ledger.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlRow, type Values } from '../program.ts';
import { toLimit } from '../texts.ts';

/** The most entries scanned for a page of a key's entries, for which there is no index. */
const MOST_LOOKED_AT = 2_000;
const END_OF_TIME = 8_640_000_000_000_000;

const NEWEST_FIRST = 'ORDER BY at_ms DESC, sequence DESC';
const BALANCES = 'SELECT account_id, balance_nano, leased_nano FROM balances';
const SPENDING = 'SELECT spent.account_id, spent.key_id, spent.spent_nano, spent.leased_nano';

/** A row without entries exists for the leases of a key. */
const HAS_ENTRIES = `(
  balance_nano <> 0
  OR EXISTS (SELECT 1 FROM ledger_entries WHERE ledger_entries.account_id = balances.account_id)
  OR EXISTS (SELECT 1 FROM ledger_archived WHERE ledger_archived.account_id = balances.account_id)
)`;

export function* balanceOf(dialect: SqlDialect, accountId: string): SqlProgram<Balance> {
  const [row] = yield* ask(dialect, (sql) => `${BALANCES} WHERE account_id = ${sql.put(accountId)}`);
  return row === undefined ? { accountId, balanceNanoUsd: 0n, leasedNanoUsd: 0n } : toBalance(row);
}

/** Reads both in one statement, and so from one moment. The condition on the kind is that of a partial index. */
export function* creditsOf(dialect: SqlDialect, accountId: string): SqlProgram<Credits> {
  const [row] = yield* ask(dialect, (sql) => {
    const id = sql.put(accountId);
    const sum = dialect.integer('coalesce(sum(amount_nano), 0)');
    return `
      SELECT (SELECT balance_nano FROM balances WHERE account_id = ${id}) AS balance_nano,
        (SELECT ${sum} FROM ledger_entries WHERE account_id = ${id} AND kind <> 'charge') AS credited_nano
    `;
  });
  const amountOf = (value: unknown) => BigInt((value ?? 0) as bigint | string); // Integers or their digits.
  return { balanceNanoUsd: amountOf(row?.balance_nano), creditedNanoUsd: amountOf(row?.credited_nano) };
}

export function* knownBalances(dialect: SqlDialect, only?: readonly string[]): SqlProgram<readonly Balance[]> {
  const rows = yield* ask(dialect, (sql) => {
    const among = only === undefined ? '' : `AND account_id ${dialect.inList(sql.put(JSON.stringify(only)), 'text')}`;
    return `${BALANCES} WHERE ${HAS_ENTRIES} ${among} ORDER BY account_id`;
  });
  return rows.map(toBalance);
}

export function* spendingOf(dialect: SqlDialect, only?: readonly KeyPlace[]): SqlProgram<readonly KeySpending[]> {
  const rows = yield* ask(dialect, (sql) => {
    const order = 'ORDER BY spent.account_id, spent.key_id';
    if (only === undefined) return `${SPENDING} FROM key_spending AS spent WHERE spent_nano <> 0 ${order}`;
    const places = JSON.stringify(only.map(({ accountId, keyId }) => ({ account_id: accountId, key_id: keyId })));
    return `
      ${SPENDING} FROM ${dialect.rowsOf(sql.put(places), 'wanted', { account_id: 'text', key_id: 'text' })}
      CROSS JOIN key_spending AS spent
      WHERE spent.account_id = wanted.account_id AND spent.key_id = wanted.key_id AND spent.spent_nano <> 0 ${order}
    `;
  });
  return rows.map((row) => fromSpendingRow(row as unknown as SpendingRow)); // The columns in the statement.
}

export function* entriesOf(dialect: SqlDialect, accountId: string, limit: number): SqlProgram<readonly LedgerEntry[]> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      SELECT ${ENTRY_COLUMNS} FROM ledger_entries WHERE account_id = ${sql.put(accountId)}
      ${NEWEST_FIRST} LIMIT ${sql.put(toLimit(limit))}
    `,
  );
  return rows.map(toEntry);
}

export function* entryWithKey(dialect: SqlDialect, idempotencyKey: string): SqlProgram<LedgerEntry | null> {
  const [row] = yield* ask(
    dialect,
    (sql) => `SELECT ${ENTRY_COLUMNS} FROM ledger_entries WHERE idempotency_key = ${sql.put(idempotencyKey)}`,
  );
  return row === undefined ? null : toEntry(row);
}

/** Returns the place of the newest entry of all accounts. */
export function* newestEntry(): SqlProgram<EntryPlace | null> {
  const [row] = yield { sql: 'SELECT sequence, at_ms FROM ledger_entries ORDER BY sequence DESC LIMIT 1', values: [] };
  return row === undefined ? null : placeOf(row);
}

/** Reads a page of an account's entries, newest first, by the index on account and time, or by the one on entries other than charges. */
export function* entryPage(
  dialect: SqlDialect,
  query: EntryQuery,
  after: EntryPlace | null,
  limit: number,
): SqlProgram<LedgerPage> {
  const end = query.keyId === undefined ? null : yield* endOfLook(dialect, query, after);
  const rows = yield* ask(dialect, (sql) => {
    const conditions = rangeOf(sql, query, after);
    if (query.keyId !== undefined) conditions.push(`key_id = ${sql.put(query.keyId)}`);
    if (end !== null) {
      const atMs = sql.put(end.atMs);
      conditions.push(`(at_ms > ${atMs} OR (at_ms = ${atMs} AND sequence >= ${sql.put(end.sequence)}))`);
    }
    return `
      SELECT ${ENTRY_COLUMNS} FROM ledger_entries WHERE ${conditions.join(' AND ')}
      ${NEWEST_FIRST} LIMIT ${sql.put(limit + 1)}
    `;
  });
  const entries = rows.slice(0, limit).map(toEntry);
  const last = entries.at(-1);
  const next = rows.length > limit && last !== undefined ? { atMs: last.atMs, sequence: last.sequence } : end;
  return { entries, next };
}

function* endOfLook(dialect: SqlDialect, query: EntryQuery, after: EntryPlace | null): SqlProgram<EntryPlace | null> {
  const [row] = yield* ask(
    dialect,
    (sql) => `
      SELECT at_ms, sequence FROM ledger_entries WHERE ${rangeOf(sql, query, after).join(' AND ')}
      ${NEWEST_FIRST} LIMIT 1 OFFSET ${sql.put(MOST_LOOKED_AT - 1)}
    `,
  );
  return row === undefined ? null : placeOf(row);
}

function rangeOf(sql: Values, query: EntryQuery, after: EntryPlace | null): string[] {
  const { accountId, kind, fromMs = 0, toMs = END_OF_TIME } = query;
  const conditions = [`account_id = ${sql.put(accountId)}`, `at_ms >= ${sql.put(fromMs)}`, `at_ms < ${sql.put(toMs)}`];
  if (after !== null) {
    const atMs = sql.put(after.atMs);
    conditions.push(`at_ms <= ${atMs}`, `(at_ms < ${atMs} OR sequence < ${sql.put(after.sequence)})`);
  }
  // Repeats the condition of the partial index, so that it is used.
  if (kind !== undefined && kind !== 'charge') conditions.push(`kind <> 'charge'`);
  if (kind !== undefined) conditions.push(`kind = ${sql.put(kind)}`);
  return conditions;
}

function placeOf(row: SqlRow): EntryPlace {
  return { atMs: Number(row.at_ms), sequence: Number(row.sequence) };
}

function toBalance(row: SqlRow): Balance {
  return fromBalanceRow(row as unknown as BalanceRow); // The columns in `BALANCES`.
}

function toEntry(row: SqlRow): LedgerEntry {
  return fromEntryRow(row as unknown as EntryRow); // The columns in `ENTRY_COLUMNS`.
}
