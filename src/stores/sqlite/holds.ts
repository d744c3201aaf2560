import type { Database } from 'bun:sqlite';
import {
  type ClosedHold,
  chargeableOf,
  type FreeBeside,
  type Hold,
  isSameHold,
  type NewHold,
} from '../../domain/ledger/hold.ts';
import type { HoldShortage } from '../../engine/ports/holds.ts';
import type { ChargeUsage } from '../../engine/ports/usage-store.ts';
import { chargeOfHold, holdConflict, refuseMalformedCharge, strayCharge } from '../shared/ledger-rules.ts';
import { closedHold, findingHold, NEW_HOLD_COLUMNS, SqlHolds, toHoldValues } from '../sql/holds.ts';
import { runAtOnce, SQLITE } from '../sql/program.ts';
import { runStatement } from '../sql/sqlite-statement.ts';
import { ChargeBooking } from './charge-booking.ts';
import { inTransaction, retryWhileBusy } from './connection.ts';
import { SqliteConnectionReader } from './reader.ts';
import { SpendingPools } from './spending-pools.ts';

const INSERT = `INSERT INTO holds (${NEW_HOLD_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const CLOSE = 'UPDATE holds SET state = ?2, charged_nano = ?3, closed_at_ms = ?4 WHERE hold_id = ?1';

/** Holds on the durable connection of the books, which returns integers as `bigint`. */
export class SqliteHolds extends SqlHolds {
  readonly #database: Database;
  readonly #pools: SpendingPools;
  readonly #booking: ChargeBooking;

  constructor(database: Database) {
    super(new SqliteConnectionReader(database));
    this.#database = database;
    this.#pools = new SpendingPools(database);
    this.#booking = new ChargeBooking(database, this.#pools);
  }

  async hold(hold: NewHold): Promise<'held' | 'known' | HoldShortage> {
    return this.#inTransaction(() => {
      const known = this.#find(hold.holdId);
      if (known !== null) {
        if (!isSameHold(known, hold)) throw holdConflict(hold.holdId);
        return 'known';
      }
      const { fromBalanceNanoUsd, fromLimitNanoUsd } = hold;
      const free = this.#freeBeside(hold);
      if (fromBalanceNanoUsd !== null && free.balanceNanoUsd < fromBalanceNanoUsd) return 'balance';
      if (fromLimitNanoUsd !== null && free.limitNanoUsd < fromLimitNanoUsd) return 'limit';
      const short = hold.budgets.find(({ heldNanoUsd }, index) => (free.budgetsNanoUsd[index] ?? 0n) < heldNanoUsd);
      if (short !== undefined) return short.keyId === null ? 'account_budget' : 'key_budget';
      this.#database.query(INSERT).run(...toHoldValues(hold));
      this.#moveHeld(hold, 1n);
      return 'held';
    });
  }

  async settle(holdId: string, costNanoUsd: bigint, atMs: number, usage: ChargeUsage): Promise<ClosedHold | null> {
    return this.#inTransaction(() => {
      const hold = this.#find(holdId);
      if (hold === null || hold.state !== 'open') return closedHold(hold);
      const chargedNanoUsd = chargeableOf(hold, costNanoUsd, this.#freeBeside(hold));
      if (chargedNanoUsd > 0n) this.#charge(hold, chargedNanoUsd, atMs, usage);
      return this.#close(hold, { state: 'settled', chargedNanoUsd }, atMs);
    });
  }

  async release(holdId: string, atMs: number): Promise<ClosedHold | null> {
    return this.#inTransaction(() => {
      const hold = this.#find(holdId);
      if (hold === null || hold.state !== 'open') return closedHold(hold);
      return this.#close(hold, { state: 'released', chargedNanoUsd: 0n }, atMs);
    });
  }

  #inTransaction<Result>(work: () => Result): Promise<Result> {
    return retryWhileBusy(() => inTransaction(this.#database, 'IMMEDIATE', work));
  }

  #find(holdId: string): Hold | null {
    return runAtOnce(findingHold(SQLITE, holdId), (statement) => runStatement(this.#database, statement));
  }

  #freeBeside({ accountId, keyId, keyLimitNanoUsd, budgets }: NewHold): FreeBeside {
    return {
      balanceNanoUsd: this.#pools.free({ accountId, keyId: null }, 0n),
      limitNanoUsd:
        keyId === null ? (keyLimitNanoUsd ?? 0n) : this.#pools.free({ accountId, keyId }, keyLimitNanoUsd ?? 0n),
      budgetsNanoUsd: budgets.map((held) => this.#pools.free({ ...held, accountId }, held.budgetNanoUsd)),
    };
  }

  #charge(hold: Hold, costNanoUsd: bigint, atMs: number, usage: ChargeUsage): void {
    const charge = chargeOfHold(hold, costNanoUsd, atMs, usage);
    refuseMalformedCharge(charge);
    const [outcome] = this.#booking.book([charge]);
    if (outcome !== 'charged') throw strayCharge(hold.holdId);
  }

  #close(hold: Hold, closed: ClosedHold, atMs: number): ClosedHold {
    this.#moveHeld(hold, -1n);
    this.#database.query(CLOSE).run(hold.holdId, closed.state, closed.chargedNanoUsd, BigInt(Math.floor(atMs)));
    return closed;
  }

  #moveHeld({ accountId, keyId, fromBalanceNanoUsd, fromLimitNanoUsd, budgets }: NewHold, sign: 1n | -1n): void {
    for (const held of budgets) this.#pools.moveLease({ ...held, accountId }, sign * held.heldNanoUsd);
    if (fromBalanceNanoUsd !== null) this.#pools.moveLease({ accountId, keyId: null }, sign * fromBalanceNanoUsd);
    if (keyId !== null && fromLimitNanoUsd !== null) {
      this.#pools.moveLease({ accountId, keyId }, sign * fromLimitNanoUsd);
    }
  }
}
