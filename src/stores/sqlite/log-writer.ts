import type { Statement } from 'bun:sqlite';
import { type LinePlaces, takenBack } from '../shared/late-lines.ts';
import { type RecoveryDialect, type RecoveryTask, recoverLines } from '../shared/recover-lines.ts';
import {
  fromRequestLogRow,
  RECOVERED_STORY,
  REQUEST_LOG_COLUMNS,
  type RequestLogRow,
  toRequestLogValues,
} from '../shared/tables/request-log.ts';
import { toUsageValues, USAGE_COLUMNS, usageOfLines } from '../shared/tables/usage.ts';
import { runAtOnce } from '../sql/program.ts';
import { runStatement } from '../sql/sqlite-statement.ts';
import { READ_COLUMNS } from './log-dialect.ts';
import type { PackedLines } from './packed.ts';
import type { WritingConnection } from './writing-connection.ts';

const ROW = `(${REQUEST_LOG_COLUMNS.map(() => '?').join(', ')})`;
/** Under load, a row in a multi-row insert takes three quarters of the time of a single insert. More rows save no more. */
const ROWS_AT_ONCE = 10;
const INSERT = `INSERT INTO request_log (${REQUEST_LOG_COLUMNS.join(', ')}) VALUES`;
const INSERT_USAGE = `
  INSERT INTO usage_deltas (${USAGE_COLUMNS.join(', ')}) VALUES (${USAGE_COLUMNS.map(() => '?').join(', ')})
`;
const IS_WRITTEN = 'SELECT 1 FROM request_log WHERE at_ms = ? AND request_id = ? LIMIT 1';

const RECOVERY: RecoveryDialect = { mark: '?', texts: (list) => `SELECT value FROM json_each(${list})` };

const IS_RECOVERED = `FROM request_log WHERE at_ms IN (SELECT value FROM json_each(?1))
  AND request_id IN (SELECT value FROM json_each(?2)) AND story = '${RECOVERED_STORY}'`;
const RECOVERED = `SELECT ${READ_COLUMNS} ${IS_RECOVERED}`;
const REMOVE_RECOVERED = `DELETE ${IS_RECOVERED}`;

/** Writes request log lines in the writer thread. Its transactions are not durable. */
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
   * Writes all lines or none.
   *
   * @param packed the output of `packLines`
   * @param isRetry whether the lines may already be written, after an attempt without a response
   * @param late their places if they may have been recovered meanwhile; the recovered lines are replaced
   */
  write(packed: string, isRetry: boolean, late: LinePlaces | null = null): void {
    const { lines, usage }: PackedLines = JSON.parse(packed);
    this.#connection.run('NORMAL', () => {
      if (late !== null) this.#removeRecovered(late);
      if (isRetry && this.#isWritten(lines)) return;
      for (let from = 0; from < lines.length; from += ROWS_AT_ONCE) {
        const rows = lines.slice(from, from + ROWS_AT_ONCE);
        if (rows.length === ROWS_AT_ONCE) this.#insertMany.run(rows.flat());
        else for (const row of rows) this.#insert.run(row);
      }
      for (const row of usage) this.#insertUsage.run(row);
    });
  }

  /** Writes the missing lines of one page of charges. */
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

  #removeRecovered({ times, ids }: LinePlaces): void {
    const { database } = this.#connection;
    const among = [JSON.stringify(times), JSON.stringify(ids)] as const;
    const rows = database.query<Record<string, unknown>, [string, string]>(RECOVERED).all(...among);
    if (rows.length === 0) return;
    const usage = usageOfLines(rows.map((row) => fromRequestLogRow(withNumbers(row)))).map(takenBack);
    for (const delta of usage) this.#insertUsage.run(...toUsageValues(delta));
    database.query(REMOVE_RECOVERED).run(...among);
  }

  #isWritten([first]: PackedLines['lines']): boolean {
    const [requestId = null, atMs = null] = first ?? [];
    return this.#connection.database.query(IS_WRITTEN).get(atMs, requestId) !== null;
  }
}

/** Converts integers, which the connection returns as `bigint`, to the numbers of a line. */
function withNumbers(row: Record<string, unknown>): RequestLogRow {
  const numbers = Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]);
  return Object.fromEntries(numbers); // The columns of a line.
}
