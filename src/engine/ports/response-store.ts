/** The most that one response may hold, its input and its answer together, as UTF-8. */
export const MAX_STORED_RESPONSE_BYTES = 16 * 1024 * 1024;

/** One turn of `POST /v1/responses` with `store: true`. It is a client's conversation: no part of it is ever logged. */
export interface StoredResponse {
  /** Unique within its account; it may be an upstream's choice, so two accounts can have the same one. */
  readonly id: string;
  readonly accountId: string;
  readonly createdAtMs: number;
  /** From this moment on it cannot be read. */
  readonly expiresAtMs: number;
  /** The response that this one continues, or `null`. */
  readonly previousId: string | null;
  /** The channel that answered; a follow-up turn prefers it. */
  readonly channelId: string | null;
  /** Whether the upstream has stored the response, too, under the same id, so that the channel can continue it by id. */
  readonly upstreamStored: boolean;
  /** JSON text of the turn's own input items: an array (a string input is one user message), each with an id. */
  readonly inputJson: string;
  /** JSON text of the whole response object as the client got it. */
  readonly responseJson: string;
}

/** How much one account may keep. Beyond that the oldest are deleted, since they are rarely read again. */
export interface ResponseQuota {
  readonly maxResponses: number;
  /** As stored, which is some bytes more than the texts have. */
  readonly maxBytes: number;
}

export interface ResponseKeeping extends ResponseQuota {
  /** How long an answer can be continued and read: `retention.responses_days`. */
  readonly keepMs: number;
}

export const DEFAULT_RESPONSE_QUOTA: ResponseKeeping = {
  maxResponses: 100_000,
  maxBytes: 1024 * 1024 * 1024,
  // The same 30 days as OpenAI's ("Conversation state").
  keepMs: 30 * 86_400_000,
};

/** How many are removed for a new one, at most: this bounds the work and the delay. */
export const MAX_REMOVED_FOR_ONE = 1_000;

/**
 * `id-taken`: the account has a response of this id, which stays. `too-large`: over `MAX_STORED_RESPONSE_BYTES`. `no-room`: the
 * account's quota is full, and `MAX_REMOVED_FOR_ONE` of its oldest, which are removed, did not make room enough.
 */
export type PutResponseOutcome = 'stored' | 'id-taken' | 'too-large' | 'no-room';

/** Bounds what one follow-up turn can bring into memory. */
export interface ChainLimits {
  readonly maxResponses: number;
  /** Of all inputs and answers of the chain together, as UTF-8. */
  readonly maxBytes: number;
}

export type ResponseChain =
  /** The oldest first; the last one is the response that was asked for. */
  | { readonly kind: 'found'; readonly responses: readonly StoredResponse[] }
  /** The one that cannot be read, which may be any of the chain. */
  | { readonly kind: 'missing'; readonly id: string }
  | { readonly kind: 'too-long' };

/**
 * The responses that the gateway itself keeps, so that they can be read and continued over any provider. For every method a
 * response that is unknown, deleted, expired or of another account does not exist.
 */
export interface ResponseStore {
  /** Durable when resolved; it never replaces one. The account's oldest make room where its quota is full. */
  put(response: StoredResponse, quota?: ResponseQuota): Promise<PutResponseOutcome>;
  get(accountId: string, id: string): Promise<StoredResponse | null>;
  /** The conversation that ends with `id`, by following `previousId` to the beginning. */
  chain(accountId: string, id: string, limits: ChainLimits): Promise<ResponseChain>;
  /** Whether there was one. Those that continue it stay, but their chain is broken. Durable when resolved. */
  delete(accountId: string, id: string): Promise<boolean>;
  /**
   * Removes some of those that expired until `nowMs`, at most `limit`; gives how many, 0 when none is left. A store that
   * keeps them beyond the process calls it by itself, on a schedule.
   */
  removeExpired(nowMs: number, limit: number): Promise<number>;
}
