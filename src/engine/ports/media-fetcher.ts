import type { AddressRange } from '../../domain/access/network-address.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import { MOST_IMAGE_BYTES } from '../../domain/media/uploaded-file.ts';

export interface FetchedMedia {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The media type of the response without parameters; sniffed from the first bytes if the header is not useful. */
  readonly mediaType: string;
}

/** A file that is streamed while it arrives. */
export interface OpenedMedia {
  /**
   * Applies backpressure and reads no byte beyond the limit. A stream that closes normally delivered the whole file; otherwise it errors
   * with the `Failure`. Cancelling it closes the connection.
   */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** See `FetchedMedia.mediaType`. */
  readonly mediaType: string;
}

export interface OpenMediaOptions {
  /** The largest file, in bytes. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** The total time, including the wait for a slot, redirects and a slow reader. Default 10 minutes. */
  readonly totalMs?: number;
  /** The longest silence of the host while bytes are awaited. Default 30 seconds. */
  readonly idleMs?: number;
}

export const OPEN_MEDIA_TOTAL_MS = 600_000;
export const OPEN_MEDIA_IDLE_MS = 30_000;

export interface MediaFetcher {
  /** The most URLs that are fetched for one request; the caller counts them. */
  readonly maxUrls: number;
  /** Returns the fetcher for one request of the account. */
  open(accountId: string): RequestMedia & MediaStreams;
}

export interface RequestMedia {
  /**
   * Fetches a client-supplied http(s) URL; never throws. A file counts `uses` times against the memory limit until `release` is called,
   * since its copies live as long as the request.
   */
  fetch(
    url: string,
    options?: { readonly uses?: number; readonly signal?: AbortSignal },
  ): Promise<FetchedMedia | Failure>;
  /** Cancels all fetches and streams in progress. Must be called when the request ends. */
  release(): void;
}

export interface MediaStreams {
  /**
   * Opens an http(s) URL as a stream; never throws. For large files, of which only a little is in memory at a time. Resolves when the first
   * bytes arrive. Fails like `fetch`.
   */
  open(url: string, options: OpenMediaOptions): Promise<OpenedMedia | Failure>;
}

/** The operator's settings for fetching client-supplied URLs. */
export interface MediaSettings {
  /** Whether plain `http:` URLs are fetched as well as `https:` ones. */
  readonly allowHttp: boolean;
  /** Ranges that are allowed although they are private, loopback, link-local or otherwise special. */
  readonly allowedRanges: readonly AddressRange[];
  /** Ranges that are never allowed; they override `allowedRanges`. */
  readonly deniedRanges: readonly AddressRange[];
  /** The largest file, in bytes. */
  readonly maxBytes: number;
  /** The most concurrent fetches; one account may use half. */
  readonly maxConcurrent: number;
  /** The most URLs that are fetched for one request. */
  readonly maxUrls: number;
  /** The most memory for files and their copies, in bytes; one account may use half. */
  readonly maxHeldBytes: number;
  /** The time limit for resolving the host, connecting and the TLS handshake. */
  readonly connectMs: number;
  /** The total time limit for one file, including the wait for a slot and redirects. */
  readonly totalMs: number;
}

/** The configured settings. If `maxHeldBytes` is `null`, the default depends on the machine's memory. */
export type ConfiguredMedia = Omit<MediaSettings, 'maxHeldBytes'> & { readonly maxHeldBytes: number | null };

export const DEFAULT_MEDIA_SETTINGS: ConfiguredMedia = {
  allowHttp: false,
  allowedRanges: [],
  deniedRanges: [],
  maxBytes: MOST_IMAGE_BYTES,
  maxConcurrent: 64,
  maxUrls: 100,
  maxHeldBytes: null,
  connectMs: 5_000,
  totalMs: 20_000,
};
