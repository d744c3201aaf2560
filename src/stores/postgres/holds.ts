import type { Pool } from 'pg';
import type { ClosedHold, NewHold } from '../../domain/ledger/hold.ts';
import type { HoldShortage } from '../../engine/ports/holds.ts';
import type { ChargeUsage } from '../../engine/ports/usage-store.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { holdConflict, strayCharge } from '../shared/ledger-rules.ts';
import { retrying } from '../shared/retrying.ts';
import { SqlHolds, toHoldValues } from '../sql/holds.ts';
import { query } from './connection.ts';
import { isPassing } from './database-away-error.ts';
import type { PostgresLedger } from './ledger.ts';
import { PostgresReader } from './runner.ts';

const UNIQUE_VIOLATION = '23505';

type HoldOutcome = 'held' | 'known' | 'conflict' | HoldShortage;

/** The most recalls for one hold, since released amounts may be leased by another node first. */
const RECALLS = 20;

function isShortage(outcome: HoldOutcome): outcome is HoldShortage {
  return outcome !== 'held' && outcome !== 'known' && outcome !== 'conflict';
}

interface EndedRow {
  readonly ended: ClosedHold['state'] | null;
  readonly charged: bigint | null;
}

export interface PostgresHoldsOptions {
  readonly pool: Pool;
  /** Frees leases of expired nodes, and idle leases of other nodes, which may be the missing amount. */
  readonly ledger: Pick<PostgresLedger, 'endExpiredNodes' | 'recall'>;
}

export class PostgresHolds extends SqlHolds {
  readonly #options: PostgresHoldsOptions;

  constructor(options: PostgresHoldsOptions) {
    super(new PostgresReader(options.pool));
    this.#options = options;
  }

  async hold(hold: NewHold): Promise<'held' | 'known' | HoldShortage> {
    let outcome = await this.#hold(hold);
    if (isShortage(outcome)) {
      await this.#options.ledger.endExpiredNodes();
      outcome = await this.#hold(hold);
    }
    for (let round = 0; isShortage(outcome) && round < RECALLS && (await this.#options.ledger.recall(hold)); round++) {
      outcome = await this.#hold(hold);
    }
    if (outcome === 'conflict') throw holdConflict(hold.holdId);
    return outcome;
  }

  async settle(holdId: string, costNanoUsd: bigint, atMs: number, usage: ChargeUsage): Promise<ClosedHold | null> {
    const sql = 'select ended, charged from ledger_settle_hold_2($1, $2, $3, $4, $5, $6, $7)';
    const { modelId, channelId, status, tags } = usage;
    try {
      return await this.#end(sql, [holdId, costNanoUsd, Math.floor(atMs), modelId, channelId, status, tags]);
    } catch (error) {
      if (errorCodeOf(error) !== UNIQUE_VIOLATION) throw error;
      throw strayCharge(holdId);
    }
  }

  async release(holdId: string, atMs: number): Promise<ClosedHold | null> {
    return this.#end('select ended, charged from ledger_release_hold($1, $2)', [holdId, Math.floor(atMs)]);
  }

  async #hold(hold: NewHold): Promise<HoldOutcome> {
    const sql = 'select ledger_hold_2($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as outcome';
    const rows = await this.#untilDone<{ readonly outcome: HoldOutcome }>(sql, toHoldValues(hold));
    return rows[0]?.outcome ?? 'conflict';
  }

  async #end(sql: string, values: unknown[]): Promise<ClosedHold | null> {
    const [row] = await this.#untilDone<EndedRow>(sql, values);
    const { ended = null, charged = null } = row ?? {};
    return ended === null ? null : { state: ended, chargedNanoUsd: charged ?? 0n };
  }

  /** Retries if the outcome is unknown. A statement that was already executed changes nothing and returns the earlier result. */
  #untilDone<Row extends object>(sql: string, values: unknown[]): Promise<readonly Row[]> {
    return retrying(isPassing, async () => (await query<Row>(this.#options.pool, sql, values)).rows);
  }
}
