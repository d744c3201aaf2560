import type { S3Client, S3ListObjectsResponse } from 'bun';
import { AtOnce } from '../../domain/concurrency/at-once.ts';
import { servedAs } from '../../domain/media/served-media.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { MediaRefusal, S3Place, StoredMedia } from '../../engine/ports/media-store.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { S3_REQUEST_MS, S3Silent, s3Client, within } from '../shared/s3-client.ts';
import { isOwner, type MediaId, newMediaId, parseMediaId } from './media-id.ts';
import { FoundMedia } from './media-room.ts';
import type { MediaSource } from './media-source.ts';
import type { Label, Shelf, ShelvedFile } from './shelf.ts';

/** A stream uses this much memory for each part in flight. S3 allows no smaller part except the last. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
const RETRIES = 2;
const MOST_AT_ONCE = 32;
/** An upload without progress is cancelled after this time. */
const STALL_MS = 30_000;
/** An S3 signature is valid for at most a week. */
const LONGEST_LINK_SECONDS = 7 * 24 * 3_600;
const NO_ROOM = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage', 'EntityTooLarge']);

export interface S3ShelfOptions {
  readonly place: S3Place;
  readonly clock: Clock;
}

/** Returns the origin of presigned links; `null` if links point to the gateway. */
export function linkOriginOf(place: S3Place): string | null {
  if (place.links !== 'presigned') return null;
  return new URL(linkSigner(place).presign('any')).origin;
}

/** Stores files as `<prefix><bucket>/<owner>/<file>` in an S3-compatible object store. */
export class S3Shelf implements Shelf {
  private readonly client: S3Client;
  private readonly turns = new AtOnce(MOST_AT_ONCE);
  private readonly deletions = new AtOnce(MOST_AT_ONCE);
  readonly link?: (media: Pick<StoredMedia, 'id' | 'expiresAtMs'>) => string;

  constructor(private readonly options: S3ShelfOptions) {
    const { place } = options;
    this.client = s3Client(place, place.endpoint);
    if (place.links !== 'presigned') return;
    const signer = linkSigner(place);
    this.link = (media) => this.presigned(signer, media);
  }

  async write(label: Label, source: MediaSource, named: (id: string) => void): Promise<string> {
    const id = newMediaId(label, null);
    const known = parsed(id);
    const { contentType, disposition } = servedAs(known.mediaType, known.saveName);
    const uploading = { type: contentType, contentDisposition: disposition, retry: RETRIES };
    const key = this.keyOf(known);
    named(id);
    if (source.isInMemory) {
      await this.turns.run(async () => {
        for await (const bytes of source.pieces()) await within(STALL_MS, this.client.write(key, bytes, uploading));
      });
      return id;
    }
    const parts = { partSize: PART_BYTES, queueSize: PARTS_AT_ONCE };
    const pulled = new Pulled(source.pieces());
    await pulled.watch(this.client.write(key, new Response(pulled.stream), { ...uploading, ...parts }));
    return id;
  }

  async find(id: MediaId): Promise<ShelvedFile | null> {
    const file = this.client.file(this.keyOf(id));
    try {
      const { size } = await within(S3_REQUEST_MS, file.stat());
      return { size, read: async (start, end) => file.slice(start, end).stream() };
    } catch (error) {
      const code = errorCodeOf(error);
      if (code === 'NoSuchKey' || code === 'NotFound' || code === 'UnknownError404') return null;
      throw error;
    }
  }

  /** Throws if the bucket cannot be reached or its keys are refused. */
  async reach(): Promise<void> {
    await within(S3_REQUEST_MS, this.client.list({ prefix: this.options.place.prefix, maxKeys: 1 }));
  }

  async look(skips: (id: string) => boolean): Promise<FoundMedia> {
    const found = new FoundMedia();
    for await (const { key, size } of this.objects('')) {
      const id = this.idOf(key);
      if (id !== null && !skips(id)) found.add(parsed(id).bucket, parsed(id).owner, size);
    }
    return found;
  }

  remove(bucket: string): Promise<void> {
    return this.removeAll(`${bucket}/`, () => true);
  }

