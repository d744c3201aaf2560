import type { Charge, NewEntry, PoolLease, SpendingPool } from '../../engine/ports/ledger.ts';
import type { ChargeOutcome } from '../shared/charge-queue.ts';
import {
  isSameEntry,
  leasable,
  ledgerConflict,
  refuseCharge,
  refuseMalformed,
  refuseTooLarge,
} from '../shared/ledger-rules.ts';
import { ChargeBooking, SomeAreKnown } from './charge-booking.ts';
import { SpendingPools } from './spending-pools.ts';
import type { WritingConnection } from './writing-connection.ts';

/** Changes the ledger, in the writer thread. Its connection returns integers as `bigint`. */
export class LedgerWriter {
  readonly #connection: WritingConnection;
  readonly #pools: SpendingPools;
  readonly #booking: ChargeBooking;

  constructor(connection: WritingConnection) {
    this.#connection = connection;
    this.#pools = new SpendingPools(connection.database);
    this.#booking = new ChargeBooking(connection.database, this.#pools);
  }

  /** Writes a batch in one transaction, durable when it returns. */
  charge(batch: readonly Charge[]): readonly ChargeOutcome[] {
    try {
      return this.#connection.run('FULL', () => this.#booking.bookNew(batch));
    } catch (error) {
      if (!(error instanceof SomeAreKnown)) throw error;
      return this.#connection.run('FULL', () => this.#booking.book(batch));
    }
  }

  /** A lease ends with the process, so its transaction need not be durable. */
  async lease(pool: SpendingPool, wanted: bigint, least: bigint, limitNanoUsd: bigint): Promise<bigint> {
    return await this.#connection.runWhenFree('NORMAL', () => {
      const leased = leasable(this.#pools.free(pool, limitNanoUsd), wanted, least);
      if (leased > 0n) this.#pools.moveLease(pool, leased);
      return leased;
    });
  }

  async giveBack(pool: SpendingPool, amountNanoUsd: bigint): Promise<void> {
    await this.#connection.runWhenFree('NORMAL', () => this.#pools.moveLease(pool, -amountNanoUsd));
  }

  /** Returns the gateway's leases. */
  leases(): readonly PoolLease[] {
    return this.#pools.leases();
  }

  /** See `Ledger.append`. */
  async append(entry: NewEntry): Promise<'appended' | 'known' | 'insufficient'> {
    refuseCharge(entry);
    refuseMalformed(entry);
    return await this.#connection.runWhenFree('FULL', () => this.#append(entry));
  }

  #append(entry: NewEntry): 'appended' | 'known' | 'insufficient' {
    const known = this.#booking.find(entry.idempotencyKey);
    if (known !== null) {
      if (isSameEntry(known, entry)) return 'known';
      throw ledgerConflict(known, entry);
    }
    const { accountId, amountNanoUsd } = entry;
    if (amountNanoUsd < 0n && this.#pools.free({ accountId, keyId: null }, 0n) + amountNanoUsd < 0n)
      return 'insufficient';
    refuseTooLarge(this.#pools.balance(accountId) + amountNanoUsd);
    this.#booking.append(entry);
    return 'appended';
  }
}
