import type { Pool } from 'pg';
import type { SuccessSnapshot } from '../../domain/catalog/preference.ts';
import type { SnapshotStore } from '../../engine/ports/outcomes.ts';
import {
  fromSnapshotRow,
  type SuccessSnapshotRow,
  snapshotStatements,
  toSnapshotValues,
} from '../shared/tables/success-snapshot.ts';
import { query } from './connection.ts';

const STATEMENTS = snapshotStatements('$');

/** One row for all nodes; of claims at once the row's lock lets one after the other look. */
export class PostgresSnapshots implements SnapshotStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async read(): Promise<SuccessSnapshot | null> {
    const { rows } = await query<SuccessSnapshotRow>(this.#pool, STATEMENTS.read);
    return fromSnapshotRow(rows[0]);
  }

  async claim(nowMs: number, freshMs: number): Promise<boolean> {
    const { rowCount } = await query(this.#pool, STATEMENTS.claim, [nowMs, freshMs]);
    return rowCount === 1;
  }

  async write(snapshot: SuccessSnapshot): Promise<boolean> {
    const { rowCount } = await query(this.#pool, STATEMENTS.write, toSnapshotValues(snapshot));
    return rowCount === 1;
  }

  async release(nowMs: number): Promise<void> {
    await query(this.#pool, STATEMENTS.release, [nowMs]);
  }
}
