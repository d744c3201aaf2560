/** What a look-up may still trust for one key: `undefined` for any entry, an id for that entry alone, `null` for none. */
type Told = string | null | undefined;

/** Keys that were asked for and have no answer yet. */
export type Lookup = Map<string, Told>;

/**
 * Look-ups in Redis that have no answer yet. Messages about entries arrive on another connection than answers, so an answer may be older
 * than a message that has already been handled: an entry that was removed or replaced meanwhile must not be served.
 */
export class OpenLookups {
  readonly #open = new Set<Lookup>();

  /** Starts a look-up; whoever starts it calls `end`. */
  begin(keys: Iterable<string>): Lookup {
    const lookup: Lookup = new Map();
    for (const key of keys) lookup.set(key, undefined);
    this.#open.add(lookup);
    return lookup;
  }

  end(lookup: Lookup): void {
    this.#open.delete(lookup);
  }

  /** The key now has the entry of this id. */
  replaced(key: string, id: string): void {
    this.#tell(key, id);
  }

  removed(key: string): void {
    this.#tell(key, null);
  }

  removedAll(): void {
    for (const lookup of this.#open) for (const key of lookup.keys()) lookup.set(key, null);
  }

  #tell(key: string, told: Told): void {
    for (const lookup of this.#open) if (lookup.has(key)) lookup.set(key, told);
  }
}

/** Returns whether no message contradicts an entry that a look-up has found. */
export function isCurrent(lookup: Lookup, { key, id }: { readonly key: string; readonly id: string }): boolean {
  const told = lookup.get(key);
  return told === undefined || told === id;
}
