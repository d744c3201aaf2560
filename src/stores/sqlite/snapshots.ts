import type { Database } from 'bun:sqlite';
import type { SuccessSnapshot } from '../../domain/catalog/preference.ts';
import type { SnapshotStore } from '../../engine/ports/outcomes.ts';
import {
  fromSnapshotRow,
  type SuccessSnapshotRow,
  snapshotStatements,
  toSnapshotValues,
} from '../shared/tables/success-snapshot.ts';

const STATEMENTS = snapshotStatements('?');

/** What is lost in a crash is counted again. A write rejects while another process holds the lock. */
export class SqliteSnapshots implements SnapshotStore {
  readonly #database: Database;

  /** @param database the request log's connection: its transactions neither wait for the disk nor long for another process's */
  constructor(database: Database) {
    this.#database = database;
  }

  async read(): Promise<SuccessSnapshot | null> {
    return fromSnapshotRow(this.#database.query<SuccessSnapshotRow, []>(STATEMENTS.read).get());
  }

  async claim(nowMs: number, freshMs: number): Promise<boolean> {
    return this.#change(STATEMENTS.claim, nowMs, freshMs) > 0;
  }

  async write(snapshot: SuccessSnapshot): Promise<boolean> {
    return this.#change(STATEMENTS.write, ...toSnapshotValues(snapshot)) > 0;
  }

  async release(nowMs: number): Promise<void> {
    this.#change(STATEMENTS.release, nowMs);
  }

  /** Gives how many rows have changed. */
  #change(statement: string, ...values: (string | number)[]): number {
    return this.#database.query(statement).run(...values).changes;
  }
}
