import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Balance } from '../../ports/ledger.ts';
import { accountWords } from '../schema/account.ts';
import { isoTime, timeOrNull } from '../schema/iso-time.ts';
import { managedBy } from '../view-fields.ts';
import type { AccountFigures, ListedAccount } from './read-accounts.ts';

/** Returns a balance as JSON: exact decimals in USD, as text. */
export function balanceView({ balanceNanoUsd, leasedNanoUsd }: Balance) {
  return {
    balance_usd: formatNanoUsd(balanceNanoUsd),
    held_usd: formatNanoUsd(leasedNanoUsd),
    free_usd: formatNanoUsd(balanceNanoUsd - leasedNanoUsd),
  };
}

export function figuresView({ keys, members, spentNanoUsd }: AccountFigures) {
  return { keys, members, spent_30d_usd: formatNanoUsd(spentNanoUsd) };
}

/** Returns an account as JSON; times are RFC 3339 in UTC. */
export function accountView({ account, balance }: ListedAccount) {
  const { archivedAtMs } = account;
  return {
    ...accountWords(account),
    ...balanceView(balance),
    state: archivedAtMs === null ? ('active' as const) : ('archived' as const),
    origin: account.origin,
    managed_by: managedBy(account.origin),
    created_at: isoTime(account.createdAtMs),
    archived_at: timeOrNull(archivedAtMs),
  };
}
