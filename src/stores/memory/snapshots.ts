import type { SuccessSnapshot } from '../../domain/catalog/preference.ts';
import { SNAPSHOT_CLAIM_MS, type SnapshotStore } from '../../engine/ports/outcomes.ts';

export class MemorySnapshots implements SnapshotStore {
  #snapshot: SuccessSnapshot | null = null;
  #claimedAtMs: number | null = null;

  async read(): Promise<SuccessSnapshot | null> {
    return this.#snapshot;
  }

  async claim(nowMs: number, freshMs: number): Promise<boolean> {
    if (isWithin(this.#snapshot?.atMs ?? null, nowMs, freshMs)) return false;
    if (isWithin(this.#claimedAtMs, nowMs, SNAPSHOT_CLAIM_MS)) return false;
    this.#claimedAtMs = nowMs;
    return true;
  }

  async write(snapshot: SuccessSnapshot): Promise<boolean> {
    if (this.#claimedAtMs !== snapshot.atMs) return false;
    this.#snapshot = { ...snapshot, counts: snapshot.counts.map((count) => ({ ...count })) };
    this.#claimedAtMs = null;
    return true;
  }

  async release(nowMs: number): Promise<void> {
    if (this.#claimedAtMs === nowMs) this.#claimedAtMs = null;
  }
}

function isWithin(atMs: number | null, nowMs: number, distanceMs: number): boolean {
  return atMs !== null && Math.abs(atMs - nowMs) < distanceMs;
}
