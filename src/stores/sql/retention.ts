import type { AgeingTable, RetentionStore, Thinning, ThinningTask } from '../../engine/ports/retention-store.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlRunner, type Values } from './program.ts';
import { thinSums } from './usage/thinning-programs.ts';

/** The parts that differ between the databases: whether several nodes share it, and whether the request log has partitions. */
export interface RetentionParts extends Pick<RetentionStore, 'claim' | 'release' | 'tendLog'> {
  /** Resolves to the request log tables whose lines are deleted individually. */
  logTables(): Promise<readonly string[]>;
}

interface SqlRetentionOptions {
  /** Need not be durable: a deletion lost in a crash is repeated. */
  readonly runner: SqlRunner;
  /** For records of what will be missing. If they were lost, deleted sums would read as zero. */
  readonly durable: SqlRunner;
  readonly parts: RetentionParts;
}

/** Deletes rows of tables that no other port deletes from, and thins usage sums. */
export class SqlRetention implements RetentionStore {
  readonly #options: SqlRetentionOptions;

  constructor(options: SqlRetentionOptions) {
    this.#options = options;
  }

  claim(holder: string, nowMs: number, untilMs: number): Promise<boolean> {
    return this.#options.parts.claim(holder, nowMs, untilMs);
  }

  release(holder: string): Promise<void> {
    return this.#options.parts.release(holder);
  }

  tendLog(nowMs: number, beforeMs: number): Promise<void> {
    return this.#options.parts.tendLog(nowMs, beforeMs);
  }

  async removeOld(table: AgeingTable, beforeMs: number, limit: number): Promise<number> {
    const { runner, parts } = this.#options;
    const old = { beforeMs: Math.floor(beforeMs), limit };
    if (table !== 'request_log') return runner.write(() => removing(runner.dialect, table, old));
    let removed = 0;
    for (const name of await parts.logTables()) {
      const rest = { ...old, limit: limit - removed };
      removed += await runner.change((sql) => removeLines(sql, name, rest));
    }
    return removed;
  }

  thinSums(task: ThinningTask): Promise<string | null> {
    const { runner } = this.#options;
    return runner.write(() => thinSums(runner.dialect, task));
  }

  async thinning(): Promise<Thinning> {
    const { runner } = this.#options;
    const text = 'SELECT thinned_until_ms, minutes_before_ms, hours_before_ms, ranks_before_ms FROM usage_thinning';
    const [row] = await runner.read(() => ask(runner.dialect, () => text));
    return {
      doneUntilMs: Number(row?.thinned_until_ms ?? 0),
      minutesBeforeMs: Number(row?.minutes_before_ms ?? 0),
      hoursBeforeMs: Number(row?.hours_before_ms ?? 0),
      ranksBeforeMs: Number(row?.ranks_before_ms ?? 0),
    };
  }

  async beginThinning(of: Pick<ThinningTask, 'minutesBeforeMs' | 'hoursBeforeMs'>): Promise<void> {
    await this.#options.durable.change((sql) =>
      noted(sql, { minutes_before_ms: of.minutesBeforeMs, hours_before_ms: of.hoursBeforeMs }),
    );
  }

  async endThinning(untilMs: number): Promise<void> {
    await this.#options.durable.change((sql) => `UPDATE usage_thinning SET thinned_until_ms = ${sql.put(untilMs)}`);
  }
}

interface Old {
  readonly beforeMs: number;
  readonly limit: number;
}

function* removing(dialect: SqlDialect, table: Exclude<AgeingTable, 'request_log'>, old: Old): SqlProgram<number> {
  if (table === 'audit_log') yield dialect.letAuditGo(old.beforeMs);
  if (table === 'usage_account_days') yield* ask(dialect, (sql) => noted(sql, { ranks_before_ms: old.beforeMs }));
  const removed = yield* ask(dialect, (sql) => `${removeText(sql, table, old)} RETURNING 1`);
  if (table === 'audit_log') yield dialect.letAuditGo(0);
  return removed.length;
}

/** @param table the request log, or a partition of it */
function removeLines(sql: Values, table: string, { beforeMs, limit }: Old): string {
  const oldest = `SELECT id FROM ${table} WHERE at_ms < ${sql.put(beforeMs)} ORDER BY at_ms LIMIT ${sql.put(limit)}`;
  return `DELETE FROM ${table} WHERE id IN (${oldest})`;
}

function removeText(sql: Values, table: Exclude<AgeingTable, 'request_log'>, old: Old): string {
  const [before, limit] = [sql.put(old.beforeMs), sql.put(old.limit)];
  switch (table) {
    // The table has no index by time. Entries are written in order of time, so those with the lowest numbers are scanned.
    case 'audit_log':
      return `DELETE FROM audit_log WHERE sequence IN (
        SELECT sequence FROM (SELECT sequence, at_ms FROM audit_log ORDER BY sequence LIMIT ${limit}) AS oldest
        WHERE at_ms < ${before}
      )`;
    case 'holds':
      return `DELETE FROM holds WHERE hold_id IN (
        SELECT hold_id FROM holds WHERE state <> 'open' AND closed_at_ms < ${before} ORDER BY closed_at_ms LIMIT ${limit}
      )`;
    case 'usage_account_days':
      return `DELETE FROM usage_account_days WHERE (account_id, day_ms) IN (
        SELECT account_id, day_ms FROM usage_account_days WHERE day_ms < ${before} ORDER BY day_ms LIMIT ${limit}
      )`;
    case 'held_charges':
      return `DELETE FROM held_charges WHERE request_id IN (
        SELECT request_id FROM held_charges WHERE state <> 'open' AND at_ms < ${before} ORDER BY at_ms LIMIT ${limit}
      )`;
  }
}

/** Records the times before which data is missing. They never decrease. */
function noted(sql: Values, times: Readonly<Record<string, number>>): string {
  const columns = Object.keys(times);
  const later = (column: string) =>
    `${column} = CASE WHEN excluded.${column} > usage_thinning.${column} THEN excluded.${column} ELSE usage_thinning.${column} END`;
  return `
    INSERT INTO usage_thinning (one, thinned_until_ms, ${columns.join(', ')})
    VALUES (1, 0, ${Object.values(times)
      .map((time) => sql.put(time))
      .join(', ')})
    ON CONFLICT (one) DO UPDATE SET ${columns.map(later).join(', ')}
  `;
}
