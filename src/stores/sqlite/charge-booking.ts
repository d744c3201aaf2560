import type { Database } from 'bun:sqlite';
import type { Charge, LedgerEntry, NewEntry } from '../../engine/ports/ledger.ts';
import type { ChargeOutcome } from '../shared/charge-queue.ts';
import { chargeEntry, countedAt, isSameEntry, ledgerConflict } from '../shared/ledger-rules.ts';
import { type EntryRow, fromEntryRow } from '../shared/tables/ledger.ts';
import { usageOfCharges } from '../shared/tables/usage.ts';
import type { SpendingPools } from './spending-pools.ts';

const insertOf = (rows: number) => `
  INSERT INTO ledger_entries (idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms, note, counted_at_ms)
  VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}
  ON CONFLICT (idempotency_key) DO NOTHING
`;
const INSERT = insertOf(1);
/** In a multi-row insert a row takes two thirds of the time of a single insert; the commit takes the same time. */
const ROWS_AT_ONCE = 10;
const INSERT_MANY = insertOf(ROWS_AT_ONCE);

const MOVE_BALANCE = `
  INSERT INTO balances (account_id, balance_nano, leased_nano) VALUES (?1, ?2, 0)
  ON CONFLICT (account_id) DO UPDATE SET
    balance_nano = balance_nano + ?2, leased_nano = max(0, leased_nano - ?3)
`;

const MOVE_SPENDING = `
  INSERT INTO key_spending (account_id, key_id, spent_nano, leased_nano) VALUES (?1, ?2, ?3, 0)
  ON CONFLICT (account_id, key_id) DO UPDATE SET
    spent_nano = spent_nano + ?3, leased_nano = max(0, leased_nano - ?4)
`;

const INSERT_USAGE = `
  INSERT INTO usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, tag, cost_nano)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
`;

/** The total of a batch in one account or key, applied in one update. */
interface Movement {
  cost: bigint;
  fromLease: bigint;
}

interface AccountMovement extends Movement {
  readonly keys: Map<string, Movement>;
}

/** Thrown if a batch contains known charges; its transaction must be rolled back. */
export class SomeAreKnown extends Error {}

/**
 * Books charges and other entries in the caller's transaction: the entry, the balance, the key's spending, the budgets and the usage sums.
 * The connection returns integers as `bigint`.
 */
export class ChargeBooking {
  readonly #database: Database;
  readonly #pools: SpendingPools;

  constructor(database: Database, pools: SpendingPools) {
    this.#database = database;
    this.#pools = pools;
  }

