import type { Audit } from '../../engine/ports/people-store.ts';
import type { SqlParameter } from '../../engine/ports/sign-in-database.ts';

export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlParameter[];
}

export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * The statements of one transaction, each of which may depend on the rows of earlier ones. The same program runs synchronously on SQLite
 * and asynchronously on PostgreSQL. It is restarted after a rollback, so it must have no side effects.
 */
export type SqlProgram<Result> = Generator<Statement, Result, readonly SqlRow[]>;

/** The differences between the two databases in these statements. */
export interface SqlDialect {
  /** The prefix of a parameter's number. */
  readonly mark: '?' | '$';
  boolean(value: boolean): SqlParameter;
  /** Returns the current time in milliseconds since 1970: the database's if several machines share it, since their clocks differ. */
  nowMs(values: Values, ownMs: number): string;
  /** Returns a condition, to follow a column, that it is in a JSON array, given by the placeholder of its parameter. */
  inList(mark: string, type: 'text' | 'bigint' | 'double precision'): string;
  /** Returns a condition that the JSON array of texts in a column contains a parameter. */
  hasMember(column: string, mark: string): string;
  /** The number of lines of the request log per block of its indexes by id. */
  readonly linesPerBlock: number;
  /** Returns the length of a binary column in bytes. */
  bytesOf(column: string): string;
  /** Returns the part of a text before its first dot, written as in the index on that expression. */
  beforeDot(column: string): string;
  /** Ends a SELECT of rows to delete, so that concurrent nodes take different rows. */
  readonly skipLocked: string;
  /** Ends a SELECT that locks its rows until the end of the transaction. */
  readonly lockRows: string;
  /** Ends a RETURNING list and makes the commit durable, even if the server's default is asynchronous. */
  readonly durably: string;
  /** Returns a FROM item named `alias` with the rows of a JSON array of objects with these members. */
  rowsOf(mark: string, alias: string, columns: Columns): string;
  /** Does the same for objects whose members are columns of a table and have their types. */
  tableRowsOf(mark: string, alias: string, table: string, columns: readonly string[]): string;
  /** Returns a column of the sign-in library with a time as RFC 3339 text in UTC, which sorts by time. */
  isoText(column: string): string;
  /** Case-insensitive LIKE. */
  readonly likeInAnyCase: 'LIKE' | 'ILIKE';
  /** Returns a slice of a binary parameter; `from` counts from 1. */
  slice(mark: string, from: string, length: string): string;
  /**
   * Returns a condition for DELETE that selects the first rows of `rest` (from WHERE to LIMIT). Concurrent nodes take different rows.
   *
   * @param key the table's primary key
   */
  firstOf(table: string, key: readonly string[], rest: string): string;
  /** Returns a FROM item with the members of a JSON array as `listed.value`; `->>` reads their own members as text. */
  each(mark: string): string;
  /**
   * Returns an index join that follows a FROM item: for each of its rows, the rows of `table` that satisfy the condition. They may already
   * be summed by `groups`.
   */
  lookUp(table: string, condition: string, groups: readonly string[], summed: readonly string[]): string;
  /** Returns the expression as an integer of any size. */
  integer(expression: string): string;
  /** Locks usage roll-ups until the end of the transaction; `null` if they are serialised anyway. */
  readonly lockRollUps: Statement | null;
  /** Ends a SELECT and prevents the deletion of the rows that it read from a table until the end of the transaction. */
  keepRowsOf(table: string): string;
  /** Takes a named lock until the end of the transaction; `null` if transactions are serialised anyway. */
  lock(name: string): Statement | null;
  /**
   * Allows updates that write this pseudonym to the audit log and the ledger, whose triggers reject all others, for the rest of the
   * transaction. The empty string ends that.
   */
  letIn(pseudonym: string): Statement;
  /**
   * Allows deletion of charges before this time (milliseconds since 1970) from the ledger, whose trigger rejects it otherwise, for the rest
   * of the transaction. 0 ends that.
   */
  letGo(beforeMs: number): Statement;
  /** Does the same for entries of the audit log. */
  letAuditGo(beforeMs: number): Statement;
}

