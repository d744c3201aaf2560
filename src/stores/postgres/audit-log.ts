import type { Pool } from 'pg';
import type { AuditEntry, AuditLog, AuditQuery, NewAuditEntry } from '../../engine/ports/audit-log.ts';
import {
  type AuditRow,
  auditInsert,
  auditPage,
  auditRewrite,
  auditRewriteValues,
  fromAuditRow,
  toAuditValues,
} from '../shared/tables/audit-log.ts';
import { POSTGRES } from '../sql/program.ts';
import { inTransaction, query as run, type Session } from './connection.ts';

const INSERT = auditInsert('$');
const REWRITE = auditRewrite('$');

/**
 * One entry gets its number after another, also those of several nodes: who reads page by page, oldest first, would else miss one
 * that is committed late. The lock is held to the end of the transaction.
 */
const LOCK = 'SELECT pg_advisory_xact_lock(1635083369)';

/** Writes entries within the transaction of the session. */
export async function insertAuditEntries(session: Session, entries: readonly NewAuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await session.query(LOCK);
  for (const entry of entries) await session.query(INSERT, toAuditValues(entry));
}

export class PostgresAuditLog implements AuditLog {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async append(entries: readonly NewAuditEntry[]): Promise<void> {
    await inTransaction(this.#pool, (session) => insertAuditEntries(session, entries));
  }

  async rewrite(entries: readonly AuditEntry[], pseudonym: string): Promise<void> {
    await inTransaction(this.#pool, async (session) => {
      const { sql, values } = POSTGRES.letIn(pseudonym);
      await session.query(sql, values);
      for (const entry of entries) await session.query(REWRITE, auditRewriteValues(entry));
    });
  }

  async page(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const { sql, values } = auditPage('$', query);
    return (await run<AuditRow>(this.#pool, sql, values)).rows.map(fromAuditRow);
  }
}
