import type { EntryKind } from './ledger.ts';
import type { NamedUsageQuery, UsageSpan, UsageSum } from './usage-store.ts';

export interface BooksQuery {
  readonly accountId: string;
  /** In order, without overlaps: in each of them the entries that are no charges are summed by kind. */
  readonly spans: readonly UsageSpan[];
  readonly usage: readonly NamedUsageQuery[];
}

/** Of all kinds but charges, which the sums of usage tell. */
export interface EntrySum {
  /** The place of the span in the query. */
  readonly span: number;
  readonly kind: EntryKind;
  readonly amountNanoUsd: bigint;
}

export interface BooksPicture {
  readonly balanceNanoUsd: bigint;
  /** When the oldest entry was made, in milliseconds since 1970. */
  readonly firstEntryAtMs: number | null;
  readonly entries: readonly EntrySum[];
  /** In the order of the queries. */
  readonly usage: readonly (readonly UsageSum[])[];
}

/** What a statement of one account is made of. */
export interface AccountBooks extends Pick<BooksPicture, 'balanceNanoUsd' | 'entries'> {
  /** What was charged and used in each of the spans; one without usage is missing. */
  readonly charges: readonly UsageSum[];
}

export const NO_BOOKS: AccountBooks = { balanceNanoUsd: 0n, entries: [], charges: [] };

export interface AccountsQuery {
  readonly accountIds: readonly string[];
  /** As in `BooksQuery`. */
  readonly spans: readonly UsageSpan[];
}

/** Balances, entries and sums of usage, all of one moment: what is read of an account fits together to the nano-dollar. */
export interface Books {
  picture(query: BooksQuery): Promise<BooksPicture>;
  /** The same of several accounts; those without entries and usage may be missing. */
  pictures(query: AccountsQuery): Promise<ReadonlyMap<string, AccountBooks>>;
}
