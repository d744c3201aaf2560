import type { Pool } from 'pg';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Charge } from '../../engine/ports/ledger.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { chargeEntry, countedAt, isSameEntry, ledgerConflict } from '../shared/ledger-rules.ts';
import { firstLine } from '../shared/store-open-error.ts';
import { ENTRY_COLUMNS, type EntryRow, fromEntryRow } from '../shared/tables/ledger.ts';
import type { WriteHealth } from '../shared/write-health.ts';
import { query } from './connection.ts';
import { isPassing, retryWaitMs } from './retry.ts';
import { writeProblem } from './store-health.ts';

const BATCH_CHARGES = 1_000;
const MAX_WAITING = 100_000;
/** How long a charge is retried while the database is unavailable. */
const PATIENCE_MS = 60_000;
const REPORT_EVERY_MS = 1_000;
/** A single broken connection or conflicting transaction does not mean that the database is unavailable. */
const FAILURES_OF_A_PROBLEM = 2;

const CHARGE = `select known, uncovered
  from ledger_charge_2($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`;

export interface LedgerChargesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Receives whether charges can be written. */
  readonly health: WriteHealth;
}

interface WaitingCharge {
  readonly charge: Charge;
  /** The node whose lease pays for it. This gateway may have another node id by the time it is written. */
  readonly nodeId: string | null;
  readonly since: number;
  /** Whether it was sent without a response, so that it may be written already. */
  isInDoubt: boolean;
  readonly resolve: (outcome: 'charged' | 'known') => void;
  readonly reject: (error: unknown) => void;
}

/** Group commit: charges that arrive while a transaction waits for the disk share the next one. */
export class LedgerCharges {
  readonly #options: LedgerChargesOptions;
  #waiting: WaitingCharge[] = [];
  #draining: Promise<void> | null = null;
  #failures = 0;
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: LedgerChargesOptions) {
    this.#options = options;
  }

  /** Resolves when the charge is durable. Rejects with a `LedgerConflict`, or if the database is unavailable for too long. */
  async charge(charge: Charge, nodeId: string | null): Promise<'charged' | 'known'> {
    if (this.#closed) throw new Error('The ledger is closed.');
    if (this.#waiting.length >= MAX_WAITING)
      throw new Error('The ledger cannot keep up: too many charges are pending.');
    return new Promise((resolve, reject) => {
      const since = this.#options.clock.monotonicMs();
      this.#waiting.push({ charge, nodeId, since, isInDoubt: false, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Writes queued charges and accepts no more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Lets other requests of this turn add their charges.
      await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#write(this.#takeBatch());
    }
    this.#draining = null;
  }

  /** A batch contains each request at most once, so that a repeated charge finds the first one. */
  #takeBatch(): WaitingCharge[] {
    const batch = new Map<string, WaitingCharge>();
    const later: WaitingCharge[] = [];
    for (const waiting of this.#waiting) {
      const { requestId } = waiting.charge;
      if (batch.size < BATCH_CHARGES && !batch.has(requestId)) batch.set(requestId, waiting);
      else later.push(waiting);
    }
    this.#waiting = later;
    return [...batch.values()];
  }

  async #write(batch: readonly WaitingCharge[]): Promise<void> {
    try {
      await this.#commit(batch);
      this.#failures = 0;
      this.#options.health.chargesWritten();
    } catch (error) {
      if (isPassing(error)) await this.#tryAgain(batch, error);
      else if (batch.length === 1) for (const { reject } of batch) reject(error);
      else {
        // One bad charge must not fail the others.
        const half = Math.ceil(batch.length / 2);
        await this.#write(batch.slice(0, half));
        await this.#write(batch.slice(half));
      }
    }
  }

  async #commit(batch: readonly WaitingCharge[]): Promise<void> {
    const charges = batch.map(({ charge }) => charge);
    const { rows } = await query<{ known: string[]; uncovered: bigint }>(this.#options.pool, CHARGE, [
      batch.map(({ nodeId }) => nodeId ?? ''),
      charges.map(({ requestId }) => requestId),
      charges.map(({ accountId }) => accountId),
      charges.map(({ keyId }) => keyId),
      charges.map(({ costNanoUsd }) => costNanoUsd),
      charges.map(({ fromAccountLease }) => fromAccountLease),
      charges.map(({ fromKeyLease }) => fromKeyLease),
      charges.map(({ atMs }) => Math.floor(atMs)),
      charges.map(countedAt),
      charges.map(({ budgets }) => budgets?.account?.startsAtMs ?? null),
      charges.map(({ budgets }) => budgets?.account?.endsAtMs ?? null),
      charges.map(({ budgets }) => budgets?.key?.startsAtMs ?? null),
      charges.map(({ budgets }) => budgets?.key?.endsAtMs ?? null),
      charges.map(({ usage }) => usage.modelId),
      charges.map(({ usage }) => usage.channelId),
      charges.map(({ usage }) => usage.status),
      charges.flatMap(({ requestId, usage }) => usage.tags.map(() => requestId)),
      charges.flatMap(({ usage }) => usage.tags),
    ]);
    const { known, uncovered } = rows[0] ?? { known: [], uncovered: 0n };
    if (uncovered > 0n) {
      const message = 'charges arrived after their leases had expired and were deducted from the balances';
      this.#options.logger.warn({ uncoveredNanoUsd: String(uncovered) }, message);
    }
    const isKnown = new Set(known);
    for (const { charge, resolve } of batch) if (!isKnown.has(charge.requestId)) resolve('charged');
    if (known.length > 0) await this.#settleKnown(batch.filter(({ charge }) => isKnown.has(charge.requestId)));
  }

  async #settleKnown(batch: readonly WaitingCharge[]): Promise<void> {
    const { rows } = await query<EntryRow>(
      this.#options.pool,
      `select ${ENTRY_COLUMNS} from ledger_entries where idempotency_key = any ($1)`,
      [batch.map(({ charge }) => chargeEntry(charge).idempotencyKey)],
    );
    const known = new Map(rows.map(fromEntryRow).map((entry) => [entry.idempotencyKey, entry]));
    for (const { charge, isInDoubt, resolve, reject } of batch) {
      const entry = chargeEntry(charge);
      const existing = known.get(entry.idempotencyKey);
      if (existing === undefined) reject(new Error(`The charge of the request "${charge.requestId}" was not written.`));
      else if (!isSameEntry(existing, entry)) reject(ledgerConflict(existing, entry));
      else resolve(isInDoubt && existing.atMs === Math.floor(charge.atMs) ? 'charged' : 'known');
    }
  }

  async #tryAgain(batch: readonly WaitingCharge[], error: unknown): Promise<void> {
    this.#failures += 1;
    this.#report(batch.length, error);
    if (this.#failures >= FAILURES_OF_A_PROBLEM) this.#options.health.chargesFailed(writeProblem(error));
    const oldestMs = this.#options.clock.monotonicMs() - PATIENCE_MS;
    for (const waiting of batch) waiting.isInDoubt = true;
    const all = [...batch, ...this.#waiting];
    this.#waiting = all.filter(({ since }) => since > oldestMs);
    for (const { since, reject } of all) if (since <= oldestMs) reject(error);
    if (this.#waiting.length === 0) this.#options.health.chargesGivenUp();
    await Bun.sleep(retryWaitMs(this.#failures));
  }

  #report(charges: number, error: unknown): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#reportedAtMs < REPORT_EVERY_MS) return;
    this.#reportedAtMs = nowMs;
    const fields = { charges, waiting: this.#waiting.length, error: firstLine(error) };
    this.#options.logger.error(fields, 'charges could not be written and will be retried');
  }
}
