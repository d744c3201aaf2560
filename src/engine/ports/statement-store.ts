import type { EntryKind, EntryPlace, EntryQuery, LedgerPage } from './ledger.ts';
import type { NamedUsageQuery, UsageSpan, UsageSum } from './usage-store.ts';

export interface StatementQuery {
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

export interface StatementFigures {
  readonly balanceNanoUsd: bigint;
  /** The time of the oldest entry, in milliseconds since 1970. */
  readonly firstEntryAtMs: number | null;
  readonly entries: readonly EntrySum[];
  /** One result per query, in order. */
  readonly usage: readonly (readonly UsageSum[])[];
}

/** The figures of one account's statement. */
export interface AccountFigures extends Pick<StatementFigures, 'balanceNanoUsd' | 'entries'> {
  /** Charges and usage per span; spans without usage are missing. */
  readonly charges: readonly UsageSum[];
}

export const NO_FIGURES: AccountFigures = { balanceNanoUsd: 0n, entries: [], charges: [] };

export interface AccountsQuery {
  readonly accountIds: readonly string[];
  /** See `StatementQuery.spans`. */
  readonly spans: readonly UsageSpan[];
}

export interface BalancedQuery {
  readonly query: EntryQuery;
  readonly after: EntryPlace | null;
  readonly limit: number;
  /** Before this time there are only usage sums of quarters of an hour. */
  readonly minutesFromMs: number;
  /** Before this time there are only usage sums of days (UTC). */
  readonly quartersFromMs: number;
}

export interface BalancedPage extends LedgerPage {
  /** The balance right after the first entry; `null` if the page is empty, or if charges of its time are archived. */
  readonly balanceNanoUsd: bigint | null;
  /** Charges before this time may be archived, and so missing from the list. */
  readonly archivedBeforeMs: number;
}

/** Reads balances, entries and usage sums from one snapshot, so that they agree to the nano-dollar. */
export interface StatementStore {
  figures(query: StatementQuery): Promise<StatementFigures>;
  /** Does the same for several accounts. Those without entries and usage may be missing. */
  figuresOf(query: AccountsQuery): Promise<ReadonlyMap<string, AccountFigures>>;
  /** Resolves to a page of entries, newest first, with the balance after the first one. */
  page(query: BalancedQuery): Promise<BalancedPage>;
}
