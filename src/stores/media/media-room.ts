import type { MediaRefusal } from '../../engine/ports/media-store.ts';

/** File systems give whole blocks, so a flood of tiny files is counted as what it takes. */
const BLOCK_BYTES = 4_096;

export interface MediaRoomLimits {
  readonly maxBytes: number;
  readonly maxBytesPerAccount: number;
}

/** What one account's files of one bucket take. */
interface Share {
  bytes: number;
  files: number;
}

/** Counts what lies in a store, by bucket and by owner, and refuses what has no room. */
export class MediaRoom {
  private readonly buckets = new Map<string, Map<string, Share>>();
  private readonly ofOwner = new Map<string, number>();
  private total: Share = { bytes: 0, files: 0 };
  /** Files that others are writing. */
  private elsewhere = 0;

  constructor(private readonly limits: MediaRoomLimits) {}

  get figures(): { readonly bytes: number; readonly files: number } {
    return { bytes: this.total.bytes + this.elsewhere, files: this.total.files };
  }

  /** Room for a file that is being written; it must be kept or dropped. */
  begin(owner: string): Lodging {
    return new Lodging(this, owner);
  }

  /** Counts bytes before they are written. */
  take(owner: string, bytes: number): MediaRefusal | null {
    if (this.total.bytes + this.elsewhere + bytes > this.limits.maxBytes) return 'media_store_full';
    if ((this.ofOwner.get(owner) ?? 0) + bytes > this.limits.maxBytesPerAccount) return 'media_account_full';
    this.add(owner, bytes);
    return null;
  }

  give(owner: string, bytes: number): void {
    this.add(owner, -bytes);
  }

  /** The bytes are counted already. */
  keep(bucket: string, owner: string, bytes: number): void {
    const share = this.shareOf(bucket, owner);
    share.bytes += bytes;
    share.files += 1;
    this.total.files += 1;
  }

  get oldestBucket(): string | null {
    let oldest: string | null = null;
    for (const bucket of this.buckets.keys()) if (oldest === null || bucket < oldest) oldest = bucket;
    return oldest;
  }

  /** The files of the bucket have been removed. */
  forget(bucket: string): void {
    for (const [owner, { bytes, files }] of this.buckets.get(bucket) ?? []) {
      this.add(owner, -bytes);
      this.total.files -= files;
    }
    this.buckets.delete(bucket);
  }

  /** What was found in the store takes the place of what was kept so far; files that are being written stay counted. */
  replace(found: FoundMedia): void {
    for (const bucket of [...this.buckets.keys()]) this.forget(bucket);
    this.elsewhere = found.elsewhere;
    for (const [bucket, owners] of found.buckets) {
      for (const [owner, share] of owners) {
        this.add(owner, share.bytes);
        this.total.files += share.files;
        const own = this.shareOf(bucket, owner);
        own.bytes += share.bytes;
        own.files += share.files;
      }
    }
  }

  private shareOf(bucket: string, owner: string): Share {
    return shareIn(this.buckets, bucket, owner);
  }

  private add(owner: string, bytes: number): void {
    this.total.bytes += bytes;
    const left = (this.ofOwner.get(owner) ?? 0) + bytes;
    if (left > 0) this.ofOwner.set(owner, left);
    else this.ofOwner.delete(owner);
  }
}

/** The room of one file while it is written. */
export class Lodging {
  private written = 0;
  private taken = 0;

  constructor(
    private readonly room: MediaRoom,
    readonly owner: string,
  ) {}

  /** Bytes that came in. */
  get size(): number {
    return this.written;
  }

  grow(bytes: number): MediaRefusal | null {
    const needed = inBlocks(this.written + bytes) - this.taken;
    const refusal = needed === 0 ? null : this.room.take(this.owner, needed);
    if (refusal !== null) return refusal;
    this.written += bytes;
    this.taken += needed;
    return null;
  }

  keep(bucket: string): void {
    this.room.keep(bucket, this.owner, this.taken);
    this.taken = 0;
  }

  /** Harmless after `keep`. */
  drop(): void {
    this.room.give(this.owner, this.taken);
    this.taken = 0;
  }
}

/** What a look through a store has found. */
export class FoundMedia {
  readonly buckets = new Map<string, Map<string, Share>>();
  elsewhere = 0;

  add(bucket: string, owner: string, size: number): void {
    const share = shareIn(this.buckets, bucket, owner);
    share.bytes += inBlocks(size);
    share.files += 1;
  }
}

function shareIn(buckets: Map<string, Map<string, Share>>, bucket: string, owner: string): Share {
  let owners = buckets.get(bucket);
  if (owners === undefined) {
    owners = new Map();
    buckets.set(bucket, owners);
  }
  let share = owners.get(owner);
  if (share === undefined) {
    share = { bytes: 0, files: 0 };
    owners.set(owner, share);
  }
  return share;
}

function inBlocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}
