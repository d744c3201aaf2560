import type { ConversationState, Remembered, RememberedKind } from '../../engine/ports/conversation-state.ts';
import type { QueueFigures, RedisFigures } from '../../engine/ports/figures.ts';
import { SharedParts, type SharedPartsOptions } from './shared-parts.ts';
import { StateWriter } from './state-writer.ts';

export interface RedisConversationStateOptions extends SharedPartsOptions {
  /** The state that this gateway holds itself. */
  readonly local: ConversationState;
}

/** Remembers missing keys: otherwise a long conversation without state would fetch all of its keys with each request. */
const MOST_ABSENT = 100_000;

/**
 * Conversation state of several gateways, in the memory of each and in Redis for the others. Only keys that a gateway does not hold itself
 * cost a round trip. While Redis is unavailable, each gateway uses its own state.
 */
export class RedisConversationState implements ConversationState {
  readonly #local: ConversationState;
  readonly #parts: SharedParts;
  readonly #writers: { readonly figures: Pick<QueueFigures, 'waiting' | 'dropped'> }[] = [];

  /**
   * Resolves when Redis responds, or after two seconds; then it counts as unavailable, as in any outage. Throws `RedisAddressError` if the
   * URL is invalid.
   */
  static async connect(options: RedisConversationStateOptions): Promise<RedisConversationState> {
    const state = new RedisConversationState(options);
    await state.#parts.connect();
    return state;
  }

  private constructor(options: RedisConversationStateOptions) {
    this.#local = options.local;
    this.#parts = new SharedParts(options);
  }

  open<Value>(kind: RememberedKind<Value>): Remembered<Value> {
    const remembered = new RedisRemembered(this.#parts, kind, this.#local);
    this.#writers.push(remembered);
    return remembered;
  }

  get figures(): RedisFigures {
    const each = this.#writers.map(({ figures }) => figures);
    const sumOf = (what: 'waiting' | 'dropped') => each.reduce((sum, figures) => sum + figures[what], 0);
    const counts = { waiting: sumOf('waiting'), dropped: sumOf('dropped') };
    return { ...this.#parts.figures, writing: { ...counts, capacity: null, lateMs: null, failedWrites: 0 } };
  }

  /** Sends queued writes within a bounded time, then closes. */
  close(): Promise<void> {
    return this.#parts.close();
  }
}

class RedisRemembered<Value> implements Remembered<Value> {
  readonly #parts: SharedParts;
  readonly #kind: RememberedKind<Value>;
  readonly #local: Remembered<Value>;
  readonly #writer: StateWriter<Value>;
  /** Keys that no other gateway has stored, with the monotonic time in milliseconds until which that is assumed. */
  readonly #absent: Remembered<number>;

  constructor(parts: SharedParts, kind: RememberedKind<Value>, local: ConversationState) {
    this.#parts = parts;
    this.#kind = kind;
    this.#local = local.open(kind);
    this.#writer = new StateWriter(parts, kind, (accountId, key) => this.#collided(accountId, key));
    const { name, keptMs, absentMs } = kind;
    const counted = { capacity: MOST_ABSENT, sizeOf: () => 1, toText: String, fromText: Number };
    this.#absent = local.open({ name, keptMs, absentMs, ...counted });
  }

  get figures(): Pick<QueueFigures, 'waiting' | 'dropped'> {
    return this.#writer.figures;
  }

  get isEmpty(): boolean {
    return this.#local.isEmpty;
  }

  get isShared(): boolean {
    return !this.#parts.isAway;
  }

  get(accountId: string, key: string): Value | undefined {
    return this.#local.get(accountId, key);
  }

  use(accountId: string, key: string): Value | undefined {
    return this.#local.use(accountId, key);
  }

  set(accountId: string, key: string, value: Value): void {
    this.#local.set(accountId, key, value);
    if (this.isShared) this.#writer.add(accountId, key, value);
  }

  fetch(accountId: string, keys: readonly string[]): Promise<void> | null {
    if (!this.isShared) return null;
    const nowMs = performance.now();
    const asked = new Set(keys.filter((key) => this.#isWorthAsking(accountId, key, nowMs)));
    return asked.size === 0 ? null : this.#fetch(accountId, [...asked]);
  }

  #isWorthAsking(accountId: string, key: string, nowMs: number): boolean {
    if (this.#kind.isNewer !== undefined || this.#kind.collision?.isLikely(key)) return true;
    if (this.#local.get(accountId, key) !== undefined) return false;
    return (this.#absent.get(accountId, key) ?? 0) <= nowMs;
  }

  async #fetch(accountId: string, keys: readonly string[]): Promise<void> {
    const found = await this.#parts.find(this.#kind, this.#parts.placesOf(this.#kind, accountId, keys));
    const absentUntilMs = performance.now() + this.#kind.absentMs;
    for (const [index, key] of keys.entries()) {
      const one = found[index];
      if (one === 'absent') this.#absent.set(accountId, key, absentUntilMs);
      else if (one === 'collided') this.#collided(accountId, key);
      else if (one !== undefined && one !== 'unknown') this.#learned(accountId, key, one.text);
    }
  }

  /** This gateway may have received a response itself meanwhile. */
  #learned(accountId: string, key: string, text: string): void {
    const known = this.#local.get(accountId, key);
    const { isNewer } = this.#kind;
    if (known === undefined || isNewer !== undefined) {
      const value = this.#kind.fromText(text);
      const isUsed = value !== undefined && (known === undefined || isNewer?.(value, known) === true);
      if (isUsed) this.#local.set(accountId, key, value);
    } else if (this.#kind.toText(known) !== text) this.#collided(accountId, key);
  }

  #collided(accountId: string, key: string): void {
    if (this.#kind.collision !== undefined) this.#local.set(accountId, key, this.#kind.collision.value);
  }
}
