import type { Batch } from '../../domain/batches/batch.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/file-store.ts';
import { type SettlePorts, settleNoted } from './settle-noted.ts';
import { writeOutput } from './write-output.ts';

/** Fewer than a transaction of the store could hold; the others wait meanwhile. */
const FINISHED_AT_ONCE = 1_000;

export interface EndPorts extends SettlePorts {
  readonly batches: BatchStore;
  readonly files: FileStore;
  readonly clock: Clock;
  /** How long ended batches and their files are kept: `retention.batches_days`. */
  readonly keepMs: number;
}

/**
 * Gives the rest of the lines their outcome, writes the files and ends the batch. May be repeated after a crash. Resolves to the batch if it
 * still has lines to run; to `null` otherwise, or if another process has taken it over.
 */
export async function endBatch(ports: EndPorts, batch: Batch): Promise<Batch | null> {
  const { batches, clock, keepMs } = ports;
  const { id, claim } = batch;
  if (!(await settleNoted(ports, batch))) return null;
  const known = await batches.find(id, null);
  if (known === null || known.claim !== claim) return null;
  const finalizingAtMs = known.finalizingAtMs ?? Math.floor(clock.nowMs());
  if (known.stage !== 'finalizing') {
    if (known.cancelAskedAtMs === null && clock.nowMs() < known.deadlineMs) {
      // A line whose charge could not be stored has no result.
      const [left] = await batches.waitingLines(id, 0, 1);
      if (left !== undefined) return known;
    }
    const rest = known.cancelAskedAtMs === null ? 'expired' : 'cancelled';
    for (let finished: number | null = 1; finished !== 0; ) {
      finished = await batches.finishRest(id, claim, rest, FINISHED_AT_ONCE);
      if (finished === null) return null;
    }
    if (!(await batches.change(id, claim, { stage: 'finalizing', finalizingAtMs }))) return null;
  }
  const expiresAtMs = finalizingAtMs + keepMs;
  const filesExpireAtMs = finalizingAtMs + Math.min(known.keepOutputMs ?? keepMs, keepMs);
  const nowMs = () => clock.nowMs();
  const output =
    known.api === 'openai'
      ? await writeOutput({ ...ports, nowMs }, known, filesExpireAtMs)
      : { outputFileId: null, errorFileId: null };
  const { counts, usage, costNanoUsd } = await batches.sums(id);
  const ended = known.cancelAskedAtMs !== null ? 'cancelled' : counts.expired > 0 ? 'expired' : 'completed';
  const isEnded = await batches.change(id, claim, {
    ...{ stage: ended, counts, usage, costNanoUsd, ...output, expiresAtMs },
    endedAtMs: Math.floor(clock.nowMs()),
  });
  if (!isEnded) {
    // The next owner has written its own.
    for (const id of [output.outputFileId, output.errorFileId]) {
      if (id !== null) await ports.files.delete(id, known.accountId);
    }
    return null;
  }
  await ports.files.removeDeleted(known.inputFileId);
  // The files have all of it.
  if (known.api === 'openai') while ((await batches.removeLines(id, 1_000)) > 0);
  return null;
}
