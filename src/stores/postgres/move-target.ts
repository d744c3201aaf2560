import type { LedgerReport } from '../../engine/ports/ledger.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { MovedRow, MovedValue, MoveProgress, MoveSource, SourceTable } from '../shared/move/move-source.ts';
import { LEFT_TABLES, MOVED_TABLES, type MovedTable } from '../shared/move/moved-tables.ts';
import { StoreOpenError } from '../shared/store-open-error.ts';
import { verifyingLedger } from '../sql/ledger/verify.ts';
import { runWaiting } from '../sql/program.ts';
import { toStorable } from '../sql/texts.ts';
import { inTransaction, openPool, type Session } from './connection.ts';
import { migrate } from './migrate.ts';
import { databaseName, toStoreOpenError, wrongUrlError } from './open-error.ts';
import { answerOf } from './runner.ts';
import { refuseOldServer } from './server-version.ts';
import { LEDGER_CHECKS } from './verify-ledger.ts';

export interface MoveResult {
  /** The number of copied rows by table; empty tables are omitted. */
  readonly rows: Readonly<Record<string, number>>;
  readonly source: LedgerReport;
  readonly target: LedgerReport;
  /** The number of texts in which characters that PostgreSQL cannot store were replaced. */
  readonly replacedTexts: number;
}

interface TargetColumn {
  readonly name: string;
  /** The type's name in PostgreSQL, such as `int8`. */
  readonly type: string;
  /** The sequence that numbers it; `null` if there is none. */
  readonly sequence: string | null;
}

/**
 * Copies a database into an empty PostgreSQL database in one transaction: if it fails or is killed, the database stays empty. Nodes that
 * start meanwhile wait. Rejects with a `StoreOpenError` if the database has data, or if something differs at the end.
 */
export async function moveInto(
  { url, logger }: { readonly url: string; readonly logger: Logger },
  source: MoveSource,
  progress: MoveProgress,
): Promise<MoveResult> {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) throw wrongUrlError();
  const name = databaseName(url);
  const pool = openPool({ url, logger, statementTimeoutMs: null, maxConnections: 1 });
  try {
    await inTransaction(pool, (session) => refuseOldServer(session, name));
    await migrate(url, logger, name);
    return await inTransaction(pool, (session) => new Move(session, source, name).run(progress));
  } catch (error) {
    throw error instanceof Error && ('code' in error || error.cause !== undefined)
      ? toStoreOpenError(name, error)
      : error;
  } finally {
    await pool.end();
  }
}

class Move {
  #replacedTexts = 0;

  constructor(
    private readonly session: Session,
    private readonly source: MoveSource,
    private readonly name: string,
  ) {}

  async run(progress: MoveProgress): Promise<MoveResult> {
    const { session, source } = this;
    await session.query('SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0');
    // Also makes a second move, and nodes that start, wait.
    await session.query('LOCK TABLE secret_check IN ACCESS EXCLUSIVE MODE');
    const tables = this.#matched(await this.#columns());
    await this.#refuseData();
    // Triggers count changes, which the copied tables already contain.
    const withTriggers = await this.#tablesWithTriggers();
    for (const table of withTriggers) await session.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    const rows: Record<string, number> = {};
    for (const { table, from, columns } of tables) {
      if (from.rows > 0) rows[table.name] = await this.#copy(table, from, columns, progress);
      await this.#continueNumbers(from, columns);
    }
    for (const table of withTriggers) await session.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    await session.query(`ANALYZE ${MOVED_TABLES.map((table) => table.name).join(', ')}`);
    const result = { rows, source: source.verify(), target: await this.#verify(), replacedTexts: this.#replacedTexts };
    await this.#refuseDifferences(result);
    return result;
  }

  /** Pairs the tables of both databases. Throws if one of them has a table or column that the list does not know. */
  #matched(target: ReadonlyMap<string, readonly TargetColumn[]>) {
    const source = new Map(this.source.tables().map((table) => [table.name, table]));
    const known = new Set([...MOVED_TABLES.map((table) => table.name), ...Object.keys(LEFT_TABLES)]);
    const unknown = [...source.keys(), ...target.keys()].filter((table) => !known.has(table));
    if (unknown.length > 0) throw this.#refused(`the table ${unknown[0]} is not known to this version`);
    return MOVED_TABLES.map((table) => {
      const from = source.get(table.name);
      const to = target.get(table.name);
      if (from === undefined || to === undefined) throw this.#refused(`the table ${table.name} is missing`);
      const left = table.leftColumns ?? {};
      const moved = from.columns.filter((column) => !Object.hasOwn(left, column));
      const columns = moved.map((column) => to.find((other) => other.name === column));
      const missing = moved[columns.indexOf(undefined)];
      const extra = to.find(({ name }) => !Object.hasOwn(left, name) && !from.columns.includes(name));
      if (missing !== undefined || extra !== undefined)
        throw this.#refused(`the column ${table.name}.${missing ?? extra?.name} exists on one side only`);
      return { table, from, columns: columns.filter((column) => column !== undefined) };
    });
  }

