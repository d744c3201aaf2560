import { compareText } from '../../domain/text/compare-text.ts';
import type { KeyPlace, KeyUse, KeyUseStore } from '../../engine/ports/key-use-store.ts';

export class MemoryKeyUse implements KeyUseStore {
  /** By account and key. */
  readonly #uses = new Map<string, KeyUse>();

  async read(only?: readonly KeyPlace[]): Promise<readonly KeyUse[]> {
    const wanted = only && new Set(only.map(placeOf));
    const found = [...this.#uses].filter(([place]) => wanted === undefined || wanted.has(place));
    return found
      .map(([, use]) => use)
      .sort((a, b) =>
        a.accountId === b.accountId ? compareText(a.keyId, b.keyId) : compareText(a.accountId, b.accountId),
      );
  }

  async write(uses: readonly KeyUse[]): Promise<void> {
    for (const use of uses) {
      const place = placeOf(use);
      const known = this.#uses.get(place);
      if (known === undefined || known.lastUsedAtMs < use.lastUsedAtMs) this.#uses.set(place, { ...use });
    }
  }
}

function placeOf({ accountId, keyId }: KeyPlace): string {
  return JSON.stringify([accountId, keyId]);
}
