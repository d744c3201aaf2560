import type { CredentialKey } from '../../domain/access/api-key.ts';
import { compareText } from '../../domain/text/compare-text.ts';
import type { KeyUse, KeyUseStore } from '../../engine/ports/key-use-store.ts';

export class MemoryKeyUse implements KeyUseStore {
  /** Keyed by account, kind and id. */
  readonly #uses = new Map<string, KeyUse>();

  async read(only?: readonly CredentialKey[]): Promise<readonly KeyUse[]> {
    const wanted = only && new Set(only.map(placeOf));
    const found = [...this.#uses].filter(([place]) => wanted === undefined || wanted.has(place));
    return found
      .map(([, use]) => use)
      .sort((a, b) => compareText(a.kind, b.kind) || compareText(a.accountId, b.accountId) || compareText(a.id, b.id));
  }

  async write(uses: readonly KeyUse[]): Promise<void> {
    for (const use of uses) {
      const place = placeOf(use);
      const known = this.#uses.get(place);
      if (known === undefined || known.lastUsedAtMs < use.lastUsedAtMs) this.#uses.set(place, { ...use });
    }
  }
}

function placeOf({ accountId, kind, id }: CredentialKey): string {
  return JSON.stringify([accountId, kind, id]);
}
