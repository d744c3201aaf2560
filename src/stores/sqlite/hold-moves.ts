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
import {
  chargeEntry,
  chargeOfHold,
  countedAt,
  holdConflict,
  refuseMalformed,
  strayCharge,
} from '../shared/ledger-rules.ts';
import { closedHold, findingHold, type HoldMoves, NEW_HOLD_COLUMNS, toHoldValues } from '../sql/holds.ts';
import { runAtOnce, SQLITE } from '../sql/program.ts';
import { runStatement } from '../sql/sqlite-statement.ts';
import { BudgetPeriods } from './budget-periods.ts';
import { inTransaction, retryWhileBusy } from './connection.ts';
import { writeChargeUsage } from './usage-of-charge.ts';

const INSERT = `INSERT INTO holds (${NEW_HOLD_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const CLOSE = 'UPDATE holds SET state = ?2, charged_nano = ?3, closed_at_ms = ?4 WHERE hold_id = ?1';
const FREE_BALANCE = 'SELECT balance_nano - leased_nano AS free FROM balances WHERE account_id = ?';
const SPENT = 'SELECT spent_nano + leased_nano AS taken FROM key_spending WHERE account_id = ? AND key_id = ?';

/** An account without a row has no money. Only zero can be held of it, which needs no row. */
const HOLD_OF_BALANCE = 'UPDATE balances SET leased_nano = max(0, leased_nano + ?2) WHERE account_id = ?1';
/** An unlimited account may have no row yet. */
const CHARGE_BALANCE = `
  INSERT INTO balances (account_id, balance_nano, leased_nano) VALUES (?1, -?2, 0)
  ON CONFLICT (account_id) DO UPDATE SET balance_nano = balance_nano - ?2
`;
const MOVE_KEY = `
  INSERT INTO key_spending (account_id, key_id, spent_nano, leased_nano) VALUES (?1, ?2, ?3, max(0, ?4))
  ON CONFLICT (account_id, key_id) DO UPDATE SET
    spent_nano = spent_nano + ?3, leased_nano = max(0, leased_nano + ?4)
`;
const INSERT_CHARGE = `
  INSERT INTO ledger_entries (idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms, note, counted_at_ms)
  VALUES (?, ?, ?, 'charge', ?, ?, ?, NULL, ?)
  ON CONFLICT (idempotency_key) DO NOTHING
`;

/** Moves holds on the durable connection of the books, which returns integers as `bigint`. */
export class SqliteHoldMoves implements HoldMoves {
  readonly #database: Database;
  readonly #budgets: BudgetPeriods;

  constructor(database: Database) {
    this.#database = database;
    this.#budgets = new BudgetPeriods(database);
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
    const balance = this.#database.query<{ readonly free: bigint }, [string]>(FREE_BALANCE).get(accountId);
    const key =
      keyId === null
        ? null
        : this.#database.query<{ readonly taken: bigint }, [string, string]>(SPENT).get(accountId, keyId);
    return {
      balanceNanoUsd: balance?.free ?? 0n,
      limitNanoUsd: (keyLimitNanoUsd ?? 0n) - (key?.taken ?? 0n),
      budgetsNanoUsd: budgets.map((held) => this.#budgets.free({ ...held, accountId }, held.budgetNanoUsd)),
    };
  }

  #charge(hold: Hold, costNanoUsd: bigint, atMs: number, usage: ChargeUsage): void {
    const charge = chargeOfHold(hold, costNanoUsd, atMs, usage);
    const { accountId, keyId, requestId: holdId } = charge;
    const entry = chargeEntry(charge);
    refuseMalformed(entry);
    const values = [
      entry.idempotencyKey,
      accountId,
      keyId,
      entry.amountNanoUsd,
      holdId,
      BigInt(Math.floor(atMs)),
      countedAt(charge),
    ];
    if (this.#database.query(INSERT_CHARGE).run(...values).changes !== 1) {
      throw strayCharge(holdId);
    }
    this.#database.query(CHARGE_BALANCE).run(accountId, costNanoUsd);
    if (keyId !== null) this.#database.query(MOVE_KEY).run(accountId, keyId, costNanoUsd, 0n);
    if (this.#budgets.hasAny(accountId)) this.#budgets.count(charge);
    writeChargeUsage(this.#database, [charge]);
  }

  #close(hold: Hold, closed: ClosedHold, atMs: number): ClosedHold {
    this.#moveHeld(hold, -1n);
    this.#database.query(CLOSE).run(hold.holdId, closed.state, closed.chargedNanoUsd, BigInt(Math.floor(atMs)));
    return closed;
  }

  #moveHeld({ accountId, keyId, fromBalanceNanoUsd, fromLimitNanoUsd, budgets }: NewHold, sign: 1n | -1n): void {
    for (const held of budgets) this.#budgets.moveLease({ ...held, accountId }, sign * held.heldNanoUsd);
    if (fromBalanceNanoUsd !== null) {
      this.#database.query(HOLD_OF_BALANCE).run(accountId, sign * fromBalanceNanoUsd);
    }
    if (keyId !== null && fromLimitNanoUsd !== null) {
      this.#database.query(MOVE_KEY).run(accountId, keyId, 0n, sign * fromLimitNanoUsd);
    }
  }
}
