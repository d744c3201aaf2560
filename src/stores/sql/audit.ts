import type {
  ActorKind,
  AuditEntry,
  AuditFields,
  AuditLog,
  AuditQuery,
  NewAuditEntry,
} from '../../engine/ports/audit-log.ts';
import { fromJson, toNullableJson } from '../shared/tables/encoding.ts';
import {
  ask,
  lock,
  type ProgramRunner,
  type SqlDialect,
  type SqlProgram,
  type SqlReader,
  type SqlRow,
  type SqlRunner,
  type Values,
} from './program.ts';

/** In the order of `toAuditValues`. Quoted, since `before` is an SQL keyword. */
const COLUMNS = `at_ms, actor_kind, actor_id, actor_name, address, request_id, action, account_id, object_id, "before", "after"`;
/** The assumed size of an entry for the limit on transaction size. */
const ENTRY_BYTES = 1_000;

/** An entry as plain data, which can be sent to the writer thread. `AuditFields` may contain more than that. */
export type AuditValues = readonly (string | number | null)[];

export interface SqlAuditLogOptions {
  readonly runner: ProgramRunner;
  readonly reader: SqlReader;
  readonly appender: { append(entries: readonly AuditValues[]): Promise<void> };
}

export class SqlAuditLog implements AuditLog {
  readonly #options: SqlAuditLogOptions;

  constructor(options: SqlAuditLogOptions) {
    this.#options = options;
  }

  append(entries: readonly NewAuditEntry[]): Promise<void> {
    return this.#options.appender.append(entries.map(toAuditValues));
  }

  rewrite(entries: readonly AuditEntry[], pseudonym: string): Promise<void> {
    const { runner } = this.#options;
    return runner.write(() => rewriting(runner.dialect, entries, pseudonym));
  }

  async page(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const { reader } = this.#options;
    const rows = await reader.read(() => ask(reader.dialect, (sql) => pageText(reader.dialect, sql, query)));
    return rows.map(fromRow);
  }
}

/** Appends entries without another change. */
export class AuditAppender {
  readonly #runner: SqlRunner;

  /** @param runner must be durable */
  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  append(entries: readonly AuditValues[]): Promise<void> {
    const bytes = entries.length * ENTRY_BYTES;
    return this.#runner.write(() => appending(this.#runner.dialect, entries), { bytes });
  }
}

/**
 * Appends entries. A lock makes the order of commits that of the numbers: otherwise a reader paging from oldest to newest would miss an
 * entry that is committed late.
 */
export function* appending(dialect: SqlDialect, entries: readonly AuditValues[]): SqlProgram<void> {
  if (entries.length === 0) return;
  yield* lock(dialect, 'audit log');
  for (const values of entries) {
    const insert = (sql: Values) =>
      `INSERT INTO audit_log (${COLUMNS}) VALUES (${values.map((value) => sql.put(value)).join(', ')})`;
    yield* ask(dialect, insert);
  }
}

function* rewriting(dialect: SqlDialect, entries: readonly AuditEntry[], pseudonym: string): SqlProgram<void> {
  yield dialect.letIn(pseudonym);
  for (const { actor, address, objectId, before, after, sequence } of entries) {
    yield* ask(
      dialect,
      (sql) => `
        UPDATE audit_log
        SET actor_id = ${sql.put(actor.id)}, actor_name = ${sql.put(actor.name)}, address = ${sql.put(address)},
          object_id = ${sql.put(objectId)}, "before" = ${sql.put(toNullableJson(before))},
          "after" = ${sql.put(toNullableJson(after))}
        WHERE sequence = ${sql.put(sequence)}
      `,
    );
  }
  yield dialect.letIn('');
}

/** Includes only the given conditions, so that each query finds its index. */
function pageText(dialect: SqlDialect, sql: Values, query: AuditQuery): string {
  const conditions = ['1 = 1'];
  const equals = (expression: string, value: string | undefined) => {
    if (value !== undefined) conditions.push(`${expression} = ${sql.put(value)}`);
  };
  const { action, after } = query;
  equals('account_id', query.accountId);
  equals('actor_kind', query.actorKind);
  equals('actor_id', query.actorId);
  equals('object_id', query.objectId);
  // `key` matches all actions that begin with `key.`.
  equals(action?.includes('.') === false ? dialect.beforeDot('action') : 'action', action);
  if (query.fromMs !== undefined) conditions.push(`at_ms >= ${sql.put(Math.ceil(query.fromMs))}`);
  if (query.toMs !== undefined) conditions.push(`at_ms < ${sql.put(Math.ceil(query.toMs))}`);
  const isNewest = query.order === 'newest';
  if (after !== null) conditions.push(`sequence ${isNewest ? '<' : '>'} ${sql.put(after)}`);
  return `
    SELECT sequence, ${COLUMNS} FROM audit_log WHERE ${conditions.join(' AND ')}
    ORDER BY sequence ${isNewest ? 'DESC' : 'ASC'} LIMIT ${sql.put(query.limit)}
  `;
}

export function toAuditValues(entry: NewAuditEntry): AuditValues {
  return [
    Math.floor(entry.atMs),
    entry.actor.kind,
    entry.actor.id,
    entry.actor.name,
    entry.address,
    entry.requestId,
    entry.action,
    entry.accountId,
    entry.objectId,
    toNullableJson(entry.before),
    toNullableJson(entry.after),
  ];
}

function fromRow(row: SqlRow): AuditEntry {
  const text = (value: unknown) => (value === null ? null : String(value));
  const words = (value: unknown) => (value === null ? null : fromJson<AuditFields>(String(value)));
  return {
    sequence: Number(row.sequence),
    atMs: Number(row.at_ms),
    actor: {
      kind: row.actor_kind as ActorKind, // Only written by this code.
      id: text(row.actor_id),
      name: String(row.actor_name),
    },
    address: text(row.address),
    requestId: text(row.request_id),
    action: String(row.action),
    accountId: text(row.account_id),
    objectId: String(row.object_id),
    before: words(row.before),
    after: words(row.after),
  };
}
