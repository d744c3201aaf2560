import type { Database } from 'bun:sqlite';
import type { AuditEntry, AuditLog, AuditQuery, NewAuditEntry } from '../../engine/ports/audit-log.ts';
import { type AuditRow, auditInsert, auditPage, fromAuditRow, toAuditValues } from '../shared/tables/audit-log.ts';
import { GroupCommit } from './group-commit.ts';
import type { ReadingThread } from './reading-thread.ts';

const INSERT = auditInsert('?');

/** Writes an entry within the transaction that is open on this connection. */
export function insertAuditEntry(database: Database, entry: NewAuditEntry): void {
  database.query(INSERT).run(...toAuditValues(entry));
}

export class SqliteAuditLog implements AuditLog {
  readonly #database: Database;
  readonly #writes: GroupCommit;

  readonly #reading: Pick<ReadingThread, 'rows'>;

  /** @param database its transactions wait for the disk, and it has no busy timeout */
  constructor(database: Database, reading: Pick<ReadingThread, 'rows'>) {
    this.#database = database;
    this.#reading = reading;
    this.#writes = new GroupCommit(database);
  }

  async append(entries: readonly NewAuditEntry[]): Promise<void> {
    await this.#writes.run(entries.length * 1_000, () => {
      for (const entry of entries) insertAuditEntry(this.#database, entry);
    });
  }

  async page(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const { sql, values } = auditPage('?', query);
    return (await this.#reading.rows<AuditRow>(sql, values)).map(fromAuditRow);
  }

  /** Writes what waits. The connection stays its opener's to close. */
  async close(): Promise<void> {
    await this.#writes.close();
  }
}
