import type { AddressRange } from '../../domain/access/network-address.ts';
import type { Failure } from '../../domain/failure/failure.ts';

export interface FetchedMedia {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** From the answer's head, without parameters; sniffed from the first bytes where the head says nothing useful. */
  readonly mediaType: string;
}

export interface MediaFetcher {
  /** Fetches a client-supplied http(s) URL; never throws. */
  fetch(url: string, signal?: AbortSignal): Promise<FetchedMedia | Failure>;
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
  /** How many files are fetched at once. */
  readonly maxConcurrent: number;
  /** For finding and reaching one host: its name, the connection and the TLS handshake. */
  readonly connectMs: number;
  /** For the whole of one file: waiting for a turn, all redirects and the last byte. */
  readonly totalMs: number;
}

/** 20 MiB holds the 20 MB that the contract names for image files ("Errors", rule 4). */
export const DEFAULT_MEDIA_SETTINGS: MediaSettings = {
  allowHttp: false,
  allowedRanges: [],
  deniedRanges: [],
  maxBytes: 20 * 1024 * 1024,
  maxConcurrent: 64,
  connectMs: 5_000,
  totalMs: 20_000,
};
