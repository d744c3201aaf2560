import type { CacheEntry } from '../../../domain/cache/cache.ts';
import type { CacheListener, StoredQuestion } from '../../../engine/ports/cache-store.ts';

/** Forwards events to all listeners of a store. */
export class CacheListeners implements CacheListener {
  readonly #listeners: CacheListener[] = [];

  add(listener: CacheListener): void {
    this.#listeners.push(listener);
  }

  added(question: StoredQuestion): void {
    for (const listener of this.#listeners) listener.added(question);
  }

  removed(keys: readonly string[]): void {
    if (keys.length === 0) return;
    for (const listener of this.#listeners) listener.removed(keys);
  }

  cleared(): void {
    for (const listener of this.#listeners) listener.cleared();
  }
}

export function storedQuestion({ key, question }: Pick<CacheEntry, 'key' | 'question'>): StoredQuestion | null {
  return question === null ? null : { key, partition: question.partition, vector: question.vector };
}

/** Returns the newest questions. Entries may be listed more than once. */
export function newestQuestions(entries: Iterable<Pick<CacheEntry, 'key' | 'question' | 'storedAtMs'>>, limit: number) {
  const byKey = new Map([...entries].map((entry) => [entry.key, entry]));
  return [...byKey.values()]
    .sort((one, other) => other.storedAtMs - one.storedAtMs)
    .slice(0, limit)
    .flatMap((entry) => storedQuestion(entry) ?? []);
}
