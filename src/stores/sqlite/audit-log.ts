import type { AuditEntry, AuditLog, AuditQuery, NewAuditEntry } from '../../engine/ports/audit-log.ts';
import { type AuditRow, auditPage, fromAuditRow, toAuditValues } from '../shared/tables/audit-log.ts';
import { type BooksLink, type Remote, remote } from './books-link.ts';
import type { ReadingThread } from './reading-thread.ts';

export class SqliteAuditLog implements AuditLog {
  readonly #writer: Remote<'audit'>;
  readonly #reading: Pick<ReadingThread, 'rows'>;

  constructor(thread: BooksLink, reading: Pick<ReadingThread, 'rows'>) {
    this.#writer = remote(thread, 'audit');
    this.#reading = reading;
  }

  append(entries: readonly NewAuditEntry[]): Promise<void> {
    return this.#writer.append(entries.map(toAuditValues));
  }

  async page(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const { sql, values } = auditPage('?', query);
    return (await this.#reading.rows<AuditRow>(sql, values)).map(fromAuditRow);
  }
}
