import type {
  AccountErasure,
  AccountRowKind,
  NewAccountErasure,
  RemovedRows,
} from '../../../engine/ports/account-erasure-store.ts';
import { fromJson } from '../../shared/tables/encoding.ts';
import { textOf } from '../people/rows.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlRow, type Values } from '../program.ts';

const COLUMNS = 'account_id, names, pseudonym, audited_until, rewritten';
const MOST_OPEN = 100;
/** The number of rows deleted per transaction. */
const BATCH = 200;
/** The number of request log lines scanned per transaction, since they are not indexed by account. */
const LINES_LOOKED_AT = 5_000;
const DAY_MS = 86_400_000;

function toErasure(row: SqlRow): AccountErasure {
  return {
    accountId: textOf(row.account_id),
    names: fromJson<string[]>(textOf(row.names)),
    pseudonym: textOf(row.pseudonym),
    auditedUntil: Number(row.audited_until),
    rewritten: Number(row.rewritten),
  };
}

export function* findAccountErasure(dialect: SqlDialect, accountId: string): SqlProgram<AccountErasure | null> {
  const [row] = yield* ask(
    dialect,
    (sql) => `SELECT ${COLUMNS} FROM account_erasures WHERE account_id = ${sql.put(accountId)}`,
  );
  return row === undefined ? null : toErasure(row);
}

export function* openAccountErasures(dialect: SqlDialect): SqlProgram<readonly AccountErasure[]> {
  const rows = yield* ask(
    dialect,
    (sql) => `SELECT ${COLUMNS} FROM account_erasures ORDER BY account_id LIMIT ${sql.put(MOST_OPEN)}`,
  );
  return rows.map(toErasure);
}

export function* beginAccountErasure(dialect: SqlDialect, wanted: NewAccountErasure): SqlProgram<AccountErasure> {
  const { accountId, names, pseudonym } = wanted;
  yield* ask(dialect, (sql) => {
    const values = [accountId, JSON.stringify(names), pseudonym].map((value) => sql.put(value));
    return `INSERT INTO account_erasures (${COLUMNS}) VALUES (${values.join(', ')}, 0, 0) ON CONFLICT (account_id) DO NOTHING`;
  });
  return (yield* findAccountErasure(dialect, accountId)) ?? { ...wanted, auditedUntil: 0, rewritten: 0 };
}

export function* advanceAccountErasure(
  dialect: SqlDialect,
  accountId: string,
  auditedUntil: number,
  rewritten: number,
): SqlProgram<void> {
  yield* ask(
    dialect,
    (sql) => `
      UPDATE account_erasures SET audited_until = ${sql.put(auditedUntil)}, rewritten = ${sql.put(rewritten)}
      WHERE account_id = ${sql.put(accountId)}
    `,
  );
}

/** Returns whether it existed. */
export function* endAccountErasure(dialect: SqlDialect, accountId: string): SqlProgram<boolean> {
  const rows = yield* ask(
    dialect,
    (sql) => `DELETE FROM account_erasures WHERE account_id = ${sql.put(accountId)} RETURNING 1 AS gone`,
  );
  return rows.length > 0;
}

interface OwnRows {
  readonly table: string;
  /** The columns of a unique key. */
  readonly key: readonly string[];
  readonly which: (sql: Values, accountId: string) => string;
}

const ofAccount = (sql: Values, accountId: string) => `account_id = ${sql.put(accountId)}`;
const ofOwner = (sql: Values, accountId: string) => `owner = ${sql.put(accountId)}`;
const own = (table: string, ...key: readonly string[]): OwnRows => ({ table, key, which: ofAccount });
const owned = (table: string, ...key: readonly string[]): OwnRows => ({ table, key, which: ofOwner });

const ROWS: Readonly<Record<AccountRowKind, OwnRows>> = {
  memberships: own('memberships', 'user_id', 'account_id'),
  invitations: own('invitations', 'id'),
  alertDeliveries: owned('alert_deliveries', 'id'),
  alertEvents: owned('alert_events', 'id'),
  alertStates: owned('alert_states', 'owner', 'rule_id', 'subject'),
  alertTargets: owned('alert_targets', 'owner', 'id'),
  alertRules: owned('alert_rules', 'owner', 'id'),
  responses: own('responses', 'account_id', 'id'),
  objects: own('object_origins', 'account_id', 'object_id'),
  tasks: own('tasks', 'id'),
  batchLines: {
    table: 'batch_lines',
    key: ['batch_id', 'number'],
    which: (sql, accountId) => `batch_id IN (SELECT id FROM batches WHERE account_id = ${sql.put(accountId)})`,
  },
  batches: own('batches', 'id'),
  fileChunks: {
    table: 'file_chunks',
    key: ['file_id', 'number'],
    which: (sql, accountId) => `file_id IN (SELECT id FROM files WHERE account_id = ${sql.put(accountId)})`,
  },
  files: own('files', 'id'),
  // Open holds are kept until they are settled or released.
  holds: {
    table: 'holds',
    key: ['hold_id'],
    which: (sql, accountId) => `account_id = ${sql.put(accountId)} AND state <> 'open'`,
  },
  cacheReports: own('cache_reports', 'id'),
  usageTags: {
    table: 'usage_rollups',
    key: [],
    which: (sql, accountId) => `account_id = ${sql.put(accountId)} AND tag <> ''`,
  },
  requestLines: own('request_log', 'id'),
  ledgerNotes: {
    table: 'ledger_entries',
    key: ['sequence'],
    which: (sql, accountId) => `account_id = ${sql.put(accountId)} AND kind <> 'charge' AND note IS NOT NULL`,
  },
};

