import type { Database } from 'bun:sqlite';
import type { UsageQuery, UsageStore, UsageSum } from '../../engine/ports/usage-store.ts';
import { rollStatement, type SumDialect, type SumRow, sumStatement, sumsOf } from '../shared/usage-statements.ts';
import { inTransaction, retryWhileBusy } from './connection.ts';
import type { ReadingThread } from './reading-thread.ts';

const LAST_OF_BATCH =
  'SELECT max(id) AS last, count(*) AS found FROM (SELECT id FROM usage_deltas ORDER BY id LIMIT ?)';
const ROLL = rollStatement('usage_deltas', 'id <= ?');

const DIALECT: SumDialect = {
  mark: '?',
  segments: (list) =>
    `(SELECT value ->> 0 AS place, value ->> 1 AS level, value ->> 2 AS from_ms, value ->> 3 AS to_ms FROM json_each(${list}))`,
  accounts: (list) => `(SELECT value AS id FROM json_each(${list}))`,
  // In the order of the cross joins, which SQLite keeps.
  joined: (segments, accounts, condition) =>
    `FROM ${segments} AS segments CROSS JOIN ${accounts} AS accounts CROSS JOIN usage_rollups WHERE ${condition}`,
  integer: (expression) => expression,
};

export interface SqliteUsageOptions {
  /** Its integers come back as `bigint`; its transactions do not wait for the disk: what is lost with a crash is rolled up again. */
  readonly database: Database;
  readonly reading: ReadingThread;
}

export class SqliteUsage implements UsageStore {
  readonly #options: SqliteUsageOptions;

  constructor(options: SqliteUsageOptions) {
    this.#options = options;
  }

  async roll(limit: number): Promise<number> {
    const { database } = this.#options;
    const batch = database.query<{ last: bigint | null; found: bigint }, [number]>(LAST_OF_BATCH);
    // Without rows there is no need for the lock.
    if (batch.get(limit)?.last == null) return 0;
    return retryWhileBusy(() =>
      inTransaction(database, 'IMMEDIATE', () => {
        const { last = null, found = 0n } = batch.get(limit) ?? {};
        if (last === null) return 0;
        database.query(ROLL).run(last);
        database.query('DELETE FROM usage_deltas WHERE id <= ?').run(last);
        return Number(found);
      }),
    );
  }

  async sum(query: UsageQuery): Promise<readonly UsageSum[]> {
    const { sql, values } = sumStatement(query, DIALECT);
    return sumsOf(await this.#options.reading.rows<SumRow>(sql, values), query);
  }
}
