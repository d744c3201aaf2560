import type { ObjectOrigin, ObjectOriginStore } from '../../engine/ports/object-origins.ts';

export class MemoryObjectOrigins implements ObjectOriginStore {
  /** Keyed by account, then object; oldest first. */
  readonly #accounts = new Map<string, Map<string, ObjectOrigin>>();

  async write(origins: readonly ObjectOrigin[]): Promise<void> {
    for (const origin of origins) {
      const known = this.#accounts.get(origin.accountId) ?? new Map<string, ObjectOrigin>();
      known.delete(origin.objectId);
      known.set(origin.objectId, origin);
      this.#accounts.set(origin.accountId, known);
    }
  }

  async find(accountId: string, objectIds: readonly string[], nowMs: number): Promise<readonly ObjectOrigin[]> {
    const known = this.#accounts.get(accountId);
    return objectIds.flatMap((id) => known?.get(id) ?? []).filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  }

  removeOf(accountId: string, isCounted: boolean): number {
    const found = this.#accounts.get(accountId)?.size ?? 0;
    if (!isCounted) this.#accounts.delete(accountId);
    return found;
  }

  async removeOld(nowMs: number, mostOfAccount: number, limit: number): Promise<number> {
    let removed = 0;
    for (const known of this.#accounts.values()) {
      for (const [id, { expiresAtMs }] of known) {
        if (removed >= limit || (expiresAtMs > nowMs && known.size <= mostOfAccount)) continue;
        known.delete(id);
        removed++;
      }
    }
    return removed;
  }
}
