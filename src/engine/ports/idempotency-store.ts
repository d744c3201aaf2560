/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** The caller. Keys are unique per caller only. */
  readonly scope: string;
  readonly key: string;
  /** A digest of the request. */
  readonly fingerprint: string;
}

export interface KeptAnswer {
  readonly status: number;
  /** JSON. It is sealed, since it may contain a secret that is shown only once. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * `new`: the caller must perform the request. `running`: an earlier request with this key has not finished; it may have been cut off.
 * `other`: the key was used for a different request. `done`: the earlier response is returned again.
 */
export type IdempotencyState =
  | { readonly kind: 'new' | 'running' | 'other' }
  | { readonly kind: 'done'; readonly answer: KeptAnswer };

/** The outcomes of idempotent requests, kept for a day. */
export interface IdempotencyStore {
  /** Begins a request. Exactly one of several concurrent calls, on any node, resolves to `new`. */
  begin(request: IdempotentRequest, nowMs: number): Promise<IdempotencyState>;
  finish(request: IdempotentRequest, answer: KeptAnswer): Promise<void>;
  /** Frees the key after a request that had no effect. */
  abandon(request: IdempotentRequest): Promise<void>;
  /** Removes at most `limit` requests that began before `beforeMs`; resolves to the number removed. */
  removeOld(beforeMs: number, limit: number): Promise<number>;
}
