import type { AuditEntry, AuditLog, AuditQuery, NewAuditEntry } from '../../engine/ports/audit-log.ts';
import {
  type AuditRow,
  auditPage,
  auditRewrite,
  auditRewriteValues,
  fromAuditRow,
  toAuditValues,
} from '../shared/tables/audit-log.ts';
import { SQLITE } from '../sql/program.ts';
import { type BooksLink, type Remote, remote, transact } from './books-link.ts';
import type { ReadingThread } from './reading-thread.ts';

const REWRITE = auditRewrite('?');

export class SqliteAuditLog implements AuditLog {
  readonly #thread: BooksLink;
  readonly #writer: Remote<'audit'>;
  readonly #reading: Pick<ReadingThread, 'rows'>;

  constructor(thread: BooksLink, reading: Pick<ReadingThread, 'rows'>) {
    this.#thread = thread;
    this.#writer = remote(thread, 'audit');
    this.#reading = reading;
  }

  append(entries: readonly NewAuditEntry[]): Promise<void> {
    return this.#writer.append(entries.map(toAuditValues));
  }

  rewrite(entries: readonly AuditEntry[], pseudonym: string): Promise<void> {
    return transact(this.#thread, async (ask) => {
      await ask(SQLITE.letIn(pseudonym));
      for (const entry of entries) await ask({ sql: REWRITE, values: auditRewriteValues(entry) });
      await ask(SQLITE.letIn(''));
      return { result: undefined, audit: [] };
    });
  }

  async page(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const { sql, values } = auditPage('?', query);
    return (await this.#reading.rows<AuditRow>(sql, values)).map(fromAuditRow);
  }
}
