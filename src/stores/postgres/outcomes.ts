import type { Pool } from 'pg';
import type { OutcomeCount } from '../../domain/catalog/preference.ts';
import type { OutcomeSource } from '../../engine/ports/outcomes.ts';
import type { RequestLog } from '../../engine/ports/request-log.ts';
import { OUTCOME_OF_LINE } from '../shared/outcome-condition.ts';
import { inTransaction } from './connection.ts';

/** Less than a claim lasts; the store's other statements have no such time. */
export const COUNT_TIMEOUT_MS = 110_000;

const COUNT = `
  SELECT model_id, sum(outcome)::double precision AS succeeded, sum(1 - outcome)::double precision AS failed
  FROM (SELECT model_id, ${OUTCOME_OF_LINE} AS outcome FROM request_log WHERE at_ms >= $1 AND at_ms < $2) AS lines
  WHERE outcome IS NOT NULL AND model_id IS NOT NULL
  GROUP BY model_id
`;

interface CountRow {
  readonly model_id: string;
  readonly succeeded: number;
  readonly failed: number;
}

export interface PostgresOutcomesOptions {
  /** One whose statements may take `COUNT_TIMEOUT_MS`. */
  readonly pool: Pool;
  readonly requestLog: RequestLog;
}

/** The request log of all nodes as a source of outcomes. */
export class PostgresOutcomes implements OutcomeSource {
  readonly #options: PostgresOutcomesOptions;

  constructor(options: PostgresOutcomesOptions) {
    this.#options = options;
  }

  async count(fromMs: number, toMs: number): Promise<readonly OutcomeCount[]> {
    const { pool, requestLog } = this.#options;
    // A failure to write is reported by the queue; the lines that are written can be counted all the same.
    await requestLog.flush().catch(() => {});
    const { rows } = await inTransaction(pool, async (session) => {
      // So that the server, too, gives up when nobody waits any more.
      await session.query(`SET LOCAL statement_timeout = ${COUNT_TIMEOUT_MS}`);
      return session.query<CountRow>(COUNT, [fromMs, toMs]);
    });
    return rows.map(({ model_id: modelId, succeeded, failed }) => ({ modelId, succeeded, failed }));
  }
}
