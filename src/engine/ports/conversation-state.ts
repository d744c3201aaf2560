/** A kind of conversation state, such as the reasoning state of tool calls. */
export interface RememberedKind<Value> {
  readonly name: 'states' | 'origins' | 'conversations' | 'sessions';
  /** The capacity per gateway, in the unit of `sizeOf`. The oldest entries are evicted; one account may use at most half. */
  readonly capacity: number;
  sizeOf(accountId: string, key: string, value: Value): number;
  /** How long shared values are kept, in milliseconds. */
  readonly keptMs: number;
  /** How long a missing key is not fetched again, in milliseconds; 0 if another gateway may write it at any time. */
  readonly absentMs: number;
  /** Serialises a value for other gateways. */
  toText(value: Value): string;
  /** Parses a serialised value. Returns `undefined` for text that `toText` did not produce. */
  fromText(text: string): Value | undefined;
  /**
   * Set for kinds whose values change: returns whether a value of another gateway replaces the local one. Such keys are always fetched, also
   * if they are known here.
   */
  readonly isNewer?: (value: Value, than: Value) => boolean;
  /** Set for kinds in which two values under one key make both unusable. Without it, the later value wins. */
  readonly collision?: {
    /** The value that replaces both. */
    readonly value: Value;
    /** Whether another gateway may have another value under this key, so that the local value is not enough. */
    isLikely(key: string): boolean;
  };
}

/** The state of one kind, by account and key. */
export interface Remembered<Value> {
  /** Whether this gateway holds no values. */
  readonly isEmpty: boolean;
  /** Whether other gateways may hold more values, so that `fetch` is worthwhile. */
  readonly isShared: boolean;
  /** Returns the value that this gateway holds. */
  get(accountId: string, key: string): Value | undefined;
  /** Returns the same and marks the entry as the most recently used. */
  use(accountId: string, key: string): Value | undefined;
  /** Stores the value locally at once and shares it shortly after. The entry becomes the most recently used. */
  set(accountId: string, key: string, value: Value): void;
  /**
   * Fetches values that other gateways stored under keys unknown here; the most important keys come first. Returns `null` if there is
   * nothing to wait for. The wait is bounded and never rejects; unreadable values count as unknown.
   */
  fetch(accountId: string, keys: readonly string[]): Promise<void> | null;
}

/**
 * Conversation state kept between requests for clients that do not send it back, in one gateway's memory or shared by several. Any of it
 * may be lost at any time without failing a request.
 */
export interface ConversationState {
  open<Value>(kind: RememberedKind<Value>): Remembered<Value>;
}

/**
 * Encrypts text that clients store on the gateway's behalf. It is bound to one account. Every node can decrypt it, also after a restart.
 */
export interface Sealing {
  /** Returns standard base64. */
  seal(accountId: string, text: string): string;
  /** Returns `null` if the text was not sealed for this account or is damaged. */
  open(accountId: string, sealed: string): string | null;
}
