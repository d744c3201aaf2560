import { Failure } from '../../domain/failure/failure.ts';

/** A file that was made for an account, and that its clients are to read through a link. */
export interface NewMedia {
  readonly accountId: string;
  readonly content: MediaContent;
  /** Such as `image/png`. Parameters do not count; a type that the store does not know is kept as `application/octet-stream`. */
  readonly mediaType: string;
  /** When its links end. The configured time (`link_seconds`) from now where it is absent. */
  readonly expiresAtMs?: number;
}

/**
 * Bytes in memory, or what an upstream sends. A stream is never in memory as a whole; past `maxBytes` it is cut off, and nothing of
 * it is kept. The store reads it to its end or cancels it.
 */
export type MediaContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | {
      readonly kind: 'stream';
      readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
      readonly maxBytes: number;
    };

/** What was stored. `id` and `expiresAtMs` are enough to make a link, also after a restart and on another node. */
export interface StoredMedia {
  /** One segment of a path, without anything that must be escaped. */
  readonly id: string;
  readonly expiresAtMs: number;
  /** In bytes. */
  readonly size: number;
  readonly mediaType: string;
}

/** A link, as a client has presented it. */
export interface PresentedLink {
  readonly id: string;
  /** As in the query, in seconds since 1970; `null` where it is not there. */
  readonly expires: string | null;
  readonly signature: string | null;
}

/** A file to which a link has led. */
export interface OpenMedia {
  readonly id: string;
  readonly mediaType: string;
  /** Letters, digits, dashes and dots. */
  readonly saveName: string;
  readonly size: number;
  /** How long the link still works. */
  readonly leftMs: number;
  /** The bytes from `start` to before `end`; `null` where the file has gone meanwhile. */
  read(start: number, end: number): Promise<Blob | ReadableStream<Uint8Array<ArrayBuffer>> | null>;
}

/** What an operator may set about the store. */
export interface MediaStoreSettings {
  readonly kind: 'folder' | 's3' | 'none';
  /** `null`: the folder `media` in the data folder. */
  readonly folder: string | null;
  /** Set where the kind is `s3`. */
  readonly s3: S3Place | null;
  /** How long links work, and files are kept, where an operation does not say it. */
  readonly linkSeconds: number;
  readonly maxBytes: number;
  readonly maxBytesPerAccount: number;
  /** What must be left of the disk of a folder. */
  readonly minFreeBytes: number;
}

/** A part of a bucket of an object storage that speaks the API of S3. */
export interface S3Place {
  /** Absent for Amazon's own in the region. */
  readonly endpoint: string | null;
  /** The address for clients, where it is another one. */
  readonly publicEndpoint: string | null;
  readonly bucket: string;
  readonly region: string | null;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
  /** Links lead to the storage itself, or to the gateway, which reads the file from there. */
  readonly links: 'presigned' | 'gateway';
}

const GIB = 1024 ** 3;

/** One account has a quarter, so it takes several to fill the store. */
export const DEFAULT_MEDIA_STORE: MediaStoreSettings = {
  kind: 'folder',
  folder: null,
  s3: null,
  linkSeconds: 86_400,
  maxBytes: 10 * GIB,
  maxBytesPerAccount: 2.5 * GIB,
  minFreeBytes: GIB,
};

/** What a store holds and has refused since the start, for the metrics. */
export interface MediaFigures {
  readonly bytes: number;
  readonly files: number;
  /** By the kind of the failure. */
  readonly refused: ReadonlyMap<string, number>;
}

/** The gateway's own store of files, for answers that are URLs where the provider gives bytes, or a URL that expires. */
export interface MediaStore {
  /**
   * Stores a file. The failures: `storage_unavailable` where there is no room or no store (the caller may answer with the bytes
   * instead), `upstream_error` where the stream broke off or was too long. Never throws.
   */
  put(media: NewMedia): Promise<StoredMedia | Failure>;
  /** An absolute URL that needs no key and ends at `expiresAtMs`. `origin`: the address by which the client reaches the gateway. */
  link(media: Pick<StoredMedia, 'id' | 'expiresAtMs'>, origin: string): string;
  /** `null` where the link was not made here, or has ended, or its file is no longer there. */
  open(link: PresentedLink): Promise<OpenMedia | null | Failure>;
  /**
   * Returns a name for the place of the files, which is the same in all processes that reach the same files; `null`
   * where that cannot be found out, such as with a folder that cannot be written. Never rejects.
   */
  place(): Promise<string | null>;
  /**
   * Tells the store which other nodes of the gateway, by host, keep files in another place. While there are any,
   * `put` fails with `media_store_split`: a link would work at some nodes only.
   */
  setSplitFrom(hosts: readonly string[]): void;
  figures(): MediaFigures;
  /** Removes all files of an account, which its links no longer lead to. Rejects where the store cannot be reached. */
  removeOf(accountId: string): Promise<void>;
  /** Ends the sweeping. */
  close(): Promise<void>;
}

/** Why a file was not stored, as the kind of the failure and the label of the metric. */
export type MediaRefusal =
  | 'media_store_off'
  | 'media_store_full'
  | 'media_account_full'
  | 'media_store_away'
  | 'media_store_split';

const REASONS: Readonly<Record<MediaRefusal, string>> = {
  media_store_off: 'This gateway keeps no files.',
  media_store_full: "The gateway's store of files is full.",
  media_account_full: "The account's share of the gateway's store of files is full.",
  media_store_away: "The gateway's store of files cannot be reached or written.",
  media_store_split:
    'The nodes of this gateway keep files in different places, so a link would work at some of them only.',
};

export function mediaRefused(kind: MediaRefusal): Failure {
  return new Failure('storage_unavailable', {
    kind,
    message: REASONS[kind],
    hint: 'Ask for the content in the answer itself (`response_format: "b64_json"`), or send the request again later.',
    ...(kind === 'media_store_off' ? {} : { retryAfterMs: 60_000 }),
  });
}
