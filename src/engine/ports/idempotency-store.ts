/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** Whose key it is: two callers may choose the same. */
  readonly scope: string;
  readonly key: string;
  /** A digest of what is asked for. */
  readonly fingerprint: string;
}

export interface KeptAnswer {
  readonly status: number;
  /** JSON. It may hold a secret that is shown once, so it is sealed. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * `new`: it is now the caller's to do. `running`: an earlier one with this key has not ended; it may have been cut off. `other`: the key
 * was used for something else.
 */
export type IdempotencyState =
  | { readonly kind: 'new' | 'running' | 'other' }
  | { readonly kind: 'done'; readonly answer: KeptAnswer };

/** What became of requests that may come twice; kept for a day. */
export interface IdempotencyStore {
  /** Of several that begin at once, on any node, one is `new`. */
  begin(request: IdempotentRequest, nowMs: number): Promise<IdempotencyState>;
  finish(request: IdempotentRequest, answer: KeptAnswer): Promise<void>;
  /** Nothing was done: the key can be used again. */
  abandon(request: IdempotentRequest): Promise<void>;
  /** Removes those that began before, at most so many; resolves to how many. */
  removeOld(beforeMs: number, limit: number): Promise<number>;
}
