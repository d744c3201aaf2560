import type { Batch } from '../../../domain/batches/batch.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlRow, type Values } from '../program.ts';
import { removeWithParts } from './remove-with-parts.ts';
import { BATCH_COLUMNS, type BatchValue, IS_OPEN } from './rows.ts';

/** How many batches one transaction removes at most. */
const BATCHES_AT_ONCE = 100;

export function inserting(values: readonly BatchValue[], sql: Values): string {
  const places = values.map((value) => sql.put(value)).join(', ');
  return `INSERT INTO batches (${BATCH_COLUMNS.join(', ')}) VALUES (${places}) RETURNING id`;
}

/** Creates a batch within the bounds of its account. */
export function* creating(
  dialect: SqlDialect,
  { accountId, inputFileId }: Batch,
  values: readonly BatchValue[],
  mostOpen: number,
): SqlProgram<'created' | 'full' | 'no-file'> {
  // Two creations at the same time would each find room for one.
  const lock = dialect.lock(`batches ${accountId}`);
  if (lock !== null) yield lock;
  const [open] = yield* ask(dialect, (sql) => countingOpen(accountId, sql));
  if (Number(open?.batches ?? 0) >= mostOpen) return 'full';
  // A deletion of the file waits until the batch is there, and then keeps the content.
  const file = yield* ask(
    dialect,
    (sql) => `
      SELECT id FROM files
      WHERE id = ${sql.put(inputFileId)} AND account_id = ${sql.put(accountId)} AND state = 'whole' ${dialect.lockRows}
    `,
  );
  if (file.length === 0) return 'no-file';
  yield* ask(dialect, (sql) => `${inserting(values, sql)}${dialect.durably}`);
  return 'created';
}

export function countingOpen(accountId: string, sql: Values): string {
  return `SELECT count(*) AS batches FROM batches WHERE account_id = ${sql.put(accountId)} AND ${IS_OPEN}`;
}

/** Dead owners are listed by name, for the reason given for tasks (`../tasks/sql-tasks.ts`). */
export function* claiming(
  dialect: SqlDialect,
  owner: string,
  limit: number,
  besides: readonly string[],
): SqlProgram<readonly SqlRow[]> {
  const gone = yield* ask(
    dialect,
    () => `
      SELECT DISTINCT owner FROM batches
      WHERE ${IS_OPEN} AND owner IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM task_owners WHERE task_owners.owner = batches.owner)
    `,
  );
  return yield* ask(dialect, (sql) => {
    const isGone = dialect.inList(sql.put(JSON.stringify(gone.map((row) => row.owner))), 'text');
    const others =
      besides.length === 0 ? '' : `AND NOT (account_id ${dialect.inList(sql.put(JSON.stringify(besides)), 'text')})`;
    return `
      UPDATE batches SET owner = ${sql.put(owner)}, claim = claim + 1 WHERE id IN (
        SELECT id FROM batches WHERE ${IS_OPEN} AND (owner IS NULL OR owner ${isGone}) ${others}
        ORDER BY created_at_ms, id LIMIT ${sql.put(limit)} ${dialect.skipLocked}
      )
      RETURNING *${dialect.durably}
    `;
  });
}

/** Removes the lines of expired batches first, and a batch when it has none. */
export function* removing(dialect: SqlDialect, nowMs: number, limit: number): SqlProgram<number> {
  const expired = yield* ask(
    dialect,
    (sql) => `
      SELECT id FROM batches WHERE expires_at_ms <= ${sql.put(Math.floor(nowMs))}
      ORDER BY expires_at_ms LIMIT ${sql.put(Math.min(limit, BATCHES_AT_ONCE))} ${dialect.skipLocked}
    `,
  );
  if (expired.length === 0) return 0;
  return yield* removeWithParts(
    dialect,
    { table: 'batches', parts: { table: 'batch_lines', of: 'batch_id' } },
    expired.map(({ id }) => String(id)),
    limit,
  );
}
