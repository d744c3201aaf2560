import type { Database } from 'bun:sqlite';
import { auditInsert, type toAuditValues } from '../shared/tables/audit-log.ts';
import { GroupCommit } from './group-commit.ts';

const INSERT = auditInsert('?');
/** About what an entry is counted as for the bounds of one transaction. */
const ENTRY_BYTES = 1_000;

/** An entry on its way to the thread that writes: what words it has may be no data. */
export type AuditValues = ReturnType<typeof toAuditValues>;

/** Writes an entry within the transaction that is open on this connection. */
export function insertAuditEntry(database: Database, values: AuditValues): void {
  database.query(INSERT).run(...values);
}

/** Writes entries that stand alone; in the thread that writes. */
export class AuditWriter {
  readonly #database: Database;
  readonly #writes: GroupCommit;

  /** @param database its transactions wait for the disk, and it has no busy timeout */
  constructor(database: Database) {
    this.#database = database;
    this.#writes = new GroupCommit(database);
  }

  async append(entries: readonly AuditValues[]): Promise<void> {
    await this.#writes.run(entries.length * ENTRY_BYTES, () => {
      for (const entry of entries) insertAuditEntry(this.#database, entry);
    });
  }

  /** Writes what waits. The connection stays its opener's to close. */
  async close(): Promise<void> {
    await this.#writes.close();
  }
}
