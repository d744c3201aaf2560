import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { EntryPlace, EntryQuery, Ledger, LedgerEntry } from '../../ports/ledger.ts';
import { cursorOf, limitOf, numbersAfter, type Page, type PageRequest } from '../page.ts';
import { isoTime } from '../schema/iso-time.ts';

export interface WantedEntries extends PageRequest, EntryQuery {}

/**
 * Resolves to a page of an account's entries, newest first. A page may have fewer entries than the limit although another follows. Throws
 * `AdminError` for an invalid page.
 */
export async function listEntries(ledger: Pick<Ledger, 'page'>, wanted: WantedEntries): Promise<Page<LedgerEntry>> {
  const { limit: _limit, after: _after, ...query } = wanted;
  const limit = limitOf(wanted);
  const [atMs, sequence] = numbersAfter(wanted, 2) ?? [];
  const place = atMs === undefined || sequence === undefined ? null : { atMs, sequence };
  const { entries, next } = await ledger.page(query, place, limit);
  const cursorAfter = (index: number) => cursorAt(entries[index] as LedgerEntry);
  return { items: entries, cursorAfter, next: next === null ? null : cursorAt(next) };
}

function cursorAt({ atMs, sequence }: EntryPlace): string {
  return cursorOf([String(atMs), String(sequence)]);
}

/** Returns an entry as JSON. Amounts are exact decimals in USD as text, and negative if the entry lowered the balance. */
export function entryView(entry: LedgerEntry) {
  return {
    id: entry.sequence,
    at: isoTime(entry.atMs),
    account: entry.accountId,
    key: entry.keyId,
    kind: entry.kind,
    amount_usd: formatNanoUsd(entry.amountNanoUsd),
    request: entry.requestId,
    note: entry.note,
  };
}
