import type { Statement } from 'bun:sqlite';
import { REQUEST_LOG_COLUMNS } from '../shared/tables/request-log.ts';
import type { SealedLine } from '../shared/tables/sealed-failure.ts';
import { USAGE_COLUMNS } from '../shared/tables/usage.ts';
import { SQLITE } from '../sql/program.ts';
import type { RecoveryTask } from '../sql/request-log/recover-lines.ts';
import { recovering, writingMissing } from '../sql/request-log/write-programs.ts';
import type { PackedLines } from './packed.ts';
import type { SqliteRunner } from './runner.ts';
import type { WritingConnection } from './writing-connection.ts';

const ROW = `(${REQUEST_LOG_COLUMNS.map(() => '?').join(', ')})`;
/** Under load, a row in a multi-row insert takes three quarters of the time of a single insert. More rows save no more. */
const ROWS_AT_ONCE = 10;
const INSERT = `INSERT INTO request_log (${REQUEST_LOG_COLUMNS.join(', ')}) VALUES`;
const INSERT_USAGE = `
  INSERT INTO usage_deltas (${USAGE_COLUMNS.join(', ')}) VALUES (${USAGE_COLUMNS.map(() => '?').join(', ')})
`;

/** Writes request log lines in the writer thread. Its transactions are not durable. */
export class LogWriter {
  readonly #connection: WritingConnection;
  readonly #runner: SqliteRunner;
  readonly #insert: Statement;
  readonly #insertMany: Statement;
  readonly #insertUsage: Statement;

  /** @param runner runs programs on the same connection */
  constructor(connection: WritingConnection, runner: SqliteRunner) {
    const { database } = connection;
    this.#connection = connection;
    this.#runner = runner;
    this.#insert = database.prepare(`${INSERT} ${ROW}`);
    this.#insertMany = database.prepare(`${INSERT} ${Array(ROWS_AT_ONCE).fill(ROW).join(', ')}`);
    this.#insertUsage = database.prepare(INSERT_USAGE);
  }

  /**
   * Writes all lines or none. They must be new.
   *
   * @param packed the output of `packLines`
   */
  write(packed: string): void {
    const { lines, usage }: PackedLines = JSON.parse(packed);
    this.#connection.run('NORMAL', () => {
      for (let from = 0; from < lines.length; from += ROWS_AT_ONCE) {
        const rows = lines.slice(from, from + ROWS_AT_ONCE);
        if (rows.length === ROWS_AT_ONCE) this.#insertMany.run(rows.flat());
        else for (const row of rows) this.#insert.run(row);
      }
      for (const row of usage) this.#insertUsage.run(row);
    });
  }

  /** See `writingMissing`. */
  writeMissing(lines: readonly SealedLine[], isRetry: boolean): Promise<void> {
    return this.#runner.write(() => writingMissing(SQLITE, lines, isRetry));
  }

  /** See `recovering`. */
  recover(task: RecoveryTask): Promise<{ readonly recovered: number; readonly nextSequence: number | null }> {
    return this.#runner.write(() => recovering(SQLITE, task));
  }

  close(): void {
    for (const statement of [this.#insert, this.#insertMany, this.#insertUsage]) statement.finalize();
  }
}