export type Columns = Readonly<Record<string, 'text' | 'bigint' | 'double precision'>>;

export interface WriteOptions {
  /** The approximate number of bytes written. */
  readonly bytes?: number;
  /**
   * Whether it is idempotent. If so it is retried a limited number of times, also after a lost connection whose outcome is unknown.
   * Otherwise it is only retried if the database reports a rollback.
   */
  readonly isRepeatable?: boolean;
}

/** Runs read-only programs. */
export interface SqlReader {
  readonly dialect: SqlDialect;
  /** Runs a program without a snapshot across its statements. */
  read<Result>(program: () => SqlProgram<Result>): Promise<Result>;
}

/** Runs programs on one database. */
export interface SqlRunner extends SqlReader {
  /**
   * Runs a program in one transaction.
   *
   * @param program is restarted for each attempt, which is numbered from 1
   */
  write<Result>(program: (attempt: number) => SqlProgram<Result>, options?: WriteOptions): Promise<Result>;
  /** Runs one statement in its own transaction and resolves to the number of changed rows. */
  change(text: (values: Values) => string, options?: WriteOptions): Promise<number>;
}

/** Runs programs whose changes are recorded in the audit log. */
export interface ProgramRunner extends SqlReader {
  /** Runs a program in one transaction together with the audit entries that `audit` returns. Durable when resolved. */
  write<Result>(program: () => SqlProgram<Result>, audit?: Audit<Result>): Promise<Result>;
}

export const SQLITE: SqlDialect = {
  mark: '?',
  boolean: (value) => (value ? 1 : 0),
  nowMs: (values, ownMs) => values.put(ownMs),
  inList: (mark) => `IN (SELECT value FROM json_each(${mark}))`,
  hasMember: (column, mark) => `EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${mark})`,
  // Each transaction writes whole pages, so a block has few.
  linesPerBlock: 1_024,
  bytesOf: (column) => `length(${column})`,
  beforeDot: (column) => `substr(${column}, 1, instr(${column}, '.') - 1)`,
  skipLocked: '',
  lockRows: '',
  durably: '',
  rowsOf: (mark, alias, columns) => membersOf(mark, alias, Object.keys(columns)),
  tableRowsOf: (mark, alias, _table, columns) => membersOf(mark, alias, columns),
  isoText: (column) => column,
  likeInAnyCase: 'LIKE',
  slice: (mark, from, length) => `substr(${mark}, ${from}, ${length})`,
  each: (mark) => `json_each(${mark}) AS listed`,
  // SQLite keeps the order of cross joins.
  lookUp: (table, condition) => `CROSS JOIN ${table} WHERE ${condition}`,
  integer: (expression) => expression,
  lockRollUps: null,
  firstOf: (table, key, rest) => `(${key.join(', ')}) IN (SELECT ${key.join(', ')} FROM ${table} ${rest})`,
  keepRowsOf: () => '',
  lock: () => null,
  letIn: (pseudonym) => ({ sql: 'UPDATE audit_erasure SET pseudonym = ?1', values: [pseudonym] }),
  letGo: (beforeMs) => ({ sql: 'UPDATE ledger_door SET before_ms = ?1', values: [beforeMs] }),
  letAuditGo: (beforeMs) => ({ sql: 'UPDATE audit_horizon SET before_ms = ?1', values: [beforeMs] }),
};

function membersOf(mark: string, alias: string, columns: readonly string[]): string {
  const members = columns.map((column) => `value ->> '${column}' AS ${column}`);
  return `(SELECT ${members.join(', ')} FROM json_each(${mark})) AS ${alias}`;
}

/** The class of these advisory locks, distinct from all others. */
const LOCK_CLASS = 1_886_216_556;
/** A number that no other advisory lock uses: the letters of "usages" as bytes. Migrations take this lock, too. */
export const ROLL_UP_LOCK = 0x75_73_61_67_65_73n;

