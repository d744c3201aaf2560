import type { Pool } from 'pg';
import type { HeldCharge, HeldCharges, HeldState, KnownHeldCharge } from '../../engine/ports/held-charges.ts';
import {
  fromHeldChargeRow,
  type HeldChargeRow,
  heldChargeStatements,
  toHeldChargeValues,
} from '../shared/tables/held-charges.ts';
import { query } from './connection.ts';

const STATEMENTS = heldChargeStatements('$');

export class PostgresHeldCharges implements HeldCharges {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async hold(charge: HeldCharge): Promise<void> {
    await query(this.#pool, STATEMENTS.hold, toHeldChargeValues(charge));
  }

  async list(
    { accountId = null, state = null }: { readonly accountId?: string | null; readonly state?: HeldState | null },
    limit: number,
  ): Promise<readonly KnownHeldCharge[]> {
    const values = [accountId, state, Math.max(0, Math.floor(limit))];
    const { rows } = await query<HeldChargeRow>(this.#pool, STATEMENTS.list, values);
    return rows.map(fromHeldChargeRow);
  }

  async find(requestId: string): Promise<KnownHeldCharge | null> {
    const { rows } = await query<HeldChargeRow>(this.#pool, STATEMENTS.find, [requestId]);
    return rows[0] === undefined ? null : fromHeldChargeRow(rows[0]);
  }

  async decide(requestId: string, state: 'settled' | 'dismissed'): Promise<boolean> {
    const { rowCount } = await query(this.#pool, STATEMENTS.decide, [requestId, state]);
    return rowCount === 1;
  }
}
