/** A FIFO queue of at most `capacity` items. When it is full, a push drops the oldest. */
export class BoundedQueue<Item> {
  readonly #capacity: number;
  #items: Item[] = [];
  /** Items before this index are removed. They are cut off once they are the larger part, so that removing is amortised O(1). */
  #head = 0;
  #added = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** The total number of items ever added. */
  get added(): number {
    return this.#added;
  }

  /** The total number of items ever removed, including dropped ones. */
  get removed(): number {
    return this.#added - this.length;
  }

  /** Returns `false` if the oldest item was dropped. */
  push(item: Item): boolean {
    this.#items.push(item);
    this.#added += 1;
    if (this.length <= this.#capacity) return true;
    this.remove(1);
    return false;
  }

  /** Returns up to `count` of the oldest items without removing them. */
  peek(count: number): Item[] {
    return this.#items.slice(this.#head, this.#head + count);
  }

  /** Removes up to `count` of the oldest items. */
  remove(count: number): void {
    this.#head = Math.min(this.#head + count, this.#items.length);
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
  }
}
