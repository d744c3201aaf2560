import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { ListedAccount } from '../../../engine/admin/accounts/list-accounts.ts';
import type { Balance } from '../../../engine/ports/ledger.ts';
import { isoTime } from '../time.ts';

/** A balance in JSON: exact decimals in USD, as text. */
export function balanceAsJson({ balanceNanoUsd, leasedNanoUsd }: Balance) {
  return {
    balance_usd: formatNanoUsd(balanceNanoUsd),
    held_usd: formatNanoUsd(leasedNanoUsd),
    free_usd: formatNanoUsd(balanceNanoUsd - leasedNanoUsd),
  };
}

export function accountAsJson({ account, balance }: ListedAccount) {
  return {
    id: account.id,
    name: account.name,
    role: account.role,
    admin: account.admin,
    billing: account.billing,
    ...balanceAsJson(balance),
    requests_per_minute: account.requestsPerMinute,
    tokens_per_minute: account.tokensPerMinute,
    max_concurrent: account.maxConcurrent,
    origin: account.origin,
    created_at: isoTime(account.createdAtMs),
  };
}
