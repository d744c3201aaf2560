import type { AddressRange } from '../../domain/access/network-address.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import { MOST_IMAGE_BYTES } from '../../domain/media/file-limits.ts';

export interface FetchedMedia {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** From the answer's head, without parameters; sniffed from the first bytes where the head says nothing useful. */
  readonly mediaType: string;
}

/** A file that is passed on while it arrives. */
export interface OpenedMedia {
  /**
   * Reads no faster than its reader, and no byte more than the limit. Where the file does not arrive whole, it ends with the
   * `Failure` as its error: a stream that ends by itself was the whole file. Cancelling it closes the connection.
   */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** As of `FetchedMedia`. */
  readonly mediaType: string;
}

export interface OpenMediaOptions {
  /** The largest file, in bytes. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** For the whole of the file: waiting for a turn, all redirects and the last byte, however slow the reader is. Default 10 minutes. */
  readonly totalMs?: number;
  /** How long the host may be silent while its next bytes are waited for. Default 30 seconds. */
  readonly idleMs?: number;
}

export const OPEN_MEDIA_TOTAL_MS = 600_000;
export const OPEN_MEDIA_IDLE_MS = 30_000;

export interface MediaFetcher {
  /** How many URLs one request may have fetched; the caller counts them. */
  readonly maxUrls: number;
  /** What fetches for one request of the account. */
  open(accountId: string): RequestMedia & MediaStreams;
}

export interface RequestMedia {
  /**
   * Fetches a client-supplied http(s) URL; never throws. A file counts as held in memory, once for each use, until it is
   * released: the copies in the request live as long as the request.
   */
  fetch(
    url: string,
    options?: { readonly uses?: number; readonly signal?: AbortSignal },
  ): Promise<FetchedMedia | Failure>;
  /** To be called when the request is over; ends what is still being fetched, also what is being passed on. */
  release(): void;
}

export interface MediaStreams {
  /**
   * Begins to fetch an http(s) URL; never throws. For large files, of which little is in memory at any time. Resolves when the
   * first bytes have come. Its failures are those of `fetch`.
   */
  open(url: string, options: OpenMediaOptions): Promise<OpenedMedia | Failure>;
}

/** What an operator may set about the fetching of client-supplied URLs. */
export interface MediaSettings {
  /** Whether plain `http:` URLs are fetched as well as `https:` ones. */
  readonly allowHttp: boolean;
  /** Ranges that may be connected to although they are private, loopback, link-local or otherwise special. */
  readonly allowedRanges: readonly AddressRange[];
  /** Ranges that are never connected to, allowed or not. */
  readonly deniedRanges: readonly AddressRange[];
  /** The largest file, in bytes. */
  readonly maxBytes: number;
  /** How many files are fetched at once; one account has half of these places. */
  readonly maxConcurrent: number;
  /** How many URLs one request may have fetched. */
  readonly maxUrls: number;
  /** What files and their copies may take of the memory, in bytes; one account has half of it. */
  readonly maxHeldBytes: number;
  /** For finding and reaching one host: its name, the connection and the TLS handshake. */
  readonly connectMs: number;
  /** For the whole of one file: waiting for a turn, all redirects and the last byte. */
  readonly totalMs: number;
}

/** What the configuration says. `maxHeldBytes` is null where it says nothing: the default follows from the machine's memory. */
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
