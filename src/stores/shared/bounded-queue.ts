/** First in, first out, of at most `capacity` items: when it is full, the oldest makes room for the newest. */
export class BoundedQueue<Item> {
  readonly #capacity: number;
  #items: Item[] = [];
  /** Items before this index are gone; they are cut off when they are the bigger part, so that removing costs O(1). */
  #head = 0;
  #added = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** How many were ever added. */
  get added(): number {
    return this.#added;
  }

  /** How many were ever removed, dropped ones included. */
  get removed(): number {
    return this.#added - this.length;
  }

  /** Gives `false` when the oldest item had to be dropped. */
  push(item: Item): boolean {
    this.#items.push(item);
    this.#added += 1;
    if (this.length <= this.#capacity) return true;
    this.remove(1);
    return false;
  }

  /** The oldest `count`, or fewer; they stay in the queue. */
  peek(count: number): Item[] {
    return this.#items.slice(this.#head, this.#head + count);
  }

  /** Takes the oldest `count` away. */
  remove(count: number): void {
    this.#head = Math.min(this.#head + count, this.#items.length);
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
  }
}