  /** Books a batch of new charges, the usual case. Throws `SomeAreKnown` if any is known. */
  bookNew(batch: readonly Charge[]): ChargeOutcome[] {
    const whole = batch.length - (batch.length % ROWS_AT_ONCE);
    for (let from = 0; from < whole; from += ROWS_AT_ONCE) {
      const values = batch.slice(from, from + ROWS_AT_ONCE).flatMap(chargeValues);
      if (this.#database.query(INSERT_MANY).run(...values).changes !== ROWS_AT_ONCE) throw new SomeAreKnown();
    }
    for (const charge of batch.slice(whole)) {
      if (this.#database.query(INSERT).run(...chargeValues(charge)).changes !== 1) throw new SomeAreKnown();
    }
    this.#move(batch);
    return batch.map(() => 'charged');
  }

  /** Books a batch of which some may be known. */
  book(batch: readonly Charge[]): ChargeOutcome[] {
    const charged: Charge[] = [];
    const outcomes = batch.map((charge): ChargeOutcome => {
      const entry = chargeEntry(charge);
      if (this.#database.query(INSERT).run(...chargeValues(charge)).changes === 1) {
        charged.push(charge);
        return 'charged';
      }
      const known = this.find(entry.idempotencyKey);
      return known === null || isSameEntry(known, entry) ? 'known' : ledgerConflict(known, entry);
    });
    this.#move(charged);
    return outcomes;
  }

  /** Adds a new entry that is not a charge. */
  append(entry: NewEntry): void {
    this.#database.query(INSERT).run(...valuesOf(entry, null));
    this.#database.query(MOVE_BALANCE).run(entry.accountId, entry.amountNanoUsd, 0n);
  }

  find(idempotencyKey: string): LedgerEntry | null {
    const sql = 'SELECT * FROM ledger_entries WHERE idempotency_key = ?';
    const row = this.#database.query<EntryRow, [string]>(sql).get(idempotencyKey);
    return row === null ? null : fromEntryRow(row);
  }

  #move(charged: readonly Charge[]): void {
    const movements = new Map<string, AccountMovement>();
    for (const charge of charged) addTo(movements, charge);
    const insertUsage = this.#database.query(INSERT_USAGE);
    for (const row of usageOfCharges(charged)) {
      const { atMs, accountId, keyId, modelId, channelId, status, tag, costNanoUsd } = row;
      insertUsage.run(atMs, accountId, keyId, modelId, channelId, status, tag, costNanoUsd);
    }
    this.#pools.count(charged);
    const moveBalance = this.#database.query(MOVE_BALANCE);
    const moveSpending = this.#database.query(MOVE_SPENDING);
    for (const [accountId, { cost, fromLease, keys }] of movements) {
      moveBalance.run(accountId, -cost, fromLease);
      for (const [keyId, ofKey] of keys) moveSpending.run(accountId, keyId, ofKey.cost, ofKey.fromLease);
    }
  }
}

/** Returns the values in column order. */
function valuesOf(entry: NewEntry, countedAtMs: bigint | null): readonly (string | number | bigint | null)[] {
  const { idempotencyKey, accountId, keyId, kind, amountNanoUsd, requestId, atMs, note } = entry;
  return [idempotencyKey, accountId, keyId, kind, amountNanoUsd, requestId, Math.floor(atMs), note, countedAtMs];
}

function chargeValues(charge: Charge) {
  return valuesOf(chargeEntry(charge), countedAt(charge));
}

function addTo(movements: Map<string, AccountMovement>, charge: Charge): void {
  const { accountId, keyId, costNanoUsd: cost, fromAccountLease, fromKeyLease } = charge;
  const account = movements.get(accountId) ?? { cost: 0n, fromLease: 0n, keys: new Map<string, Movement>() };
  account.cost += cost;
  account.fromLease += fromAccountLease;
  movements.set(accountId, account);
  if (keyId === null) return;
  const key = account.keys.get(keyId) ?? { cost: 0n, fromLease: 0n };
  key.cost += cost;
  key.fromLease += fromKeyLease;
  account.keys.set(keyId, key);
}

/** A charge as sent to the writer thread (`packed.ts`). */
type PackedCharge = readonly [
  requestId: string,
  accountId: string,
  keyId: string | null,
  costNanoUsd: string,
  fromAccountLease: string,
  fromKeyLease: string,
  atMs: number,
  usage: Charge['usage'],
  budgets: Charge['budgets'] | null,
];

export function packCharges(charges: readonly Charge[]): string {
  return JSON.stringify(
    charges.map(
      ({ requestId, accountId, keyId, costNanoUsd, fromAccountLease, fromKeyLease, atMs, usage, budgets = null }) => {
        const amounts = [String(costNanoUsd), String(fromAccountLease), String(fromKeyLease)] as const;
        return [requestId, accountId, keyId, ...amounts, atMs, usage, budgets] satisfies PackedCharge;
      },
    ),
  );
}

export function unpackCharges(packed: string): Charge[] {
  const charges: PackedCharge[] = JSON.parse(packed);
  return charges.map(([requestId, accountId, keyId, cost, fromAccount, fromKey, atMs, usage, budgets]) => ({
    ...{ requestId, accountId, keyId, costNanoUsd: BigInt(cost) },
    ...{ fromAccountLease: BigInt(fromAccount), fromKeyLease: BigInt(fromKey), atMs, usage },
    ...(budgets && { budgets }),
  }));
}
