import type { RetentionStore, Thinning } from '../../engine/ports/retention-store.ts';

/** Deletes nothing by age: everything here is lost with the process, and the request log has its own limit. */
export class MemoryRetention implements RetentionStore {
  async claim(): Promise<boolean> {
    return true;
  }

  async release(): Promise<void> {}

  async tendLog(): Promise<void> {}

  async removeOld(): Promise<number> {
    return 0;
  }

  /** Sums are kept by minute. */
  async thinSums(): Promise<null> {
    return null;
  }

  async thinning(): Promise<Thinning> {
    return { doneUntilMs: 0, minutesBeforeMs: 0, hoursBeforeMs: 0, ranksBeforeMs: 0 };
  }

  async beginThinning(): Promise<void> {}

  async endThinning(): Promise<void> {}
}
