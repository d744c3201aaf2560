import { randomUUID } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import { LONGEST_DISORDER_MS } from '../../ports/ledger.ts';
import {
  type ArchivedCharge,
  ArchiveFileError,
  type ArchiveFolder,
  ArchiveMismatch,
  type Checkpoint,
  type LedgerArchive,
  type NewCheckpoint,
} from '../../ports/ledger-archive.ts';
import { AdminError } from '../admin-error.ts';
import { archiveProblem, chargesOf } from './read-ledger.ts';

export interface ArchivePorts {
  readonly archive: LedgerArchive;
  readonly folder: ArchiveFolder;
  readonly clock: Pick<Clock, 'nowMs'>;
}

export interface ArchiveReport {
  /** The archived files; empty if no charge was old enough. */
  readonly archived: readonly NewCheckpoint[];
}

const DAY_MS = 86_400_000;
/** Younger charges may still count in the current period of a budget, which is a month at most, and may be sent again. */
export const YOUNGEST_DAYS = 62;
/** How long a crashed process blocks the others. */
const CLAIM_MS = 60_000;
const ENTRIES_AT_ONCE = 2_000;

/**
 * Moves charges from before a time out of the ledger into a file, and keeps their sums. Grants, refunds and adjustments stay. The file is
 * written and read back, then the ledger records it with its hash, and then the charges are moved in batches, each of which is compared
 * with the file. An interrupted run is continued by the next call with the same folder. Throws `AdminError`.
 */
export async function archiveLedger(ports: ArchivePorts, beforeMs: number): Promise<ArchiveReport> {
  const { archive, clock } = ports;
  if (beforeMs > clock.nowMs() - YOUNGEST_DAYS * DAY_MS) {
    throw new AdminError('invalid_value', 'before', `must be at least ${YOUNGEST_DAYS} days ago`);
  }
  const holder = randomUUID();
  const hold = async () => {
    const nowMs = clock.nowMs();
    if (await archive.claim(holder, nowMs, nowMs + CLAIM_MS)) return;
    throw new AdminError(
      'conflict',
      'ledger',
      'is being archived by another process: wait until it finishes; after a crash, wait a minute',
    );
  };
  await hold();
  try {
    return { archived: await archiveAll(ports, beforeMs, hold) };
  } catch (error) {
    const isTold = error instanceof ArchiveMismatch || error instanceof ArchiveFileError;
    throw isTold ? new AdminError('conflict', 'ledger', error.message) : error;
  } finally {
    await archive.release(holder).catch(() => {});
  }
}

async function archiveAll(
  ports: ArchivePorts,
  beforeMs: number,
  hold: () => Promise<void>,
): Promise<readonly NewCheckpoint[]> {
  const last = (await ports.archive.checkpoints()).at(-1) ?? null;
  const done: NewCheckpoint[] = [];
  if (last !== null && !last.isComplete) {
    await moveAll(ports, last, hold);
    done.push(last);
  }
  if (last !== null && last.beforeMs >= beforeMs) return done;
  const next = await writeNext(ports, last, beforeMs, hold);
  if (next === null) return done;
  await ports.archive.begin(next);
  await moveAll(ports, next, hold);
  return [...done, next];
}

/** Writes the file. Resolves to `null` if no charge is old enough. */
async function writeNext(
  { archive, folder }: ArchivePorts,
  last: Checkpoint | null,
  beforeMs: number,
  hold: () => Promise<void>,
): Promise<NewCheckpoint | null> {
  const number = (last?.number ?? 0) + 1;
  const previousSha256 = last?.sha256 ?? null;
  const fileName = `ledger-${String(number).padStart(6, '0')}-before-${isoDay(beforeMs)}.jsonl.gz`;
  const header = { number, beforeMs, previousSha256 };
  await folder.write(fileName, header, oldCharges(archive, beforeMs, hold));
  let [entries, amountNanoUsd] = [0, 0n];
  // Counts what the disk has, rather than what should have been written.
  for await (const batch of chargesOf(folder, { fileName })) {
    entries += batch.length;
    for (const charge of batch) amountNanoUsd += charge.amountNanoUsd;
  }
  const sha256 = await folder.sha256(fileName);
  if (entries === 0 || sha256 === null) {
    await folder.remove(fileName);
    return null;
  }
  return { number, beforeMs, entries, amountNanoUsd, fileName, sha256, previousSha256 };
}

/** Yields the old charges. Entries are ordered by time within an hour, which bounds the walk. */
async function* oldCharges(
  archive: LedgerArchive,
  beforeMs: number,
  hold: () => Promise<void>,
): AsyncGenerator<readonly ArchivedCharge[], void> {
  for (let after = 0; ; ) {
    await hold();
    const { charges, last } = await archive.chargesAfter(after, ENTRIES_AT_ONCE);
    const old = charges.filter(({ atMs }) => atMs < beforeMs);
    if (old.length > 0) yield old;
    if (last === null || last.earliestMs >= beforeMs + LONGEST_DISORDER_MS) return;
    after = last.sequence;
  }
}

async function moveAll(
  { archive, folder }: ArchivePorts,
  checkpoint: NewCheckpoint,
  hold: () => Promise<void>,
): Promise<void> {
  const problem = await archiveProblem(folder, checkpoint);
  if (problem !== null) throw new AdminError('conflict', 'to', problem);
  for await (const batch of chargesOf(folder, checkpoint)) {
    await hold();
    await archive.move(checkpoint, batch);
  }
  await archive.complete(checkpoint);
}

function isoDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
