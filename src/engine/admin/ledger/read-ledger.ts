import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EntryPlace, EntryQuery, Ledger, LedgerEntry } from '../../ports/ledger.ts';
import {
  type ArchivedCharge,
  ArchiveFileError,
  type ArchiveFolder,
  type LedgerArchive,
  type NewCheckpoint,
} from '../../ports/ledger-archive.ts';
import type { Thinning } from '../../ports/retention-store.ts';
import type { StatementStore } from '../../ports/statement-store.ts';
import type { RetentionSettings } from '../../settings/settings.ts';
import { cursorOf, limitOf, numbersAfter, type Page, type PageRequest } from '../page.ts';
import { keptSums } from '../usage/usage-spans.ts';
import { isoTime } from '../view-fields.ts';

export interface WantedEntries extends PageRequest, EntryQuery {}

/**
 * Resolves to a page of an account's entries, newest first. A page may have fewer entries than the limit although another follows. Throws
 * `AdminError` for an invalid page.
 */
export async function listEntries(ledger: Pick<Ledger, 'page'>, wanted: WantedEntries): Promise<Page<LedgerEntry>> {
  const { limit: _limit, after: _after, ...query } = wanted;
  const limit = limitOf(wanted);
  const { entries, next } = await ledger.page(query, entryPlaceAfter(wanted), limit);
  const cursorAfter = (index: number) => cursorAt(entries[index] as LedgerEntry);
  return { items: entries, cursorAfter, next: next === null ? null : cursorAt(next) };
}

/** An entry with the balance right after it. */
export interface BalancedEntry {
  readonly entry: LedgerEntry;
  /** `null` if it is unknown, since charges of that time are archived. */
  readonly balanceNanoUsd: bigint | null;
}

interface BalancePorts {
  readonly statements: Pick<StatementStore, 'page'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly retention: Pick<RetentionSettings, 'minuteSumsMs' | 'hourSumsMs'>;
  readonly thinning: () => Promise<Thinning>;
}

/**
 * Does the same, with the balance after each entry. All entries of the time must be wanted, whatever their key and kind, since the balance
 * follows from one entry to the next.
 */
export async function listBalances(
  { statements, clock, retention, thinning }: BalancePorts,
  wanted: PageRequest & Omit<EntryQuery, 'keyId' | 'kind'>,
): Promise<Page<BalancedEntry>> {
  const { limit: _limit, after: _after, ...query } = wanted;
  const { minutesFromMs, quartersFromMs } = keptSums(retention, await thinning(), clock.nowMs());
  const { entries, next, balanceNanoUsd, archivedBeforeMs } = await statements.page({
    ...{ query, after: entryPlaceAfter(wanted), limit: limitOf(wanted), minutesFromMs, quartersFromMs },
  });
  let balance = balanceNanoUsd;
  const items = entries.map((entry): BalancedEntry => {
    if (entry.atMs < archivedBeforeMs) balance = null;
    const item = { entry, balanceNanoUsd: balance };
    if (balance !== null) balance -= entry.amountNanoUsd;
    return item;
  });
  const cursorAfter = (index: number) => cursorAt(entries[index] as LedgerEntry);
  return { items, cursorAfter, next: next === null ? null : cursorAt(next) };
}

function entryPlaceAfter(request: PageRequest): EntryPlace | null {
  const [atMs, sequence] = numbersAfter(request, 2) ?? [];
  return atMs === undefined || sequence === undefined ? null : { atMs, sequence };
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

export async function* chargesOf(
  folder: ArchiveFolder,
  { fileName }: Pick<NewCheckpoint, 'fileName'>,
): AsyncGenerator<readonly ArchivedCharge[], void> {
  yield* (await folder.read(fileName)).charges();
}

/** Resolves to a sentence that says what is wrong with an archive's file, or `null` if it is the file that the ledger has recorded. */
export async function archiveProblem(
  folder: ArchiveFolder,
  { number, fileName, sha256, previousSha256 }: NewCheckpoint,
): Promise<string | null> {
  const found = await folder.sha256(fileName);
  if (found === null) return `The archive "${fileName}" is missing from the folder.`;
  if (found !== sha256) return `The archive "${fileName}" was changed: its SHA-256 is not the one in the ledger.`;
  try {
    const { header } = await folder.read(fileName);
    if (header.number === number && header.previousSha256 === previousSha256) return null;
    return `The archive "${fileName}" does not follow the previous one.`;
  } catch (error) {
    if (error instanceof ArchiveFileError) return `The archive cannot be read: ${error.message}.`;
    throw error;
  }
}

/**
 * Verifies all archives: each file must exist, be unchanged, follow the one before it, and add up to the sums that the ledger keeps for it.
 * Resolves to a sentence for each problem.
 */
export async function verifyArchives(archive: LedgerArchive, folder: ArchiveFolder): Promise<readonly string[]> {
  const problems: string[] = [];
  let previous: string | null = null;
  for (const [index, checkpoint] of (await archive.checkpoints()).entries()) {
    const { number, fileName, isComplete } = checkpoint;
    if (number !== index + 1 || checkpoint.previousSha256 !== previous)
      problems.push(`The archive "${fileName}" does not follow the previous one.`);
    previous = checkpoint.sha256;
    const problem = await archiveProblem(folder, checkpoint);
    if (problem !== null) problems.push(problem);
    else if (isComplete) problems.push(...(await sumProblems(archive, folder, checkpoint)));
  }
  return problems;
}

async function sumProblems(
  archive: LedgerArchive,
  folder: ArchiveFolder,
  checkpoint: NewCheckpoint,
): Promise<readonly string[]> {
  const inFile = new Map<string, { amount: bigint; entries: number }>();
  for await (const batch of chargesOf(folder, checkpoint)) {
    for (const { accountId, keyId, amountNanoUsd } of batch) {
      const place = placeOf(accountId, keyId);
      const { amount, entries } = inFile.get(place) ?? { amount: 0n, entries: 0 };
      inFile.set(place, { amount: amount + amountNanoUsd, entries: entries + 1 });
    }
  }
  const kept = await archive.sums(checkpoint.number);
  const isSame =
    kept.length === inFile.size &&
    kept.every(({ accountId, keyId, amountNanoUsd, entries }) => {
      const found = inFile.get(placeOf(accountId, keyId));
      return found?.amount === amountNanoUsd && found.entries === entries;
    });
  return isSame ? [] : [`The sums in the ledger for "${checkpoint.fileName}" differ from those of the file.`];
}

function placeOf(accountId: string, keyId: string | null): string {
  return JSON.stringify([accountId, keyId]);
}

/** Resolves to the newest archived entries of an account, newest first. Throws `ArchiveFileError` for a missing file. */
export async function archivedEntries(
  archive: LedgerArchive,
  folder: ArchiveFolder,
  accountId: string,
  limit: number,
): Promise<readonly LedgerEntry[]> {
  const found: ArchivedCharge[] = [];
  for (const checkpoint of (await archive.checkpoints()).toReversed()) {
    const ofFile: ArchivedCharge[] = [];
    for await (const batch of chargesOf(folder, checkpoint)) {
      ofFile.push(...batch.filter((charge) => charge.accountId === accountId));
      // The file is in the order of writing, and only the last entries are wanted.
      if (ofFile.length > 2 * limit) ofFile.splice(0, ofFile.length - limit);
    }
    found.push(...ofFile.toReversed());
    if (found.length >= limit) break;
  }
  return found.slice(0, limit).map(({ countedAtMs: _, ...charge }) => ({
    ...charge,
    idempotencyKey: `charge:${charge.requestId}`,
    kind: 'charge',
    note: null,
  }));
}
