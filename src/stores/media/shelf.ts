import type { MediaRefusal, StoredMedia } from '../../engine/ports/media-store.ts';
import type { MediaId } from './media-id.ts';
import type { FoundMedia } from './media-room.ts';
import type { MediaSource } from './media-source.ts';

/** What a file is to be called by. */
export interface Label {
  readonly expiresAtMs: number;
  readonly owner: string;
  readonly mediaType: string;
}

export interface ShelvedFile {
  readonly size: number;
  read(start: number, end: number): Promise<Blob | ReadableStream<Uint8Array<ArrayBuffer>> | null>;
}

/** Where the bytes lie: what a folder and an object storage do differently. All methods may throw. */
export interface Shelf {
  /**
   * Writes the source to its end, or leaves nothing behind. `named` is told the id before a file of that name can be seen, so that
   * a look through the shelf does not count it twice.
   */
  write(label: Label, source: MediaSource, named: (id: string) => void): Promise<string>;
  /** `null` where there is none. */
  find(id: MediaId): Promise<ShelvedFile | null>;
  /** A link that leads to the storage itself; absent where the gateway serves the files. */
  link?(media: Pick<StoredMedia, 'id' | 'expiresAtMs'>): string;
  /** Counts all files except those that `skips` says, and removes what writers have left that are no more. */
  look(skips: (id: string) => boolean): Promise<FoundMedia>;
  remove(bucket: string): Promise<void>;
  /** Removes all files of an owner. */
  removeOwner(owner: string): Promise<void>;
  /** Returns a name that all processes with the same files agree on. */
  place(): Promise<string>;
  /** Whether an error says that there is no room, or that there is no storage. */
  refusalOf(error: unknown): MediaRefusal;
}
