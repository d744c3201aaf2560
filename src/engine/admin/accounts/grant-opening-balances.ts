import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Ledger, LedgerConflict } from '../../ports/ledger.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ConfiguredAccount } from '../configuration/configuration.ts';

export interface OpeningBalances {
  /** The new grants, one per account. */
  readonly granted: readonly { readonly accountId: string; readonly amountNanoUsd: bigint }[];
  /** Statements of the file that were not applied, one sentence each. */
  readonly notices: readonly string[];
}

/**
 * Grants each account the `balance_usd` of the file, once in its life: the entry's idempotency key is `opening:` and the account's id, so
 * neither another start nor another node grants it again, and a later change of the amount grants nothing.
 */
export async function grantOpeningBalances(
  { ledger, trail }: { readonly ledger: Ledger; readonly trail: AuditTrail },
  clock: Clock,
  { accounts }: { readonly accounts: readonly Pick<ConfiguredAccount, 'id' | 'openingBalanceNanoUsd'>[] },
): Promise<OpeningBalances> {
  const granted: { accountId: string; amountNanoUsd: bigint }[] = [];
  const notices: string[] = [];
  for (const { id, openingBalanceNanoUsd } of accounts) {
    if (openingBalanceNanoUsd === null || openingBalanceNanoUsd === 0n) continue;
    const outcome = await grantOnce(ledger, clock, id, openingBalanceNanoUsd);
    if (outcome === 'appended') {
      granted.push({ accountId: id, amountNanoUsd: openingBalanceNanoUsd });
      const after = { kind: 'grant', amount_usd: formatNanoUsd(openingBalanceNanoUsd), note: OPENING_NOTE };
      await trail.note({ action: 'balance.grant', accountId: id, objectId: id, after });
    } else if (outcome === 'conflict') {
      notices.push(
        `account ${id}: balance_usd was already granted with an amount other than ${formatNanoUsd(openingBalanceNanoUsd)}; ` +
          `nothing is granted ("switchyard accounts grant ${id} AMOUNT" adds to a balance)`,
      );
    }
  }
  return { granted, notices };
}

const OPENING_NOTE = 'opening balance';

async function grantOnce(ledger: Ledger, clock: Clock, accountId: string, amountNanoUsd: bigint) {
  try {
    return await ledger.append({
      idempotencyKey: `opening:${accountId}`,
      accountId,
      keyId: null,
      kind: 'grant',
      amountNanoUsd,
      requestId: null,
      atMs: clock.nowMs(),
      note: OPENING_NOTE,
    });
  } catch (error) {
    if (error instanceof LedgerConflict) return 'conflict';
    throw error;
  }
}
