import type { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import type { LedgerReport } from '../../engine/ports/ledger.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { MovedRow, MoveSource, SourceTable } from '../shared/move/move-source.ts';
import { opensWith } from '../shared/secret/change-secret.ts';
import { StoreOpenError } from '../shared/store-open-error.ts';
import { verifyingLedger } from '../sql/ledger/verify.ts';
import { runAtOnce } from '../sql/program.ts';
import { runStatement } from '../sql/sqlite-statement.ts';
import { transactionOf } from './change-secret.ts';
import { openConnection, retryWhileBusy, rollBack } from './connection.ts';
import { lockFolder } from './folder-lock.ts';
import { toStoreOpenError } from './open-error.ts';
import { endLeases } from './spending-pools.ts';
import { upgradeFile } from './upgrade-file.ts';
import { LEDGER_CHECKS } from './verify-ledger.ts';

const ROWS_PER_BATCH = 1_000;
const BYTES_PER_BATCH = 4 * 1024 * 1024;

/**
 * Opens the file at `path` to be copied: upgrades it, ends the leases of the last gateway, and holds the write lock, so that no command
 * writes until `close`. Rejects with a `StoreOpenError` if there is no database, a gateway is running, or the secret does not decrypt it.
 */
export async function openMoveSource(path: string, secret: string, logger: Logger): Promise<MoveSource> {
  if (!existsSync(path)) throw new StoreOpenError(`There is no database ${path}. Name the data folder with --data.`);
  let unlock = () => {};
  let database: Database | null = null;
  try {
    unlock = await lockFolder(path);
    await upgradeFile({ path, logger, ownsFolder: true });
    const opened = await retryWhileBusy(() => openConnection(path, 'FULL', true));
    database = opened;
    if (!(await opensWith(transactionOf(opened), secret))) throw wrongSecretError(path);
    await retryWhileBusy(() => endLeases(opened));
    await retryWhileBusy(() => opened.run('BEGIN IMMEDIATE'));
    return new Source(opened, unlock);
  } catch (error) {
    database?.close();
    unlock();
    throw toStoreOpenError(path, error);
  }
}

function wrongSecretError(path: string): StoreOpenError {
  return new StoreOpenError(
    `Cannot move ${path}: the master secret does not decrypt it. Set SWITCHYARD_SECRET to its own; "switchyard secret rotate" changes it.`,
  );
}

/** The write lock is held, so what was read once stays true. */
class Source implements MoveSource {
  #tables: readonly SourceTable[] | null = null;
  #report: LedgerReport | null = null;

  constructor(
    private readonly database: Database,
    private readonly unlock: () => void,
  ) {}

  tables(): readonly SourceTable[] {
    this.#tables ??= this.#readTables();
    return this.#tables;
  }

  #readTables(): readonly SourceTable[] {
    const names = this.#all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    );
    const highest = new Map(
      this.#all<{ name: string; seq: bigint }>('SELECT name, seq FROM sqlite_sequence').map((row) => [
        row.name,
        row.seq,
      ]),
    );
    return names.map(({ name }) => ({
      name,
      columns: this.#all<{ name: string }>(`SELECT name FROM pragma_table_info('${name}')`).map((row) => row.name),
      rows: Number(this.#all<{ rows: bigint }>(`SELECT count(*) AS rows FROM "${name}"`)[0]?.rows ?? 0n),
      highest: highest.get(name) ?? null,
    }));
  }

  *batches(table: string, columns: readonly string[]): Iterable<readonly MovedRow[]> {
    const list = columns.map((column) => `"${column}"`).join(', ');
    let batch: MovedRow[] = [];
    let bytes = 0;
    const statement = this.database.prepare<MovedRow, []>(`SELECT ${list} FROM "${table}"`);
    try {
      for (const row of statement.iterate()) {
        batch.push(row);
        bytes += sizeOf(row);
        if (batch.length < ROWS_PER_BATCH && bytes < BYTES_PER_BATCH) continue;
        yield batch;
        batch = [];
        bytes = 0;
      }
    } finally {
      statement.finalize();
    }
    if (batch.length > 0) yield batch;
  }

  verify(): LedgerReport {
    this.#report ??= runAtOnce(verifyingLedger(LEDGER_CHECKS), (asked) => runStatement(this.database, asked));
    return this.#report;
  }

  close(): void {
    rollBack(this.database);
    this.database.close();
    this.unlock();
  }

  #all<Row>(sql: string): readonly Row[] {
    return this.database.query<Row, []>(sql).all();
  }
}

function sizeOf(row: MovedRow): number {
  let bytes = 0;
  for (const value of Object.values(row)) {
    if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length;
  }
  return bytes;
}