  async #columns(): Promise<ReadonlyMap<string, readonly TargetColumn[]>> {
    const { rows } = await this.session.query<TargetColumn & { readonly in_table: string }>(`
      SELECT table_name AS in_table, column_name AS name, udt_name AS type,
        pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence
      FROM information_schema.columns
        JOIN pg_class ON relname = table_name AND relnamespace = current_schema()::regnamespace
      WHERE table_schema = current_schema() AND relkind IN ('r', 'p') AND NOT relispartition
      ORDER BY table_name, ordinal_position`);
    return Map.groupBy(rows, (row) => row.in_table);
  }

  async #refuseData(): Promise<void> {
    const own = MOVED_TABLES.filter(({ isSeeded }) => isSeeded !== true).map((table) => table.name);
    const asked = [...own, 'gateway_nodes', 'nodes'].map(
      (table) => `SELECT '${table}' AS name WHERE EXISTS (SELECT FROM ${table})`,
    );
    const { rows } = await this.session.query<{ name: string }>(asked.join(' UNION ALL '));
    if (rows.length === 0) return;
    const names = rows.map((row) => row.name).slice(0, 3);
    throw this.#refused(
      `it is not empty (${names.join(', ')}${rows.length > 3 ? ', …' : ''}); create another database`,
    );
  }

  async #tablesWithTriggers(): Promise<readonly string[]> {
    const { rows } = await this.session.query<{ name: string }>(
      'SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = ANY ($1::regclass[])',
      [MOVED_TABLES.map((table) => table.name)],
    );
    return rows.map((row) => row.name);
  }

  async #copy(
    { name, isSeeded }: MovedTable,
    { rows }: SourceTable,
    columns: readonly TargetColumn[],
    progress: MoveProgress,
  ): Promise<number> {
    progress.begins(name, rows);
    if (isSeeded === true) await this.session.query(`DELETE FROM ${name}`);
    const names = columns.map((column) => `"${column.name}"`);
    const marks = columns.map(({ type }, at) => `$${at + 1}::${type}[]`);
    const sql = `INSERT INTO ${name} (${names.join(', ')}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${marks.join(', ')})`;
    let done = 0;
    for (const batch of this.source.batches(
      name,
      columns.map((column) => column.name),
    )) {
      await this.session.query(
        sql,
        columns.map((column) => batch.map((row) => this.#valueFor(name, column, row))),
      );
      done += batch.length;
      progress.copied(name, done, rows);
    }
    return done;
  }

  /** Returns the value as PostgreSQL's text, or as bytes. */
  #valueFor(table: string, { name, type }: TargetColumn, row: MovedRow): string | Buffer | null {
    const value: MovedValue = row[name] ?? null;
    if (value === null) return null;
    if (type === 'bytea') return Buffer.from(value as Uint8Array);
    if (value instanceof Uint8Array) throw this.#refused(`${table}.${name} contains bytes instead of ${type}`);
    if (type === 'bool') return Number(value) === 0 ? 'false' : 'true';
    if (typeof value !== 'string') return String(value);
    const text = toStorable(value) ?? '';
    if (text !== value) this.#replacedTexts += 1;
    return text;
  }

  /** Lets automatic numbers continue after those of the source, so that none is used again. */
  async #continueNumbers({ name, highest }: SourceTable, columns: readonly TargetColumn[]): Promise<void> {
    for (const { name: column, sequence } of columns) {
      if (sequence === null) continue;
      const sql = `SELECT setval($1::regclass, greatest(max("${column}"), $2::bigint, 1), greatest(max("${column}"), $2::bigint) IS NOT NULL) FROM ${name}`;
      await this.session.query(sql, [sequence, highest === null ? null : String(highest)]);
    }
  }

  #verify(): Promise<LedgerReport> {
    return runWaiting(verifyingLedger(LEDGER_CHECKS), answerOf(this.session));
  }

  async #refuseDifferences({ rows, source, target }: MoveResult): Promise<void> {
    for (const { name, rows: expected } of this.source.tables()) {
      if (!MOVED_TABLES.some((table) => table.name === name && table.isSeeded !== true)) continue;
      const counted = await this.session.query<{ rows: string }>(`SELECT count(*)::text AS rows FROM ${name}`);
      const found = Number(counted.rows[0]?.rows);
      if (found !== expected || (rows[name] ?? 0) !== expected)
        throw this.#refused(`${name} has ${found} rows there instead of ${expected}`);
    }
    const differs = (['accounts', 'entries', 'charges', 'archived'] as const).find(
      (part) => source[part] !== target[part],
    );
    if (differs !== undefined)
      throw this.#refused(`its ledger has ${target[differs]} ${differs} instead of ${source[differs]}`);
    const [problem] = target.problems.filter((found) => !source.problems.includes(found));
    if (problem !== undefined) throw this.#refused(`its ledger differs: ${problem}`);
  }

  #refused(reason: string): StoreOpenError {
    return new StoreOpenError(`Cannot move into the database ${this.name}: ${reason}. Nothing was copied.`);
  }
}
