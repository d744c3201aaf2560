import type { RoutedChannel } from '../exchange/routing-info.ts';

/** A question, as the search for equivalent questions needs it. */
export interface CachedQuestion {
  /** A digest of everything else in the request: only questions of the same partition are compared. */
  readonly partition: string;
  readonly text: string;
  /** Has length 1; the number of dimensions depends on the embedding model. */
  readonly vector: Float32Array;
}

/** An answer in the cache. */
export interface CacheEntry {
  /** `ce_` and 32 letters and digits. */
  readonly id: string;
  /** A digest of the scope and the canonical request (43 characters of base64url); unique among entries. */
  readonly key: string;
  /** The account whose request it answered. */
  readonly accountId: string;
  /** Whether other accounts may be served; then the keys do not include an account. */
  readonly isShared: boolean;
  readonly modelId: string;
  /** The channel that answered, as `_routing` names it. */
  readonly channel: RoutedChannel;
  readonly upstreamModel: string;
  readonly storedAtMs: number;
  /** From this moment on it is not served. */
  readonly expiresAtMs: number;
  /** The answer in canonical form: for text generation, JSON as UTF-8; otherwise in the operation's own encoding. */
  readonly answer: Uint8Array<ArrayBuffer>;
  /** `null` if equivalent questions must not find it. */
  readonly question: CachedQuestion | null;
}
