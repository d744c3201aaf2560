/** One kind of what is remembered of conversations, such as the reasoning state of their tool calls. */
export interface RememberedKind<Value> {
  readonly name: 'states' | 'origins' | 'conversations';
  /** What one gateway remembers of it at most, in the unit of `sizeOf`; the oldest go first, and an account has at most half. */
  readonly capacity: number;
  sizeOf(accountId: string, key: string, value: Value): number;
  /** How long gateways that share it keep what one of them has written. */
  readonly keptMs: number;
  /** How long a missing key is not asked for again; 0 if another gateway may write it at any time. */
  readonly absentMs: number;
  /** How values are written for other gateways. */
  toText(value: Value): string;
  /** `undefined` for a text that `toText` has not made. */
  fromText(text: string): Value | undefined;
  /** For kinds in which two values under one key mean that neither can be used. Without it the later one counts. */
  readonly collision?: {
    /** The value that replaces both. */
    readonly value: Value;
    /** Whether another gateway may have another value under this key, so that the local value is not enough. */
    isLikely(key: string): boolean;
  };
}

/** What is remembered of one kind, by account and key. */
export interface Remembered<Value> {
  /** Of what this gateway knows. */
  readonly isEmpty: boolean;
  /** Whether other gateways may know more, so that `fetch` is worth its keys. */
  readonly isShared: boolean;
  /** What this gateway knows. */
  get(accountId: string, key: string): Value | undefined;
  /** The same, and makes the entry the youngest: the last that this gateway forgets. */
  use(accountId: string, key: string): Value | undefined;
  /** Stores the value here at once, and for the other gateways a moment later. It becomes the youngest entry. */
  set(accountId: string, key: string, value: Value): void;
  /**
   * Makes known here what others have remembered under keys that this gateway does not know; the keys that matter most come
   * first. `null` if there is nothing to wait for. It waits a bounded time and never rejects: values that cannot be read count as
   * unknown.
   */
  fetch(accountId: string, keys: readonly string[]): Promise<void> | null;
}

/**
 * State of conversations that is kept between requests, for clients that do not send it back: in the memory of one gateway, or
 * shared by several. It may be forgotten at any time, and no request fails for it.
 */
export interface ConversationState {
  open<Value>(kind: RememberedKind<Value>): Remembered<Value>;
}
