import { OTHER_VALUE, tagKeyOf } from '../../domain/usage/request-tags.ts';

const DAY_MS = 86_400_000;

interface Seen {
  readonly day: number;
  readonly values: Set<string>;
}

export interface TagBounds {
  /** The number of distinct values per key and account in a day (UTC). */
  readonly perKey: number;
  /** The number of values remembered in total; the least recently used keys are forgotten first. */
  readonly inAll: number;
}

const DEFAULT_BOUNDS: TagBounds = { perKey: 500, inAll: 100_000 };

/**
 * Bounds the number of usage sums that tags can create: clients write unique ids into `metadata`. Each process keeps its own bound in
 * memory, so several processes, or forgotten keys, may exceed it somewhat.
 */
export class TagValues {
  private readonly seen = new Map<string, Seen>();
  private count = 0;

  constructor(private readonly bounds: TagBounds = DEFAULT_BOUNDS) {}

  /** Returns the tags under which a request is summed; surplus values become one common value. */
  summed(accountId: string, tags: readonly string[], nowMs: number): readonly string[] {
    const day = Math.floor(nowMs / DAY_MS);
    return tags.map((tag) => (this.isOwn(accountId, tag, day) ? tag : `${tagKeyOf(tag)}=${OTHER_VALUE}`));
  }

  /** The number of remembered values. */
  get size(): number {
    return this.count;
  }

  private isOwn(accountId: string, tag: string, day: number): boolean {
    const place = `${accountId} ${tagKeyOf(tag)}`;
    const { values } = this.seenToday(place, day);
    if (values.has(tag)) return true;
    if (values.size >= this.bounds.perKey) return false;
    values.add(tag);
    this.count += 1;
    while (this.count > this.bounds.inAll) this.forgetOldest(place);
    return true;
  }

  private seenToday(place: string, day: number): Seen {
    const known = this.seen.get(place);
    if (known !== undefined) this.seen.delete(place);
    const isOfToday = known !== undefined && known.day === day;
    if (known !== undefined && !isOfToday) this.count -= known.values.size;
    const seen = isOfToday ? known : { day, values: new Set<string>() };
    // Reinsertion moves the key to the end of the map, which keeps the least recently used key first.
    this.seen.set(place, seen);
    return seen;
  }

  private forgetOldest(but: string): void {
    for (const [place, { values }] of this.seen) {
      if (place === but && this.seen.size > 1) continue;
      this.seen.delete(place);
      this.count -= values.size;
      return;
    }
  }
}
