import type { TokenTable } from './token-table.ts';

/** A rank takes 18 bits, which leaves this many for a place in 32. */
const PLACE_BITS = 14;
/** The most bytes that can be merged at once. */
export const MOST_BYTES = 2 ** PLACE_BITS;
const PLACE_MASK = MOST_BYTES - 1;
const NO_RANK = -1;

/**
 * Byte-pair encoding: repeatedly joins the neighbours whose union has the lowest rank, until no two form a token. A heap finds
 * them, so n bytes take n·log(n); scanning all neighbours each time takes minutes for a million `a`.
 */
export class BytePairs {
  readonly bytes = new Uint8Array(MOST_BYTES);
  /** The start of the part after the one that starts here. */
  readonly next = new Uint16Array(MOST_BYTES + 1);
  private readonly previous = new Int16Array(MOST_BYTES + 1);
  /** The rank of the part that starts here joined with the next one. */
  private readonly ranks = new Int32Array(MOST_BYTES + 1);
  /** Ranks with their places; outdated entries are skipped when they come up. */
  private readonly heap = new Uint32Array(3 * MOST_BYTES);
  private heapSize = 0;

  constructor(private readonly table: TokenTable) {}

  /**
   * Returns the number of tokens in the first `length` bytes of `bytes`; the first one starts at 0, the others where `next` says.
   */
  merge(length: number): number {
    if (length === 0) return 0;
    this.next[0] = length;
    if (this.table.rank(this.bytes, 0, length) !== NO_RANK) return 1;
    let tokens = length;
    this.begin(length);
    while (this.heapSize > 0) {
      const key = this.pop();
      const place = key & PLACE_MASK;
      if (this.ranks[place] !== key >>> PLACE_BITS) continue;
      this.join(place, length);
      tokens -= 1;
    }
    return tokens;
  }

  private begin(length: number): void {
    this.heapSize = 0;
    for (let place = 0; place < length; place++) {
      this.next[place] = place + 1;
      this.previous[place] = place - 1;
    }
    for (let place = 0; place < length; place++) this.rate(place, length);
  }

  private join(place: number, length: number): void {
    const gone = this.next[place] ?? length;
    const after = this.next[gone] ?? length;
    this.next[place] = after;
    this.previous[after] = place;
    this.ranks[gone] = NO_RANK;
    this.rate(place, length);
    const before = this.previous[place] ?? NO_RANK;
    if (before >= 0) this.rate(before, length);
  }

  private rate(place: number, length: number): void {
    const middle = this.next[place] ?? length;
    const rank = middle < length ? this.table.rank(this.bytes, place, this.next[middle] ?? length) : NO_RANK;
    this.ranks[place] = rank;
    if (rank !== NO_RANK) this.push(((rank << PLACE_BITS) | place) >>> 0);
  }

  private push(key: number): void {
    const { heap } = this;
    let at = this.heapSize++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] ?? 0;
      if (above <= key) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = key;
  }

  private pop(): number {
    const { heap } = this;
    const least = heap[0] ?? 0;
    const size = --this.heapSize;
    const last = heap[size] ?? 0;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child += 1;
      const below = heap[child] ?? 0;
      if (below >= last) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return least;
  }
}
