import type { Account } from '../../../domain/access/account.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Clock } from '../../ports/clock.ts';
import { AdminError } from '../admin-error.ts';
import { refuseOther } from '../differences.ts';
import type { Books } from '../ledger/change-ledger.ts';
import { accountFrom, accountWords, newAccountSchema } from '../schema/account.ts';
import { checkInput } from '../schema/check-input.ts';
import { grantOpeningBalances } from './grant-opening-balances.ts';
import type { ListedAccount } from './read-accounts.ts';

export interface CreatedAccount extends ListedAccount {
  /** Whether it existed with the same content, so that nothing was changed. */
  readonly alreadyThere: boolean;
}

/**
 * Makes an account and grants its opening balance. Idempotent: the same call again changes nothing. Throws `AdminError` for other content,
 * another `balance_usd` or an invalid field.
 *
 * @param input in the form of a configuration's `accounts`, without `keys` and `management_tokens`
 */
export async function createAccount(books: Books, clock: Clock, input: unknown): Promise<CreatedAccount> {
  const { directory, ledger, trail } = books;
  const {
    openingBalanceNanoUsd,
    credentials: _none,
    ...facts
  } = accountFrom(checkInput(newAccountSchema, ['accounts', 0], input));
  const wanted: Account = { ...facts, createdAtMs: clock.nowMs(), archivedAtMs: null, origin: 'operator' };
  const { account, alreadyThere } = await directory.write({ accounts: [wanted.id], serving: false }, (writer) => {
    const [existing] = writer.read().accounts;
    if (existing !== undefined) {
      refuseOther(`account "${existing.id}"`, accountWords(existing), accountWords(wanted));
      return { account: existing, alreadyThere: true };
    }
    writer.putAccount(wanted);
    return { account: wanted, alreadyThere: false };
  });
  const accounts = [{ id: account.id, openingBalanceNanoUsd }];
  const { notices } = await grantOpeningBalances({ ledger, trail }, clock, { accounts });
  if (notices.length > 0) {
    throw new AdminError(
      'already_exists',
      'balance_usd',
      `was already granted with an amount other than ${formatNanoUsd(openingBalanceNanoUsd ?? 0n)}; grant the difference`,
    );
  }
  return { account, balance: await ledger.balance(account.id), alreadyThere };
}
