import type { Failure } from '../../domain/failure/failure.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import {
  type MediaFigures,
  type MediaRefusal,
  type MediaStore,
  mediaRefused,
  type NewMedia,
  type OpenMedia,
  type PresentedLink,
  type StoredMedia,
} from '../../engine/ports/media-store.ts';
import { bucketOf, isOver, ownerTag, parseMediaId } from './media-id.ts';
import { MediaLinks } from './media-links.ts';
import { type Lodging, MediaRoom, type MediaRoomLimits } from './media-room.ts';
import { MediaSource } from './media-source.ts';
import type { Shelf } from './shelf.ts';

export interface ShelvedMediaOptions extends MediaRoomLimits {
  readonly shelf: Shelf;
  /** 32 bytes derived from the master secret. Signs links and derives the account tags in names. */
  readonly key: Uint8Array;
  readonly linkMs: number;
  /** How often the shelf is scanned for expired files and for files stored by other processes. */
  readonly sweepMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A media store over a folder or an object store, which share limits, links and expiry. */
export class ShelvedMedia implements MediaStore {
  private readonly links: MediaLinks;
  private readonly room: MediaRoom;
  private readonly refused = new Map<string, number>();
  /** Files that a scan in progress may or may not see, with their sizes once they are stored. */
  private readonly unsettled = new Map<string, number | null>();
  private isLooking = false;
  private isSplit = false;
  /** The first scan. */
  private readonly counted: Promise<void>;
  private tending: Promise<void> | null = null;
  private problem: MediaRefusal | null = null;
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(private readonly options: ShelvedMediaOptions) {
    this.links = new MediaLinks(options.key);
    this.room = new MediaRoom(options);
    this.counted = this.tend();
    this.timer = setInterval(() => void this.tend(), options.sweepMs);
    this.timer.unref();
  }

  async put({ accountId, content, mediaType, ...media }: NewMedia): Promise<StoredMedia | Failure> {
    if (this.isSplit) {
      if (content.kind === 'stream') await content.stream.cancel().catch(() => undefined);
      this.countRefusal('media_store_split');
      return mediaRefused('media_store_split');
    }
    const { clock, key, linkMs, shelf } = this.options;
    const expiresAtMs = media.expiresAtMs ?? clock.nowMs() + linkMs;
    const owner = ownerTag(key, accountId);
    const lodging = this.room.begin(owner);
    const source = new MediaSource(content, (bytes) => this.makeRoom(lodging, bytes));
    let id: string | null = null;
    const named = (name: string) => {
      id = name;
      this.unsettled.set(name, null);
    };
    try {
      // Earlier files count, too.
      await this.counted;
      const stored = await shelf.write({ expiresAtMs, owner, mediaType }, source, named);
      const known = parseMediaId(stored);
      if (known === null) throw new Error('the shelf returned an invalid media id');
      lodging.keep(bucketOf(expiresAtMs));
      if (this.isLooking) this.unsettled.set(stored, lodging.size);
      else this.unsettled.delete(stored);
      this.works();
      return { id: stored, expiresAtMs, size: lodging.size, mediaType: known.mediaType };
    } catch (error) {
      if (id !== null) this.unsettled.delete(id);
      source.discard();
      lodging.drop();
      return this.failureOf(source, error);
    }
  }

  link(media: Pick<StoredMedia, 'id' | 'expiresAtMs'>, origin: string): string {
    return this.options.shelf.link?.(media) ?? this.links.make(media, origin);
  }

  async open(link: PresentedLink): Promise<OpenMedia | null | Failure> {
    const expiresAtMs = this.links.check(link, this.options.clock.nowMs());
    return expiresAtMs === null ? null : await this.openStored({ id: link.id, expiresAtMs });
  }

  async openStored(media: Pick<StoredMedia, 'id' | 'expiresAtMs'>): Promise<OpenMedia | null | Failure> {
    const id = parseMediaId(media.id);
    const leftMs = media.expiresAtMs - this.options.clock.nowMs();
    if (id === null || leftMs <= 0) return null;
    try {
      const file = await this.options.shelf.find(id);
      if (file === null) return null;
      const { mediaType, saveName } = id;
      const read = (start: number, end: number) => file.read(start, end);
      return { id: media.id, mediaType, saveName, leftMs, size: file.size, read };
    } catch (error) {
      return this.refuse(this.options.shelf.refusalOf(error), error);
    }
  }

