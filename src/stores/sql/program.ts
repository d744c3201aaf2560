import type { Audit } from '../../engine/ports/people-store.ts';
import type { SqlParameter } from '../../engine/ports/sign-in-database.ts';

export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlParameter[];
}

export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * Statements of one transaction, each of which may depend on the rows of those before. SQLite runs them in one go, PostgreSQL waits for
 * each; what they say is written once. After a rollback a program is begun anew, so it must do nothing but ask.
 */
export type SqlProgram<Result> = Generator<Statement, Result, readonly SqlRow[]>;

/** Where the two databases differ in these statements. */
export interface SqlDialect {
  /** What stands before a parameter's number. */
  readonly mark: '?' | '$';
  boolean(value: boolean): SqlParameter;
  /** The current time in milliseconds since 1970: the database's where several machines share it, since their clocks differ. */
  nowMs(values: Values, ownMs: number): string;
  /** Follows a column: it is one of the values of a JSON array, given as the mark of its parameter. */
  inList(mark: string, type: 'text' | 'bigint'): string;
  /** How many bytes a column of bytes has. */
  bytesOf(column: string): string;
  /** The part of a text before its first dot, in the words of the indexes by it. */
  beforeDot(column: string): string;
  /** Ends a SELECT whose rows are to be deleted: several nodes that delete at the same time take different rows. */
  readonly skipLocked: string;
  /** Ends a SELECT: others that change these rows wait for the end of the transaction. */
  readonly lockRows: string;
  /** Ends a RETURNING list: the transaction is on the disk when it is committed, even where the server's default is not to wait for that. */
  readonly durably: string;
  /** Stands after FROM: the rows of a JSON array of objects that have these members, with the name `alias`. */
  rowsOf(mark: string, alias: string, columns: Columns): string;
  /** The same of objects whose members are columns of a table, and have their types. */
  tableRowsOf(mark: string, alias: string, table: string, columns: readonly string[]): string;
  /** LIKE, whatever the case of letters. */
  readonly likeInAnyCase: 'LIKE' | 'ILIKE';
  /** A part of a parameter that holds bytes; `from` counts from 1. */
  slice(mark: string, from: string, length: string): string;
  /**
   * A condition for DELETE: the first rows that `rest` (from WHERE to LIMIT) selects. Several nodes that delete at the same time take
   * different rows.
   *
   * @param key the table's primary key
   */
  firstOf(table: string, key: readonly string[], rest: string): string;
  /** Stands after FROM: the members of a JSON array, each as `listed.value`, whose own members `->>` gives as texts. */
  each(mark: string): string;
  /**
   * Follows FROM and some rows: the rows of a table that the condition finds for each of them, by an index. What is found may be summed
   * by the groups already.
   */
  lookUp(table: string, condition: string, groups: readonly string[], summed: readonly string[]): string;
  /** A whole number however large. */
  integer(expression: string): string;
  /** Waits until nobody rolls up usage, and keeps others from it until the transaction has ended; `null` where it is done one at a time anyway. */
  readonly lockRollUps: Statement | null;
  /** Ends a SELECT: the rows that it read of a table are not deleted before the transaction ends. */
  keepRowsOf(table: string): string;
  /** Keeps others that ask for the same name out until the transaction has ended; `null` where transactions exclude each other anyway. */
  lock(name: string): Statement | null;
  /**
   * Lets the pseudonym of somebody who is erased into the audit log and the ledger, whose triggers refuse all else, for the rest of the
   * transaction; the empty text ends that.
   */
  letIn(pseudonym: string): Statement;
  /**
   * Lets charges from before this time, in milliseconds since 1970, be deleted from the ledger, whose trigger refuses it, for the rest of the
   * transaction; 0 ends that.
   */
  letGo(beforeMs: number): Statement;
  /** The same for entries of the audit log. */
  letAuditGo(beforeMs: number): Statement;
}

export type Columns = Readonly<Record<string, 'text' | 'bigint' | 'double precision'>>;

