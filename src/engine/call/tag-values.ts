import { OTHER_VALUE, tagKeyOf } from '../../domain/usage/request-tags.ts';

const DAY_MS = 86_400_000;

interface Seen {
  readonly day: number;
  readonly values: Set<string>;
}

export interface TagBounds {
  /** Distinct values of one key of one account in a day (UTC). */
  readonly perKey: number;
  /** Values that are remembered in all; the keys that were used least lately are forgotten first. */
  readonly inAll: number;
}

const DEFAULT_BOUNDS: TagBounds = { perKey: 500, inAll: 100_000 };

/**
 * Bounds how many sums tags can make: clients write ids into `metadata` that are never the same. It is kept in memory and of each
 * process alone, so that several processes, or keys that were forgotten, may have some sums more.
 */
export class TagValues {
  private readonly seen = new Map<string, Seen>();
  private count = 0;

  constructor(private readonly bounds: TagBounds = DEFAULT_BOUNDS) {}

  /** The tags under which a request is summed. */
  summed(accountId: string, tags: readonly string[], nowMs: number): readonly string[] {
    const day = Math.floor(nowMs / DAY_MS);
    return tags.map((tag) => (this.isOwn(accountId, tag, day) ? tag : `${tagKeyOf(tag)}=${OTHER_VALUE}`));
  }

  /** How many values are remembered. */
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
    // The last in the order of the map is the one that was used last.
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
