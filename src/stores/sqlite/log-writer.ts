import type { Statement } from 'bun:sqlite';
import { runAtOnce } from '../shared/people/program.ts';
import { runStatement } from '../shared/people/sqlite-statement.ts';
import { type RecoveryDialect, type RecoveryTask, recoverLines } from '../shared/recover-lines.ts';
import { REQUEST_LOG_COLUMNS, toRequestLogValues } from '../shared/tables/request-log.ts';
import { toUsageValues, USAGE_COLUMNS, usageOfLines } from '../shared/tables/usage.ts';
import type { PackedLines } from './packed.ts';
import type { WritingConnection } from './writing-connection.ts';

const ROW = `(${REQUEST_LOG_COLUMNS.map(() => '?').join(', ')})`;
/** Under load a row of such a statement takes three quarters of the time that it takes alone; more rows save no more. */
const ROWS_AT_ONCE = 10;
const INSERT = `INSERT INTO request_log (${REQUEST_LOG_COLUMNS.join(', ')}) VALUES`;
const INSERT_USAGE = `
  INSERT INTO usage_deltas (${USAGE_COLUMNS.join(', ')}) VALUES (${USAGE_COLUMNS.map(() => '?').join(', ')})
`;
const IS_WRITTEN = 'SELECT 1 FROM request_log WHERE at_ms = ? AND request_id = ? LIMIT 1';

const RECOVERY: RecoveryDialect = { mark: '?', texts: (list) => `SELECT value FROM json_each(${list})` };

/** Writes lines of the request log; in the thread that writes. Its transactions do not wait for the disk. */
export class LogWriter {
  readonly #connection: WritingConnection;
  readonly #insert: Statement;
  readonly #insertMany: Statement;
  readonly #insertUsage: Statement;

  constructor(connection: WritingConnection) {
    const { database } = connection;
    this.#connection = connection;
    this.#insert = database.prepare(`${INSERT} ${ROW}`);
    this.#insertMany = database.prepare(`${INSERT} ${Array(ROWS_AT_ONCE).fill(ROW).join(', ')}`);
    this.#insertUsage = database.prepare(INSERT_USAGE);
  }

  /**
   * All of them or none.
   *
   * @param packed of `packLines`
   * @param isRetry they may have been written, and nobody heard of it
   */
  write(packed: string, isRetry: boolean): void {
    const { lines, usage }: PackedLines = JSON.parse(packed);
    this.#connection.run('NORMAL', () => {
      if (isRetry && this.#isWritten(lines)) return;
      for (let from = 0; from < lines.length; from += ROWS_AT_ONCE) {
        const rows = lines.slice(from, from + ROWS_AT_ONCE);
        if (rows.length === ROWS_AT_ONCE) this.#insertMany.run(rows.flat());
        else for (const row of rows) this.#insert.run(row);
      }
      for (const row of usage) this.#insertUsage.run(row);
    });
  }

  /** Writes the lines that are missing of a page of charges. */
  recover(task: RecoveryTask): Promise<{ readonly recovered: number; readonly nextSequence: number | null }> {
    const { database } = this.#connection;
    return this.#connection.runWhenFree('NORMAL', () => {
      const program = recoverLines(RECOVERY, task);
      const { lines, nextSequence } = runAtOnce(program, (statement) => runStatement(database, statement));
      for (const line of lines) this.#insert.run(...toRequestLogValues(line));
      for (const delta of usageOfLines(lines)) this.#insertUsage.run(...toUsageValues(delta));
      return { recovered: lines.length, nextSequence };
    });
  }

  close(): void {
    for (const statement of [this.#insert, this.#insertMany, this.#insertUsage]) statement.finalize();
  }

  #isWritten([first]: PackedLines['lines']): boolean {
    const [requestId = null, atMs = null] = first ?? [];
    return this.#connection.database.query(IS_WRITTEN).get(atMs, requestId) !== null;
  }
}
