import type { Pool } from 'pg';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { ChargeOutcome, QueuedCharge } from '../shared/charge-queue.ts';
import { chargeEntry, countedAt, isSameEntry, ledgerConflict } from '../shared/ledger-rules.ts';
import { ENTRY_COLUMNS, type EntryRow, fromEntryRow } from '../shared/tables/ledger.ts';
import { query } from './connection.ts';

const CHARGE = `select known, uncovered
  from ledger_charge_2($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`;

interface BookedCharges {
  readonly outcomes: readonly ChargeOutcome[];
  /** The part of their cost that no lease covered. */
  readonly uncoveredNanoUsd: bigint;
}

/** Books a batch of charges in one transaction. See `ChargeQueueOptions.write`. */
export async function bookCharges(pool: Pool, logger: Logger, batch: readonly QueuedCharge[]): Promise<BookedCharges> {
  const charges = batch.map(({ charge }) => charge);
  const { rows } = await query<{ known: string[]; uncovered: bigint }>(pool, CHARGE, [
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
    const fields = { amountUsd: formatNanoUsd(uncovered) };
    logger.warn(fields, 'charges arrived after their leases had expired and were deducted from the balances');
  }
  if (known.length === 0) return { outcomes: batch.map(() => 'charged'), uncoveredNanoUsd: uncovered };
  const isKnown = new Set(known);
  const entries = await query<EntryRow>(
    pool,
    `select ${ENTRY_COLUMNS} from ledger_entries where idempotency_key = any ($1)`,
    [charges.filter(({ requestId }) => isKnown.has(requestId)).map((charge) => chargeEntry(charge).idempotencyKey)],
  );
  const found = new Map(entries.rows.map((row) => [row.idempotency_key, row]));
  const outcomes = batch.map((queued): ChargeOutcome => {
    if (!isKnown.has(queued.charge.requestId)) return 'charged';
    return outcomeOfKnown(queued, found.get(chargeEntry(queued.charge).idempotencyKey));
  });
  return { outcomes, uncoveredNanoUsd: uncovered };
}

/** A charge that was sent before without a response may be known because it was written then. */
function outcomeOfKnown({ charge, isInDoubt }: QueuedCharge, row: EntryRow | undefined): ChargeOutcome {
  if (row === undefined) return new Error(`The charge of the request "${charge.requestId}" was not written.`);
  const [existing, entry] = [fromEntryRow(row), chargeEntry(charge)];
  if (!isSameEntry(existing, entry)) return ledgerConflict(existing, entry);
  return isInDoubt && existing.atMs === Math.floor(charge.atMs) ? 'charged' : 'known';
}
