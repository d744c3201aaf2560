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
  /** Keeps others that ask for the same name out until the transaction has ended; `null` where transactions exclude each other anyway. */
  lock(name: string): Statement | null;
  /**
   * Lets the pseudonym of somebody who is erased into the audit log and the ledger, whose triggers refuse all else, for the rest of the
   * transaction; the empty text ends that.
   */
  letIn(pseudonym: string): Statement;
}

export interface ProgramRunner {
  readonly dialect: SqlDialect;
  /** Statements that change nothing; they need not see one state. */
  read<Result>(program: () => SqlProgram<Result>): Promise<Result>;
  /** In one transaction, with the entries of the audit log that `audit` makes; durable when resolved. */
  write<Result>(program: () => SqlProgram<Result>, audit?: Audit<Result>): Promise<Result>;
}

export const SQLITE: SqlDialect = {
  mark: '?',
  boolean: (value) => (value ? 1 : 0),
  lock: () => null,
  letIn: (pseudonym) => ({ sql: 'UPDATE audit_erasure SET pseudonym = ?1', values: [pseudonym] }),
};

/** Keeps these locks apart from those of other tables. */
const LOCK_CLASS = 1_886_216_556;

export const POSTGRES: SqlDialect = {
  mark: '$',
  boolean: (value) => value,
  lock: (name) => ({ sql: 'SELECT pg_advisory_xact_lock($1::int, hashtext($2))', values: [LOCK_CLASS, name] }),
  letIn: (pseudonym) => ({ sql: "SELECT set_config('switchyard.audit_pseudonym', $1, true)", values: [pseudonym] }),
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

/** One statement, whose text is made with the marks of its values. */
export function* ask(dialect: SqlDialect, text: (values: Values) => string): SqlProgram<readonly SqlRow[]> {
  const values = new Values(dialect);
  const sql = text(values);
  return yield { sql, values: values.list };
}

export function* lock(dialect: SqlDialect, name: string): SqlProgram<void> {
  const statement = dialect.lock(name);
  if (statement !== null) yield statement;
}
