import type { Account } from '../../../domain/access/account.ts';
import { NO_BOOKS } from '../../ports/books.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { UsageMeasures } from '../../ports/usage-store.ts';
import { limitOf, type Page, type PageRequest } from '../page.ts';
import { total } from '../usage/read-usage.ts';
import { refuseForgotten, refuseUnknownZone } from '../usage/usage-spans.ts';
import { type Month, monthAt, monthBefore, monthNamed } from './month.ts';
import { keptOf, type Statement, type StatementPorts, spansOf, statementFrom } from './read-statements.ts';

export interface ExportPorts extends StatementPorts {
  readonly directory: Pick<DirectoryStore, 'accounts'>;
}

export interface WantedExport {
  /** A month such as `2026-11`; if absent, the last one that has ended. */
  readonly month?: string | undefined;
  readonly timeZone: string;
}

/** The effect of the month on an account's balance, and what its charges were for. */
export interface AccountStatement extends Statement {
  readonly account: Account;
  readonly usage: UsageMeasures;
}

/**
 * The number of accounts that are read in one snapshot. With 100 accounts of some 600 sums each, all on disk, PostgreSQL took 3 s, which is
 * too close to the time after which it ends a read.
 */
const MOST_ACCOUNTS = 25;

export interface StatementExport {
  readonly month: Month;
  /** Reads a page, whose `after` and `next` are ids of accounts. */
  readonly read: (request: PageRequest) => Promise<Page<AccountStatement>>;
}

/**
 * Resolves to the statements of one month for all accounts, including archived ones, read a page at a time in the order of their ids. Each
 * statement shows one moment. Throws `AdminError` for an invalid month or zone.
 */
export async function statementExport(
  { books, clock, directory, ...sums }: ExportPorts,
  { month: name, timeZone }: WantedExport,
): Promise<StatementExport> {
  refuseUnknownZone(timeZone);
  const nowMs = clock.nowMs();
  const month =
    name === undefined ? monthBefore(monthAt(nowMs, timeZone), timeZone) : monthNamed(name, timeZone, nowMs);
  refuseForgotten([month], await keptOf(sums, nowMs), 'time_zone');
  const spans = spansOf(month);
  const read: StatementExport['read'] = async ({ after = null, ...request }) => {
    const limit = Math.min(limitOf(request), MOST_ACCOUNTS);
    const found = await directory.accounts({ after, limit: limit + 1 });
    const accounts = found.slice(0, limit);
    const pictures = await books.pictures({ accountIds: accounts.map(({ id }) => id), spans });
    const items = accounts.map((account) => {
      const picture = pictures.get(account.id) ?? NO_BOOKS;
      const usage = total(picture.charges.filter(({ span }) => span === 0));
      return { account, usage, ...statementFrom(month, picture, nowMs) };
    });
    return { items, next: found.length > limit ? (accounts.at(-1)?.id ?? null) : null };
  };
  return { month, read };
}
