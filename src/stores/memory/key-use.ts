import { compareText } from '../../domain/text/compare-text.ts';
import type { KeyUse, KeyUseStore } from '../../engine/ports/key-use-store.ts';

export class MemoryKeyUse implements KeyUseStore {
  /** By account and key. */
  readonly #uses = new Map<string, KeyUse>();

  async read(): Promise<readonly KeyUse[]> {
    return [...this.#uses.values()].sort((a, b) =>
      a.accountId === b.accountId ? compareText(a.keyId, b.keyId) : compareText(a.accountId, b.accountId),
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
