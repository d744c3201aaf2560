/** The size limit of a stored response, input and output together, in bytes of UTF-8. */
export const MAX_STORED_RESPONSE_BYTES = 16 * 1024 * 1024;

/** One turn of `POST /v1/responses` with `store: true`. It contains a client's conversation and is never logged. */
export interface StoredResponse {
  /** Unique within its account only, since upstreams may choose it. */
  readonly id: string;
  readonly accountId: string;
  readonly createdAtMs: number;
  /** When it expires and can no longer be read. */
  readonly expiresAtMs: number;
  /** The response that this one continues; `null` for none. */
  readonly previousId: string | null;
  /** The place (`placeOf` a channel) that responded; a follow-up turn prefers it. */
  readonly place: string | null;
  /** Whether the upstream stored the response under the same id, so that the channel can continue it by id. */
  readonly upstreamStored: boolean;
  /** JSON array of the turn's own input items, each with an id. A string input is stored as one user message. */
  readonly inputJson: string;
  /** JSON of the whole response object as sent to the client. */
  readonly responseJson: string;
}

/** The quota of one account. Beyond it the oldest responses are deleted, since they are rarely read again. */
export interface ResponseQuota {
  readonly maxResponses: number;
  /** The stored size, slightly more than that of the texts. */
  readonly maxBytes: number;
}

export interface ResponseKeeping extends ResponseQuota {
  /** How long a response can be read and continued: `retention.responses_days`. */
  readonly keepMs: number;
}

export const DEFAULT_RESPONSE_QUOTA: ResponseKeeping = {
  maxResponses: 100_000,
  maxBytes: 1024 * 1024 * 1024,
  // 30 days, as at OpenAI ("Conversation state").
  keepMs: 30 * 86_400_000,
};

/** The most responses deleted for a new one, to bound the work and the delay. */
export const MAX_REMOVED_FOR_ONE = 1_000;

/**
 * `id-taken`: the account already has a response with this id, which is kept. `too-large`: above `MAX_STORED_RESPONSE_BYTES`. `no-room`:
 * the quota is full even after deleting the account's `MAX_REMOVED_FOR_ONE` oldest responses.
 */
export type PutResponseOutcome = 'stored' | 'id-taken' | 'too-large' | 'no-room';

/** Limits the memory that one follow-up turn can use. */
export interface ChainLimits {
  readonly maxResponses: number;
  /** The total size of all inputs and responses of the chain, in bytes of UTF-8. */
  readonly maxBytes: number;
}

export type ResponseChain =
  /** Ordered from oldest to newest; the last one is the requested response. */
  | { readonly kind: 'found'; readonly responses: readonly StoredResponse[] }
  /** The id of the response that cannot be read, anywhere in the chain. */
  | { readonly kind: 'missing'; readonly id: string }
  | { readonly kind: 'too-long' };

/**
 * Responses stored by the gateway, so that they can be read and continued over any provider. All methods treat responses that are deleted,
 * expired or of another account as nonexistent.
 */
export interface ResponseStore {
  /**
   * Stores a response; durable when resolved. Never replaces an existing one. Deletes the account's oldest responses if its quota is full.
   */
  put(response: StoredResponse, quota?: ResponseQuota): Promise<PutResponseOutcome>;
  get(accountId: string, id: string): Promise<StoredResponse | null>;
  /** Resolves to the conversation that ends with `id`, by following `previousId` to the beginning. */
  chain(accountId: string, id: string, limits: ChainLimits): Promise<ResponseChain>;
  /**
   * Deletes a response and resolves to whether it existed; durable when resolved. Responses that continue it stay, but their chain is
   * broken.
   */
  delete(accountId: string, id: string): Promise<boolean>;
  /**
   * Removes at most `limit` responses that expired by `nowMs`. Resolves to the number removed, 0 when none are left. A persistent store
   * calls this on a schedule.
   */
  removeExpired(nowMs: number, limit: number): Promise<number>;
}
