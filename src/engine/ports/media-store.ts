import { Failure } from '../../domain/failure/failure.ts';
import type { S3Bucket } from './s3-bucket.ts';

/** A file generated for an account, which clients read through a link. */
export interface NewMedia {
  readonly accountId: string;
  readonly content: MediaContent;
  /** A media type such as `image/png`. Parameters are ignored; an unknown type is stored as `application/octet-stream`. */
  readonly mediaType: string;
  /** When its links expire; `link_seconds` from now if absent. */
  readonly expiresAtMs?: number;
}

/**
 * Bytes in memory or a stream from an upstream. A stream is never buffered as a whole. If it exceeds `maxBytes` it is cut off and nothing
 * is stored. The store reads it to the end or cancels it.
 */
export type MediaContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | {
      readonly kind: 'stream';
      readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
      readonly maxBytes: number;
    };

/** A stored file. `id` and `expiresAtMs` suffice to create a link, also after a restart and on another node. */
export interface StoredMedia {
  /** A path segment that needs no escaping. */
  readonly id: string;
  readonly expiresAtMs: number;
  /** Size in bytes. */
  readonly size: number;
  readonly mediaType: string;
}

/** A link as presented by a client. */
export interface PresentedLink {
  readonly id: string;
  /** The query parameter, in seconds since 1970; `null` if missing. */
  readonly expires: string | null;
  readonly signature: string | null;
}

/** A file opened through a link. */
export interface OpenMedia {
  readonly id: string;
  readonly mediaType: string;
  /** The suggested file name: letters, digits, dashes and dots. */
  readonly saveName: string;
  readonly size: number;
  /** How long the link remains valid. */
  readonly leftMs: number;
  /** Resolves to the bytes from `start` to `end` (exclusive); `null` if the file no longer exists. */
  read(start: number, end: number): Promise<Blob | ReadableStream<Uint8Array<ArrayBuffer>> | null>;
}

/** The operator's settings for the store. */
export interface MediaStoreSettings {
  readonly kind: 'folder' | 's3' | 'none';
  /** `null` for the folder `media` in the data folder. */
  readonly folder: string | null;
  /** Set if the kind is `s3`. */
  readonly s3: S3Place | null;
  /** How long links are valid and files are kept, unless an operation sets another time. */
  readonly linkSeconds: number;
  readonly maxBytes: number;
  readonly maxBytesPerAccount: number;
  /** The free disk space that a folder store must leave. */
  readonly minFreeBytes: number;
}

/** Where the media store keeps files in a bucket. */
export interface S3Place extends S3Bucket {
  /** The endpoint for clients, if it differs. */
  readonly publicEndpoint: string | null;
  /** Whether links point to the object store or to the gateway, which reads the file from there. */
  readonly links: 'presigned' | 'gateway';
}

const GIB = 1024 ** 3;

/** An account may use a quarter, so that no single account can fill the store. */
export const DEFAULT_MEDIA_STORE: MediaStoreSettings = {
  kind: 'folder',
  folder: null,
  s3: null,
  linkSeconds: 86_400,
  maxBytes: 10 * GIB,
  maxBytesPerAccount: 2.5 * GIB,
  minFreeBytes: GIB,
};

/** The stored files, and the files refused since the start, for the metrics. */
export interface MediaFigures {
  readonly bytes: number;
  readonly files: number;
  /** Counts by the kind of failure. */
  readonly refused: ReadonlyMap<string, number>;
}

/** The gateway's file store, for responses that must contain a URL while the provider returns bytes or a URL that expires. */
export interface MediaStore {
  /**
   * Stores a file; never throws. Fails with `storage_unavailable` if there is no space or no store (the caller may return the bytes
   * instead), and with `upstream_error` if the stream broke off or was too long.
   */
  put(media: NewMedia): Promise<StoredMedia | Failure>;
  /**
   * Returns an absolute URL that needs no key and expires at `expiresAtMs`. `origin` is the address by which the client reaches the
   * gateway.
   */
  link(media: Pick<StoredMedia, 'id' | 'expiresAtMs'>, origin: string): string;
  /** Opens a link. `null` if it is not one of this gateway's, has expired, or its file no longer exists. */
  open(link: PresentedLink): Promise<OpenMedia | null | Failure>;
  /** Opens a stored file for a client that has no link, whose right to read it the caller has checked. `null` as for `open`. */
  openStored(media: Pick<StoredMedia, 'id' | 'expiresAtMs'>): Promise<OpenMedia | null | Failure>;
  /** Removes files, so that their links stop working; missing ones are ignored. Rejects if the store cannot be reached. */
  removeFiles(ids: readonly string[]): Promise<void>;
  /**
   * Resolves to a name for the storage location that is the same in all processes sharing it; `null` if it cannot be determined, such as
   * for a folder that is not writable. Never rejects.
   */
  place(): Promise<string | null>;
  /**
   * Sets the hosts of other nodes that use a different storage location. While there are any, `put` fails with `media_store_split`, since a
   * link would work on some nodes only.
   */
  setSplitFrom(hosts: readonly string[]): void;
  figures(): MediaFigures;
  /** Removes all files of an account, so that their links stop working. Rejects if the store cannot be reached. */
  removeOf(accountId: string): Promise<void>;
  /** Stops the periodic removal of expired files. */
  close(): Promise<void>;
}

/** Why a file was not stored: the kind of the failure and the label of the metric. */
export type MediaRefusal =
  | 'media_store_off'
  | 'media_store_full'
  | 'media_account_full'
  | 'media_store_away'
  | 'media_store_split';

const REASONS: Readonly<Record<MediaRefusal, string>> = {
  media_store_off: 'This gateway does not store files.',
  media_store_full: "The gateway's file store is full.",
  media_account_full: "The account's share of the gateway's file store is full.",
  media_store_away: "The gateway's file store is unavailable.",
  media_store_split:
    'The nodes of this gateway store files in different places, so a link would work on only some of them.',
};

// The keys of the object are the reasons.
export const MEDIA_REFUSALS = Object.keys(REASONS) as readonly MediaRefusal[];

export function mediaRefused(kind: MediaRefusal): Failure {
  return new Failure('storage_unavailable', {
    kind,
    message: REASONS[kind],
    hint: 'Request the content inline (`response_format: "b64_json"`), or send the request again later.',
    ...(kind === 'media_store_off' ? {} : { retryAfterMs: 60_000 }),
  });
}
