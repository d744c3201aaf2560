import type { RoutedChannel } from '../exchange/routing-info.ts';

/** A text that was asked, as the search for equivalent questions needs it. */
export interface CachedQuestion {
  /** Digest of everything else in the request: only questions of one partition are compared. */
  readonly partition: string;
  readonly text: string;
  /** Of length 1; its number of dimensions is the embedding model's. */
  readonly vector: Float32Array;
}

/** An answer in the cache. */
export interface CacheEntry {
  /** `ce_` and 32 letters and digits. */
  readonly id: string;
  /** Digest of the scope and the canonical request (43 characters of base64url). At most one entry has it. */
  readonly key: string;
  /** Whose request it answered. */
  readonly accountId: string;
  /** Whether other accounts may be served; their keys then have no account in them. */
  readonly isShared: boolean;
  readonly modelId: string;
  /** The channel that answered, as `_routing` names it. */
  readonly channel: RoutedChannel;
  readonly upstreamModel: string;
  readonly storedAtMs: number;
  /** From this moment on it is not served. */
  readonly expiresAtMs: number;
  /** The answer in canonical form: of texts the JSON text as UTF-8, else as the operation writes it. */
  readonly answer: Uint8Array<ArrayBuffer>;
  /** `null` where equivalent questions are not to find it. */
  readonly question: CachedQuestion | null;
}
