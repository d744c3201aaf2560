import type { KeyUse, KeyUseStore } from '../../engine/ports/key-use-store.ts';

export class MemoryKeyUse implements KeyUseStore {
  /** By account and key. */
  readonly #uses = new Map<string, KeyUse>();

  async read(): Promise<readonly KeyUse[]> {
    return [...this.#uses.values()].sort((a, b) =>
      a.accountId === b.accountId ? compare(a.keyId, b.keyId) : compare(a.accountId, b.accountId),
    );
  }

  async write(uses: readonly KeyUse[]): Promise<void> {
    for (const use of uses) {
      const place = JSON.stringify([use.accountId, use.keyId]);
      const known = this.#uses.get(place);
      if (known === undefined || known.lastUsedAtMs < use.lastUsedAtMs) this.#uses.set(place, { ...use });
    }
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
