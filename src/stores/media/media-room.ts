import type { MediaRefusal } from '../../engine/ports/media-store.ts';

/** File systems allocate whole blocks, so tiny files count with their allocated size. */
const BLOCK_BYTES = 4_096;

export interface MediaRoomLimits {
  readonly maxBytes: number;
  readonly maxBytesPerAccount: number;
}

/** The space used by one account's files in one bucket. */
interface Share {
  bytes: number;
  files: number;
}

/** Counts stored bytes by bucket and owner, and refuses files that exceed the limits. */
export class MediaRoom {
  private readonly buckets = new Map<string, Map<string, Share>>();
  private readonly ofOwner = new Map<string, number>();
  private total: Share = { bytes: 0, files: 0 };
  /** The bytes of files that other processes are writing. */
  private elsewhere = 0;

  constructor(private readonly limits: MediaRoomLimits) {}

  get figures(): { readonly bytes: number; readonly files: number } {
    return { bytes: this.total.bytes + this.elsewhere, files: this.total.files };
  }

  /** Reserves space for a file that is being written. Must be ended with `keep` or `drop`. */
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

  /** Assigns bytes that are already counted to a bucket. */
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

  /** Subtracts a bucket whose files were removed. */
  forget(bucket: string): void {
    for (const [owner, { bytes, files }] of this.buckets.get(bucket) ?? []) {
      this.add(owner, -bytes);
      this.total.files -= files;
    }
    this.buckets.delete(bucket);
  }

  /** Replaces the counts by the result of a scan. Files that are being written stay counted. */
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

/** The space reserved for one file while it is written. */
export class Lodging {
  private written = 0;
  private taken = 0;

  constructor(
    private readonly room: MediaRoom,
    readonly owner: string,
  ) {}

  /** The number of bytes received. */
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

  /** Releases the space. No effect after `keep`. */
  drop(): void {
    this.room.give(this.owner, this.taken);
    this.taken = 0;
  }
}

/** The result of scanning a store. */
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