  /** Lists all names, since an owner's files may be in any bucket. */
  async removeFile(id: MediaId): Promise<void> {
    await within(S3_REQUEST_MS, this.client.delete(this.keyOf(id)));
  }

  removeOwner(owner: string): Promise<void> {
    return this.removeAll('', (key) => {
      const id = this.idOf(key);
      return id !== null && parsed(id).owner === owner;
    });
  }

  private async removeAll(below: string, matches: (key: string) => boolean): Promise<void> {
    const gone: Promise<void>[] = [];
    for await (const { key } of this.objects(below)) {
      if (!matches(key)) continue;
      gone.push(this.deletions.run(() => within(S3_REQUEST_MS, this.client.delete(key))));
      if (gone.length >= 1_000) await Promise.all(gone.splice(0));
    }
    await Promise.all(gone);
  }

  async place(): Promise<string> {
    const { endpoint, region, bucket, prefix } = this.options.place;
    return `s3 ${endpoint ?? region ?? ''} ${bucket} ${prefix}`;
  }

  refusalOf(error: unknown): MediaRefusal {
    return NO_ROOM.has(errorCodeOf(error) ?? '') ? 'media_store_full' : 'media_store_away';
  }

  private presigned(signer: S3Client, { id, expiresAtMs }: Pick<StoredMedia, 'id' | 'expiresAtMs'>): string {
    const left = Math.floor((expiresAtMs - this.options.clock.nowMs()) / 1_000);
    const expiresIn = Math.min(LONGEST_LINK_SECONDS, Math.max(1, left));
    return signer.presign(this.keyOf(parsed(id)), { method: 'GET', expiresIn });
  }

  private async *objects(below: string): AsyncGenerator<{ readonly key: string; readonly size: number }> {
    const prefix = `${this.options.place.prefix}${below}`;
    let from: string | undefined;
    do {
      const next = { prefix, maxKeys: 1_000, ...(from === undefined ? {} : { continuationToken: from }) };
      const page: S3ListObjectsResponse = await within(S3_REQUEST_MS, this.client.list(next));
      for (const { key, size } of page.contents ?? []) yield { key, size: size ?? 0 };
      from = page.isTruncated === true ? page.nextContinuationToken : undefined;
    } while (from !== undefined);
  }

  private keyOf({ bucket, owner, file }: MediaId): string {
    return `${this.options.place.prefix}${bucket}/${owner}/${file}`;
  }

  /** Returns `null` for an object that does not belong to the store. */
  private idOf(key: string): string | null {
    const [bucket = '', owner = '', file = '', ...more] = key.slice(this.options.place.prefix.length).split('/');
    const id = `${bucket}${owner}-${file}`;
    return isOwner(owner) && more.length === 0 && parseMediaId(id) !== null ? id : null;
  }
}

function linkSigner(place: S3Place): S3Client {
  return s3Client(place, place.publicEndpoint ?? place.endpoint);
}

function parsed(id: string): MediaId {
  const known = parseMediaId(id);
  if (known === null) throw new Error('the media id is invalid');
  return known;
}

/** Converts chunks to a stream that detects when it is no longer read. */
class Pulled {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  private progress = 0;

  constructor(pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void>) {
    this.stream = new ReadableStream(
      {
        pull: async (controller) => {
          const { done, value } = await pieces.next();
          this.progress += 1;
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: async () => {
          await pieces.return();
        },
      },
      { highWaterMark: 0 },
    );
    this.stop = () => void pieces.return().catch(() => undefined);
  }

  private readonly stop: () => void;

  /** Rejects if the upload neither reads nor ends for a while. */
  async watch(uploading: Promise<unknown>): Promise<void> {
    let seen = -1;
    let timer: ReturnType<typeof setInterval> | undefined;
    const stalled = new Promise<never>((_, reject) => {
      timer = setInterval(() => {
        if (seen === this.progress) reject(new S3Silent('the upload to the object storage has stalled'));
        seen = this.progress;
      }, STALL_MS);
    });
    try {
      await Promise.race([uploading, stalled]);
    } catch (error) {
      this.stop();
      uploading.catch(() => undefined);
      throw error;
    } finally {
      clearInterval(timer);
    }
  }
}
