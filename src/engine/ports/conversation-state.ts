/** One kind of what is remembered of conversations, such as the reasoning state of their tool calls. */
export interface RememberedKind<Value> {
  readonly name: 'states' | 'origins' | 'conversations';
  /** What one gateway remembers of it at most, in the unit of `sizeOf`; the oldest go first, and an account has at most half. */
  readonly capacity: number;
  sizeOf(accountId: string, key: string, value: Value): number;
  /** How long gateways that share it keep what one of them has written. */
  readonly keptMs: number;
  /** How long what none of them has written need not be asked for again; 0 where one may write it at any time. */
  readonly absentMs: number;
  /** How gateways tell it to each other. */
  toText(value: Value): string;
  /** `undefined` for a text that is none of `toText`. */
  fromText(text: string): Value | undefined;
  /** Where two values under one key mean that neither can be used. Without it the later one counts. */
  readonly collision?: {
    /** What stands for both from then on. */
    readonly value: Value;
    /** Whether another gateway may have another value under this key: then what this one knows is not enough. */
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
  /** The same, and it is the youngest from now on: the last to be forgotten by this gateway. */
  use(accountId: string, key: string): Value | undefined;
  /** Known here at once, and to the other gateways a moment later. It becomes the youngest. */
  set(accountId: string, key: string, value: Value): void;
  /**
   * Makes known here what others have remembered under keys that this gateway does not know; the keys that matter most come
   * first. `null` where there is nothing to wait for. It waits a bounded time and never rejects: what cannot be had is not known.
   */
  fetch(accountId: string, keys: readonly string[]): Promise<void> | null;
}

/**
 * What is remembered of conversations between their requests, for clients that do not bring it back: in the memory of one
 * gateway, or shared by several. It may be forgotten at any time, and no request fails for it.
 */
export interface ConversationState {
  open<Value>(kind: RememberedKind<Value>): Remembered<Value>;
}
