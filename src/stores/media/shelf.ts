import type { MediaRefusal, StoredMedia } from '../../engine/ports/media-store.ts';
import type { MediaId } from './media-id.ts';
import type { FoundMedia } from './media-room.ts';
import type { MediaSource } from './media-source.ts';

/** The attributes that a file's name is made from. */
export interface Label {
  readonly expiresAtMs: number;
  readonly owner: string;
  readonly mediaType: string;
}

export interface ShelvedFile {
  readonly size: number;
  read(start: number, end: number): Promise<Blob | ReadableStream<Uint8Array<ArrayBuffer>> | null>;
}

/** The operations that differ between a folder and an object store. All methods may throw. */
export interface Shelf {
  /**
   * Writes the whole source, or leaves nothing behind. `named` receives the id before a file with that name becomes visible, so that a scan
   * does not count it twice.
   */
  write(label: Label, source: MediaSource, named: (id: string) => void): Promise<string>;
  /** Resolves to `null` if there is none. */
  find(id: MediaId): Promise<ShelvedFile | null>;
  /** Returns a link to the object store itself; absent if the gateway serves the files. */
  link?(media: Pick<StoredMedia, 'id' | 'expiresAtMs'>): string;
  /** Counts all files except those that `skips` accepts, and removes what writers that have exited left behind. */
  look(skips: (id: string) => boolean): Promise<FoundMedia>;
  remove(bucket: string): Promise<void>;
  /** Removes one file, if it is there. */
  removeFile(id: MediaId): Promise<void>;
  /** Removes all files of an owner. */
  removeOwner(owner: string): Promise<void>;
  /** Resolves to a name that is the same in all processes sharing the files. */
  place(): Promise<string>;
  /** Returns whether an error means that there is no space or no storage. */
  refusalOf(error: unknown): MediaRefusal;
}
