/** One place in a `FairQueue`. */
export interface QueuePlace<Item> {
  readonly item: Item;
}

interface Entry<Item> extends QueuePlace<Item> {
  readonly own: Row<Item>;
  before: Entry<Item> | null;
  after: Entry<Item> | null;
  isIn: boolean;
}

/** The waiting items of one owner, oldest first, and its neighbours in the circle of owners. */
class Row<Item> {
  first: Entry<Item> | null = null;
  last: Entry<Item> | null = null;
  size = 0;
  left: Row<Item> = this;
  right: Row<Item> = this;

  constructor(readonly owner: string) {}
}

/**
 * A queue that serves its owners in turn, and the items of each owner in the order of their arrival. An owner with many items therefore
 * delays another one by one item at most. Every operation takes constant time, except `longest`.
 *
 * Use one queue for one period of waiting and drop it when it is empty: its index of owners is a `Map` (see `Bag`).
 */
export class FairQueue<Item> {
  readonly #rows = new Map<string, Row<Item>>();
  /** The owner whose turn is next. */
  #next: Row<Item> | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The item that is served next; `null` if nothing waits. It stays the same until it is removed. */
  get head(): Item | null {
    return this.#next?.first?.item ?? null;
  }

  /** Returns the number of items of one owner. */
  sizeOf(owner: string): number {
    return this.#rows.get(owner)?.size ?? 0;
  }

  add(owner: string, item: Item): QueuePlace<Item> {
    const row = this.#rows.get(owner) ?? this.#newRow(owner);
    const entry: Entry<Item> = { item, own: row, before: row.last, after: null, isIn: true };
    if (row.last === null) row.first = entry;
    else row.last.after = entry;
    row.last = entry;
    row.size++;
    this.#size++;
    return entry;
  }

  /** Removes an item before its turn, or because it was served: the next owner's turn begins if it was the head. */
  remove(place: QueuePlace<Item>): void {
    const entry = place as Entry<Item>;
    if (!entry.isIn) return;
    const { own } = entry;
    const wasHead = this.#next === own && own.first === entry;
    entry.isIn = false;
    if (entry.before === null) own.first = entry.after;
    else entry.before.after = entry.after;
    if (entry.after === null) own.last = entry.before;
    else entry.after.before = entry.before;
    own.size--;
    this.#size--;
    if (wasHead) this.#next = own.right;
    if (own.size === 0) this.#drop(own);
  }

  /** Returns the latest item of the owner with the most items, and their number; `null` if nothing waits. Looks at every owner. */
  longest(): { readonly item: Item; readonly size: number } | null {
    let longest: Row<Item> | null = null;
    for (const row of this.#rows.values()) if (longest === null || row.size > longest.size) longest = row;
    return longest?.last ? { item: longest.last.item, size: longest.size } : null;
  }

  /** Adds an owner at the end of the circle, which is before the owner whose turn is next. */
  #newRow(owner: string): Row<Item> {
    const row = new Row<Item>(owner);
    const next = this.#next;
    if (next === null) this.#next = row;
    else {
      row.left = next.left;
      row.right = next;
      next.left.right = row;
      next.left = row;
    }
    this.#rows.set(owner, row);
    return row;
  }

  #drop(row: Row<Item>): void {
    this.#rows.delete(row.owner);
    if (this.#next === row) this.#next = row.right === row ? null : row.right;
    row.left.right = row.right;
    row.right.left = row.left;
  }
}