export const POSTGRES: SqlDialect = {
  mark: '$',
  boolean: (value) => value,
  nowMs: () => 'floor(extract(epoch from clock_timestamp()) * 1000)',
  inList: (mark, type) => `= ANY(ARRAY(SELECT json_array_elements_text(${mark}::json)::${type}))`,
  hasMember: (column, mark) => `jsonb_exists(${column}::jsonb, ${mark})`,
  linesPerBlock: 16_384,
  bytesOf: (column) => `octet_length(${column})`,
  beforeDot: (column) => `split_part(${column}, '.', 1)`,
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  lockRows: 'FOR NO KEY UPDATE',
  durably: ', ledger_commit_durably()',
  rowsOf: (mark, alias, columns) => {
    const members = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
    return `json_to_recordset(${mark}::json) AS ${alias} (${members.join(', ')})`;
  },
  tableRowsOf: (mark, alias, table) => `json_populate_recordset(null::${table}, ${mark}::json) AS ${alias}`,
  isoText: (column) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  likeInAnyCase: 'ILIKE',
  slice: (mark, from, length) => `substr(${mark}::bytea, ${from}::int, ${length}::int)`,
  each: (mark) => `json_array_elements(${mark}::json) AS listed (value)`,
  // Summing within each look-up avoids sorting all rows. It also pins the join strategy: a plan made while the table was small would read
  // all of it.
  lookUp: (table, condition, groups, summed) => {
    const columns = [...groups, ...summed.map((column) => `sum(${column}) AS ${column}`)].join(', ');
    return `CROSS JOIN LATERAL (SELECT ${columns} FROM ${table} WHERE ${condition} GROUP BY ${groups.join(', ')}) AS sums`;
  },
  integer: (expression) => `(${expression})::bigint`,
  lockRollUps: { sql: 'SELECT pg_advisory_xact_lock($1)', values: [ROLL_UP_LOCK] },
  firstOf: (table, _key, rest) => `ctid = ANY(ARRAY(SELECT ctid FROM ${table} ${rest} FOR UPDATE SKIP LOCKED))`,
  keepRowsOf: (table) => `FOR KEY SHARE OF ${table}`,
  lock: (name) => ({ sql: 'SELECT pg_advisory_xact_lock($1::int, hashtext($2))', values: [LOCK_CLASS, name] }),
  letIn: (pseudonym) => ({ sql: "SELECT set_config('switchyard.audit_pseudonym', $1, true)", values: [pseudonym] }),
  letGo: (beforeMs) => ({
    sql: "SELECT set_config('switchyard.ledger_before_ms', $1, true)",
    values: [String(beforeMs)],
  }),
  letAuditGo: (beforeMs) => ({
    sql: "SELECT set_config('switchyard.audit_before_ms', $1, true)",
    values: [String(beforeMs)],
  }),
};

/** Runs a program on a synchronous database. */
export function runAtOnce<Result>(
  program: SqlProgram<Result>,
  answer: (statement: Statement) => readonly SqlRow[],
): Result {
  let step = program.next();
  while (!step.done) step = program.next(answer(step.value));
  return step.value;
}

/** Runs a program on an asynchronous database. */
export async function runWaiting<Result>(
  program: SqlProgram<Result>,
  answer: (statement: Statement) => Promise<readonly SqlRow[]>,
): Promise<Result> {
  let step = program.next();
  while (!step.done) step = program.next(await answer(step.value));
  return step.value;
}

/** Collects the values of one statement. `${sql.put(value)}` returns a placeholder. */
export class Values {
  readonly list: SqlParameter[] = [];

  constructor(private readonly dialect: SqlDialect) {}

  put(value: SqlParameter): string {
    return `${this.dialect.mark}${this.list.push(value)}`;
  }

  flag(value: boolean): string {
    return this.put(this.dialect.boolean(value));
  }
}

/** Creates a statement with its values. */
export function statement(dialect: SqlDialect, text: (values: Values) => string): Statement {
  const values = new Values(dialect);
  const sql = text(values);
  return { sql, values: values.list };
}

export function* ask(dialect: SqlDialect, text: (values: Values) => string): SqlProgram<readonly SqlRow[]> {
  return yield statement(dialect, text);
}

export function* lock(dialect: SqlDialect, name: string): SqlProgram<void> {
  const statement = dialect.lock(name);
  if (statement !== null) yield statement;
}