export function* countAccountRows(dialect: SqlDialect, kind: AccountRowKind, accountId: string): SqlProgram<number> {
  const { table, which } = ROWS[kind];
  const [row] = yield* ask(dialect, (sql) => `SELECT count(*) AS found FROM ${table} WHERE ${which(sql, accountId)}`);
  return Number(row?.found ?? 0);
}

export function* countCaptures(dialect: SqlDialect, accountId: string): SqlProgram<number> {
  const [row] = yield* ask(
    dialect,
    (sql) => `SELECT count(*) AS found FROM captures WHERE account_id = ${sql.put(accountId)}`,
  );
  return Number(row?.found ?? 0);
}

export function* removeAccountRows(
  dialect: SqlDialect,
  kind: AccountRowKind,
  erasure: NewAccountErasure,
  from: number,
): SqlProgram<RemovedRows> {
  const { accountId } = erasure;
  if (kind === 'requestLines') return yield* removeLines(dialect, accountId, from);
  if (kind === 'usageTags') return yield* removeTagSums(dialect, accountId, null, from);
  if (kind === 'ledgerNotes') return yield* hideNotes(dialect, erasure);
  const { table, key, which } = ROWS[kind];
  const columns = key.join(', ');
  const removed = yield* ask(
    dialect,
    (sql) => `
      DELETE FROM ${table} WHERE (${columns}) IN (
        SELECT ${columns} FROM ${table} WHERE ${which(sql, accountId)} LIMIT ${sql.put(BATCH)}
      ) RETURNING 1 AS gone
    `,
  );
  return { removed: removed.length, next: removed.length < BATCH ? null : 0 };
}

/** Returns the next lines of the log to scan, since it has no index by account: the id of the last one, and whether none follow. */
export function* lineWindow(
  dialect: SqlDialect,
  after: number,
): SqlProgram<{ readonly last: number; readonly isLast: boolean }> {
  const [window] = yield* ask(
    dialect,
    (sql) => `
      SELECT max(id) AS last, count(*) AS looked_at FROM (
        SELECT id FROM request_log WHERE id > ${sql.put(after)} ORDER BY id LIMIT ${sql.put(LINES_LOOKED_AT)}
      ) AS lines
    `,
  );
  return { last: Number(window?.last ?? after), isLast: Number(window?.looked_at ?? 0) < LINES_LOOKED_AT };
}

function* removeLines(dialect: SqlDialect, accountId: string, after: number): SqlProgram<RemovedRows> {
  const { last, isLast } = yield* lineWindow(dialect, after);
  const removed = yield* ask(
    dialect,
    (sql) => `
      DELETE FROM request_log
      WHERE id > ${sql.put(after)} AND id <= ${sql.put(last)} AND account_id = ${sql.put(accountId)} RETURNING 1 AS gone
    `,
  );
  return { removed: removed.length, next: isLast ? null : last };
}

/**
 * Deletes the sums by this tag, or by all tags if it is `null`, one day of all levels at a time. Rows that are not rolled up yet are deleted
 * first, so that they cannot be rolled up afterwards.
 */
export function* removeTagSums(
  dialect: SqlDialect,
  accountId: string,
  tag: string | null,
  from: number,
): SqlProgram<RemovedRows> {
  const which = (sql: Values) => (tag === null ? `tag <> ''` : `tag = ${sql.put(tag)}`);
  const deltas = yield* ask(
    dialect,
    (sql) => `DELETE FROM usage_deltas WHERE account_id = ${sql.put(accountId)} AND ${which(sql)} RETURNING 1 AS gone`,
  );
  const levels = ['minute', 'hour', 'day'] as const;
  const [first] = yield* ask(dialect, (sql) => {
    const oldest = levels.map(
      (level) => `SELECT min(bucket_ms) AS bucket_ms FROM usage_rollups
        WHERE account_id = ${sql.put(accountId)} AND level = '${level}' AND bucket_ms >= ${sql.put(from)}`,
    );
    return `SELECT min(bucket_ms) AS bucket_ms FROM (${oldest.join(' UNION ALL ')}) AS oldest`;
  });
  if ((first?.bucket_ms ?? null) === null) return { removed: deltas.length, next: null };
  const begin = Number(first?.bucket_ms);
  const end = begin + DAY_MS;
  let removed = deltas.length;
  for (const level of levels) {
    const rows = yield* ask(
      dialect,
      (sql) => `
        DELETE FROM usage_rollups WHERE account_id = ${sql.put(accountId)} AND level = '${level}'
          AND bucket_ms >= ${sql.put(begin)} AND bucket_ms < ${sql.put(end)} AND ${which(sql)} RETURNING 1 AS gone
      `,
    );
    removed += rows.length;
  }
  return { removed, next: end };
}

/** Replaces notes. The ledger's trigger allows only that a note is replaced by the pseudonym set for the transaction. */
function* hideNotes(dialect: SqlDialect, { accountId, pseudonym }: NewAccountErasure): SqlProgram<RemovedRows> {
  yield dialect.letIn(pseudonym);
  const { table, which } = ROWS.ledgerNotes;
  const hidden = yield* ask(
    dialect,
    (sql) => `
      UPDATE ${table} SET note = ${sql.put(pseudonym)} WHERE sequence IN (
        SELECT sequence FROM ${table} WHERE ${which(sql, accountId)} AND note <> ${sql.put(pseudonym)} LIMIT ${sql.put(BATCH)}
      ) RETURNING 1 AS hidden
    `,
  );
  yield dialect.letIn('');
  return { removed: hidden.length, next: hidden.length < BATCH ? null : 0 };
}