  async place(): Promise<string | null> {
    return this.options.shelf.place().catch(() => null);
  }

  setSplitFrom(hosts: readonly string[]): void {
    const { logger } = this.options;
    const wasSplit = this.isSplit;
    this.isSplit = hosts.length > 0;
    if (this.isSplit === wasSplit) return;
    if (this.isSplit) {
      const remedy = 'give all nodes one shared folder or one bucket (media_store)';
      logger.warn({ hosts, remedy }, 'nodes store media in different places; no file is stored until they share one');
    } else {
      logger.info({}, 'all nodes store media in the same place again');
    }
  }

  figures(): MediaFigures {
    return { ...this.room.figures, refused: this.refused };
  }

  async removeOf(accountId: string): Promise<void> {
    const { key, shelf } = this.options;
    await shelf.removeOwner(ownerTag(key, accountId));
    // A scan in progress may have counted removed files.
    await this.tending;
    await this.tend();
  }

  async removeFiles(ids: readonly string[]): Promise<void> {
    const known = ids.map(parseMediaId).filter((id) => id !== null);
    // The next scan notices the space.
    await Promise.all(known.map((id) => this.options.shelf.removeFile(id)));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.tending;
  }

  /** Removes expired files and counts the rest. Runs once at a time and never throws. */
  tend(): Promise<void> {
    this.tending ??= this.tendOnce().finally(() => {
      this.tending = null;
    });
    return this.tending;
  }

  private async tendOnce(): Promise<void> {
    const { shelf, clock } = this.options;
    this.isLooking = true;
    try {
      const found = await shelf.look((id) => this.unsettled.has(id));
      for (const [id, size] of this.unsettled) {
        const known = parseMediaId(id);
        if (size === null || known === null) continue;
        found.add(known.bucket, known.owner, size);
      }
      this.room.replace(found);
      await this.removeOver(clock.nowMs());
    } catch (error) {
      this.note(shelf.refusalOf(error), error);
    } finally {
      this.isLooking = false;
      for (const [id, size] of this.unsettled) if (size !== null) this.unsettled.delete(id);
    }
  }

  private async removeOver(nowMs: number): Promise<void> {
    for (
      let bucket = this.room.oldestBucket;
      bucket !== null && isOver(bucket, nowMs);
      bucket = this.room.oldestBucket
    ) {
      await this.options.shelf.remove(bucket);
      this.room.forget(bucket);
    }
  }

  /** Removes expired files before refusing anything. */
  private async makeRoom(lodging: Lodging, bytes: number): Promise<MediaRefusal | null> {
    const refusal = lodging.grow(bytes);
    const oldest = this.room.oldestBucket;
    if (refusal === null || oldest === null || !isOver(oldest, this.options.clock.nowMs())) return refusal;
    await this.tend();
    return lodging.grow(bytes);
  }

  private failureOf(source: MediaSource, error: unknown): Failure {
    if (source.failure === null) return this.refuse(this.options.shelf.refusalOf(error), error);
    if (source.refusal !== null) this.countRefusal(source.refusal);
    return source.failure;
  }

  private refuse(refusal: MediaRefusal, error: unknown): Failure {
    this.countRefusal(refusal);
    this.note(refusal, error);
    return mediaRefused(refusal);
  }

  private countRefusal(refusal: MediaRefusal): void {
    this.refused.set(refusal, (this.refused.get(refusal) ?? 0) + 1);
  }

  /** Logs one line when a problem begins and one when it ends, however many files were refused. */
  private note(problem: MediaRefusal, error: unknown): void {
    if (this.problem === problem) return;
    this.problem = problem;
    this.options.logger.error({ reason: problem, ...describeError(error) }, 'files cannot be stored');
  }

  private works(): void {
    if (this.problem === null) return;
    this.problem = null;
    this.options.logger.info({}, 'files can be stored again');
  }
}
