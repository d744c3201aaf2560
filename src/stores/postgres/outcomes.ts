import type { Pool, PoolClient } from 'pg';
import type { OutcomeCount } from '../../domain/catalog/preference.ts';
import type { OutcomeSource } from '../../engine/ports/outcomes.ts';
import type { RequestLog } from '../../engine/ports/request-log.ts';
import { OUTCOME_OF_LINE } from '../shared/outcome-condition.ts';
import { inTransaction, query, type Session } from './connection.ts';

/** Shorter than a claim lasts, and longer than the timeouts of other statements. */
export const COUNT_TIMEOUT_MS = 110_000;

/** Makes the server give up as well when the caller no longer waits. */
const BEGIN_COUNT = `
  SELECT set_config('statement_timeout', '${COUNT_TIMEOUT_MS}', true), pg_backend_pid() AS process_id
`;

/** The SQL equivalent of OutcomeTally (domain/catalog). */
const COUNT = `
  SELECT model_id, sum(succeeded)::double precision AS succeeded,
    CASE WHEN count(*) = 1 THEN sum(failed) ELSE least(sum(failed), 2 * (sum(failed) - max(failed))) END::double precision AS failed
  FROM (
    SELECT model_id, account_id, sum(outcome) AS succeeded, sum(1 - outcome) AS failed
    FROM (
      SELECT model_id, account_id, ${OUTCOME_OF_LINE} AS outcome FROM request_log WHERE at_ms >= $1 AND at_ms < $2
    ) AS lines
    WHERE outcome IS NOT NULL AND model_id IS NOT NULL
    GROUP BY model_id, account_id
  ) AS accounts
  GROUP BY model_id
`;

/**
 * A busy server process does not notice that its client has gone. A pooler may meanwhile have assigned the process to another client, so
 * only the count itself is cancelled, identified by the beginning of its text, since the server truncates long statements.
 */
const CANCEL = `
  SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND left(query, 100) = left($2, 100)
`;

interface CountRow {
  readonly model_id: string;
  readonly succeeded: number;
  readonly failed: number;
}

export interface PostgresOutcomesOptions {
  /** A pool for this source only, whose statements may take `COUNT_TIMEOUT_MS`. */
  readonly pool: Pool;
  /** Another pool, through which a count can be cancelled. */
  readonly mainPool: Pool;
  readonly requestLog: RequestLog;
}

/** Counts outcomes in the request log of all nodes. */
export class PostgresOutcomes implements OutcomeSource {
  readonly #options: PostgresOutcomesOptions;
  readonly #running = new Set<Promise<unknown>>();
  /** Pool connections in use. */
  readonly #clients = new Set<PoolClient>();
  /** The server processes that are counting. */
  readonly #processIds = new Set<number>();
  #isClosed = false;

  constructor(options: PostgresOutcomesOptions) {
    this.#options = options;
    options.pool.on('acquire', (client) => this.#clients.add(client));
    options.pool.on('release', (_error, client) => this.#clients.delete(client));
  }

  async count(fromMs: number, toMs: number): Promise<readonly OutcomeCount[]> {
    const { pool, requestLog } = this.#options;
    // The queue reports write failures; lines already written can still be counted.
    await requestLog.flush().catch(() => {});
    this.#refuseIfClosed();
    const counting = inTransaction(pool, (session) => this.#countIn(session, fromMs, toMs));
    this.#running.add(counting);
    try {
      return await counting;
    } catch (error) {
      this.#refuseIfClosed();
      throw error;
    } finally {
      this.#running.delete(counting);
    }
  }

  /** Cancels running counts, which reject, here and on the server. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { mainPool } = this.#options;
    const cancelling = [...this.#processIds].map((processId) => query(mainPool, CANCEL, [processId, COUNT]));
    // Ending a connection that waits for a response cuts it at once.
    for (const client of this.#clients) client.end().catch(() => {});
    // If the server does not respond, the count ends there by its statement timeout.
    await Promise.allSettled([...cancelling, ...this.#running]);
  }

  async #countIn(session: Session, fromMs: number, toMs: number): Promise<readonly OutcomeCount[]> {
    const { rows } = await session.query<{ process_id: number }>(BEGIN_COUNT);
    this.#refuseIfClosed();
    const processId = rows[0]?.process_id ?? 0;
    this.#processIds.add(processId);
    try {
      const counted = await session.query<CountRow>(COUNT, [fromMs, toMs]);
      return counted.rows.map(({ model_id: modelId, succeeded, failed }) => ({ modelId, succeeded, failed }));
    } finally {
      this.#processIds.delete(processId);
    }
  }

  #refuseIfClosed(): void {
    if (this.#isClosed) throw new Error('The store is closed.');
  }
}
