/** The entry that a look-up may still return for a key: `undefined` for any, an id for that entry only, `null` for none. */
type Told = string | null | undefined;

/** Keys of a look-up in flight. */
export type Lookup = Map<string, Told>;

/**
 * Look-ups in flight. Messages arrive on another connection than responses, so a response may be older than a message that was already
 * handled: an entry that was removed or replaced meanwhile must not be served.
 */
export class OpenLookups {
  readonly #open = new Set<Lookup>();

  /** Starts a look-up, which the caller must `end`. */
  begin(keys: Iterable<string>): Lookup {
    const lookup: Lookup = new Map();
    for (const key of keys) lookup.set(key, undefined);
    this.#open.add(lookup);
    return lookup;
  }

  end(lookup: Lookup): void {
    this.#open.delete(lookup);
  }

  /** Records that the key now has the entry with this id. */
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

/** Whether no message contradicts an entry that a look-up found. */
export function isCurrent(lookup: Lookup, { key, id }: { readonly key: string; readonly id: string }): boolean {
  const told = lookup.get(key);
  return told === undefined || told === id;
}
