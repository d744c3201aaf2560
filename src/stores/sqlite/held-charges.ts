import type { Database } from 'bun:sqlite';
import type { HeldCharge, HeldCharges, HeldState, KnownHeldCharge } from '../../engine/ports/held-charges.ts';
import {
  fromHeldChargeRow,
  type HeldChargeRow,
  heldChargeStatements,
  toHeldChargeValues,
} from '../shared/tables/held-charges.ts';
import { retryWhileBusy } from './connection.ts';

const STATEMENTS = heldChargeStatements('?');

/** On the books' connection, whose transactions wait for the disk; integers come back as `bigint`. */
export class SqliteHeldCharges implements HeldCharges {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async hold(charge: HeldCharge): Promise<void> {
    await retryWhileBusy(() => this.#database.query(STATEMENTS.hold).run(...toHeldChargeValues(charge)));
  }

  async list(
    { accountId = null, state = null }: { readonly accountId?: string | null; readonly state?: HeldState | null },
    limit: number,
  ): Promise<readonly KnownHeldCharge[]> {
    return this.#database
      .query<HeldChargeRow, [string | null, string | null, number]>(STATEMENTS.list)
      .all(accountId, state, Math.max(0, Math.floor(limit)))
      .map(fromHeldChargeRow);
  }

  async find(requestId: string): Promise<KnownHeldCharge | null> {
    const row = this.#database.query<HeldChargeRow, [string]>(STATEMENTS.find).get(requestId);
    return row === null ? null : fromHeldChargeRow(row);
  }

  async decide(requestId: string, state: 'settled' | 'dismissed'): Promise<boolean> {
    const changed = await retryWhileBusy(() => this.#database.query(STATEMENTS.decide).run(requestId, state).changes);
    return changed > 0;
  }
}
