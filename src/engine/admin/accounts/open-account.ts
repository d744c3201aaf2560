import type { Clock } from '../../ports/clock.ts';
import { amountOf } from '../amount.ts';
import type { Books } from './change-balance.ts';
import { createAccount, type NewAccount } from './create-account.ts';
import { grantOpeningBalances } from './grant-opening-balances.ts';
import type { ListedAccount } from './list-accounts.ts';

/** Makes an account and grants it `balanceUsd`, a decimal amount. Throws `AdminError`. */
export async function openAccount(
  { directory, ledger }: Books,
  clock: Clock,
  input: NewAccount & { readonly balanceUsd?: string | undefined },
): Promise<ListedAccount> {
  const openingBalanceNanoUsd = input.balanceUsd === undefined ? null : amountOf('balance_usd', input.balanceUsd);
  const account = await createAccount(directory, clock, input);
  await grantOpeningBalances(ledger, clock, { accounts: [{ id: account.id, openingBalanceNanoUsd }] });
  return { account, balance: await ledger.balance(account.id) };
}
