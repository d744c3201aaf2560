import type { FamilySnapshot } from '../../domain/metrics/snapshot.ts';
import { type ProcessMetrics, summedAtOnce } from '../../transports/ops/summed-metrics.ts';

interface Worker {
  readonly number: number;
}

/** The number under which the counts of workers that have exited are reported; workers count from 1. */
const EXITED = 0;

/**
 * Keeps the sums of all workers from falling, which Prometheus would take for a restart, and count everything again: workers that have
 * exited, or do not answer in time, keep the counts that they reported last. A worker that stops reports its last ones itself.
 */
export class GroupMetrics {
  private readonly latest = new Map<Worker, readonly FamilySnapshot[]>();
  /** Workers whose counts are final, although an earlier answer may still be on its way. */
  private readonly ended = new WeakSet<Worker>();
  private ofExited: readonly FamilySnapshot[] = [];

  /** Returns the metrics of all workers. `families` is `null` for one that has not answered. */
  all(answers: readonly { readonly worker: Worker; readonly families: readonly FamilySnapshot[] | null }[]) {
    for (const { worker, families } of answers) {
      if (families !== null && !this.ended.has(worker)) this.latest.set(worker, families);
    }
    const workers = answers.flatMap(({ worker }): readonly ProcessMetrics[] => {
      const families = this.latest.get(worker);
      return families === undefined ? [] : [{ worker: worker.number, families }];
    });
    return this.ofExited.length === 0 ? workers : [...workers, { worker: EXITED, families: this.ofExited }];
  }

  /** Takes the last metrics of a worker that is about to exit. */
  ending(worker: Worker, families: readonly FamilySnapshot[]): void {
    if (this.ended.has(worker)) return;
    this.latest.set(worker, families);
    this.ended.add(worker);
  }

  exited(worker: Worker): void {
    const families = this.latest.get(worker) ?? [];
    this.latest.delete(worker);
    this.ended.add(worker);
    const counts = families.filter(({ type }) => type !== 'gauge');
    if (counts.length === 0) return;
    this.ofExited = summedAtOnce([
      { worker: EXITED, families: this.ofExited },
      { worker: EXITED, families: counts },
    ]);
  }
}
