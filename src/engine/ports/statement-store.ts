import type { EntryKind } from './ledger.ts';
import type { NamedUsageQuery, UsageSpan, UsageSum } from './usage-store.ts';

export interface BooksQuery {
  readonly accountId: string;
  /** Ordered, non-overlapping spans. In each, entries other than charges are summed by kind. */
  readonly spans: readonly UsageSpan[];
  readonly usage: readonly NamedUsageQuery[];
}

/** The sum of the entries of one kind in one span. Charges are missing; they are in the usage sums. */
export interface EntrySum {
  /** The index of the span in the query. */
  readonly span: number;
  readonly kind: EntryKind;
  readonly amountNanoUsd: bigint;
}

export interface BooksPicture {
  readonly balanceNanoUsd: bigint;
  /** The time of the oldest entry, in milliseconds since 1970. */
  readonly firstEntryAtMs: number | null;
  readonly entries: readonly EntrySum[];
  /** One result per query, in order. */
  readonly usage: readonly (readonly UsageSum[])[];
}

/** The figures of one account's statement. */
export interface AccountBooks extends Pick<BooksPicture, 'balanceNanoUsd' | 'entries'> {
  /** Charges and usage per span; spans without usage are missing. */
  readonly charges: readonly UsageSum[];
}

export const NO_BOOKS: AccountBooks = { balanceNanoUsd: 0n, entries: [], charges: [] };

export interface AccountsQuery {
  readonly accountIds: readonly string[];
  /** See `BooksQuery.spans`. */
  readonly spans: readonly UsageSpan[];
}

/** Reads balances, entries and usage sums from one snapshot, so that they agree to the nano-dollar. */
export interface Books {
  picture(query: BooksQuery): Promise<BooksPicture>;
  /** Does the same for several accounts. Those without entries and usage may be missing. */
  pictures(query: AccountsQuery): Promise<ReadonlyMap<string, AccountBooks>>;
}
