import type { CacheEntry } from '../../../domain/cache/cache.ts';
import type { QueueFigures } from '../../../engine/ports/figures.ts';
import type { Block } from './blocks.ts';

/** `invalidate` removes one entry and blocks its key. `clear` removes all entries, or those of an account. */
export type Removal =
  | { readonly kind: 'invalidate'; readonly block: Block }
  | { readonly kind: 'clear'; readonly accountId: string | null };

const MOST_PENDING = 10_000;
const EVERYTHING: Removal = { kind: 'clear', accountId: null };

/**
 * Removals not yet applied to the disk or Redis, whose affected entries must not be used. Beyond a limit they become a removal of
 * everything.
 */
export class PendingRemovals {
  readonly #removals = new Set<Removal>();
  readonly #keys = new Map<string, number>();
  readonly #accounts = new Map<string | null, number>();

  add(removal: Removal): void {
    if (this.#removals.size >= MOST_PENDING) {
      for (const pending of this.all) this.done(pending);
      this.#count(EVERYTHING, 1);
      this.#removals.add(EVERYTHING);
    }
    this.#removals.add(removal);
    this.#count(removal, 1);
  }

  /** Returns the removals from oldest to newest. */
  get all(): readonly Removal[] {
    return [...this.#removals];
  }

  get figures(): QueueFigures {
    return { waiting: this.#removals.size, capacity: MOST_PENDING, lateMs: null, dropped: 0, failedWrites: 0 };
  }

  get isEmpty(): boolean {
    return this.#removals.size === 0;
  }

  done(removal: Removal): void {
    if (this.#removals.delete(removal)) this.#count(removal, -1);
  }

  /** Whether an entry found under the key must be treated as removed. */
  coversKey(key: string): boolean {
    return this.#keys.has(key) || this.#accounts.has(null);
  }

  covers({ key, accountId }: Pick<CacheEntry, 'key' | 'accountId'>): boolean {
    return !this.isEmpty && (this.coversKey(key) || this.#accounts.has(accountId));
  }

  #count(removal: Removal, by: number): void {
    if (removal.kind === 'invalidate') change(this.#keys, removal.block.key, by);
    else change(this.#accounts, removal.accountId, by);
  }
}

function change<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