export interface WriteOptions {
  /** About how much is written. */
  readonly bytes?: number;
  /**
   * Whether it may be done twice. Then it is tried again, for a limited number of times, also where the connection was lost and nobody
   * knows whether it was done. Otherwise only where the database says that it was undone.
   */
  readonly isRepeatable?: boolean;
}

/** Runs programs that change nothing. */
export interface SqlReader {
  readonly dialect: SqlDialect;
  /** The statements of a program need not see one state. */
  read<Result>(program: () => SqlProgram<Result>): Promise<Result>;
}

/** Runs programs on one database. */
export interface SqlRunner extends SqlReader {
  /**
   * In one transaction.
   *
   * @param program is begun anew for each attempt; the first one is 1
   */
  write<Result>(program: (attempt: number) => SqlProgram<Result>, options?: WriteOptions): Promise<Result>;
  /** One statement in a transaction of its own; resolves to the number of rows that it has changed. */
  change(text: (values: Values) => string, options?: WriteOptions): Promise<number>;
}

/** Runs programs whose changes are kept in the audit log. */
export interface ProgramRunner extends SqlReader {
  /** In one transaction, with the entries of the audit log that `audit` makes; durable when resolved. */
  write<Result>(program: () => SqlProgram<Result>, audit?: Audit<Result>): Promise<Result>;
}

export const SQLITE: SqlDialect = {
  mark: '?',
  boolean: (value) => (value ? 1 : 0),
  nowMs: (values, ownMs) => values.put(ownMs),
  inList: (mark) => `IN (SELECT value FROM json_each(${mark}))`,
  bytesOf: (column) => `length(${column})`,
  beforeDot: (column) => `substr(${column}, 1, instr(${column}, '.') - 1)`,
  skipLocked: '',
  lockRows: '',
  durably: '',
  rowsOf: (mark, alias, columns) => membersOf(mark, alias, Object.keys(columns)),
  tableRowsOf: (mark, alias, _table, columns) => membersOf(mark, alias, columns),
  likeInAnyCase: 'LIKE',
  slice: (mark, from, length) => `substr(${mark}, ${from}, ${length})`,
  each: (mark) => `json_each(${mark}) AS listed`,
  // In the order of the cross joins, which SQLite keeps.
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

/** Keeps these locks apart from those of other tables. */
const LOCK_CLASS = 1_886_216_556;
/** Any number that no other advisory lock has: the letters of "usages" as bytes. Migrations take this lock, too. */
export const ROLL_UP_LOCK = 0x75_73_61_67_65_73n;

export const POSTGRES: SqlDialect = {
  mark: '$',
  boolean: (value) => value,
  nowMs: () => 'floor(extract(epoch from clock_timestamp()) * 1000)',
  inList: (mark, type) => `= ANY(ARRAY(SELECT json_array_elements_text(${mark}::json)::${type}))`,
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
  likeInAnyCase: 'ILIKE',
  slice: (mark, from, length) => `substr(${mark}::bytea, ${from}::int, ${length}::int)`,
  each: (mark) => `json_array_elements(${mark}::json) AS listed (value)`,
  // To sum within each look-up saves the sorting of all rows. It also keeps the planner from joining in another way: a plan that was made
  // while the table was small reads all of it.
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

/** Runs a program on a database that answers at once. */
export function runAtOnce<Result>(
  program: SqlProgram<Result>,
  answer: (statement: Statement) => readonly SqlRow[],
): Result {
  let step = program.next();
  while (!step.done) step = program.next(answer(step.value));
  return step.value;
}

/** Runs a program on a database that is waited for. */
export async function runWaiting<Result>(
  program: SqlProgram<Result>,
  answer: (statement: Statement) => Promise<readonly SqlRow[]>,
): Promise<Result> {
  let step = program.next();
  while (!step.done) step = program.next(await answer(step.value));
  return step.value;
}

/** Collects the values of one statement: `${sql.put(value)}` stands for a parameter. */
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

/** Makes a statement whose text has the marks of its values. */
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
