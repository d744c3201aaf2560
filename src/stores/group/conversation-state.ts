import type { ConversationState, Remembered, RememberedKind } from '../../engine/ports/conversation-state.ts';
import type { Far, Peer } from '../shared/link/peer.ts';

/** The name under which a group's owner offers it. */
export const STATES = 'states';

/** Remembers missing keys: otherwise a long conversation without state would fetch all of its keys with each request. */
const MOST_ABSENT = 100_000;

/** The part of a kind that the owner needs to store its values, which it does not parse. */
type KeptKind = Pick<RememberedKind<unknown>, 'name' | 'capacity' | 'keptMs'> & { readonly collides: boolean };

interface Kept {
  readonly text: string;
  readonly size: number;
  readonly untilMs: number;
  /** Whether two processes stored different values under this key. */
  readonly isCollided: boolean;
}

type Found = { readonly text: string } | 'collided' | 'absent';

/** Conversation state of a group of processes: each has its own memory, and the group's owner stores values for the others. */
export class GroupConversationState implements ConversationState {
  readonly #peer: Peer;
  readonly #local: ConversationState;

  constructor(peer: Peer, local: ConversationState) {
    this.#peer = peer;
    this.#local = local;
  }

  open<Value>(kind: RememberedKind<Value>): Remembered<Value> {
    return new GroupRemembered(this.#peer, kind, this.#local);
  }
}

class GroupRemembered<Value> implements Remembered<Value> {
  readonly isShared = true;
  readonly #peer: Peer;
  readonly #far: Far<OfferedStates>;
  readonly #kind: RememberedKind<Value>;
  readonly #kept: KeptKind;
  readonly #local: Remembered<Value>;
  /** Keys that no other process has stored, with the monotonic time in milliseconds until which that is assumed. */
  readonly #absent: Remembered<number>;

  constructor(peer: Peer, kind: RememberedKind<Value>, local: ConversationState) {
    const { name, capacity, keptMs, absentMs } = kind;
    this.#peer = peer;
    this.#far = peer.far(STATES);
    this.#kind = kind;
    this.#kept = { name, capacity, keptMs, collides: kind.collision !== undefined };
    this.#local = local.open(kind);
    const counted = { capacity: MOST_ABSENT, sizeOf: () => 1, toText: String, fromText: Number };
    this.#absent = local.open({ name, keptMs, absentMs, ...counted });
  }

  get isEmpty(): boolean {
    return this.#local.isEmpty;
  }

  get(accountId: string, key: string): Value | undefined {
    return this.#local.get(accountId, key);
  }

  use(accountId: string, key: string): Value | undefined {
    return this.#local.use(accountId, key);
  }

  set(accountId: string, key: string, value: Value): void {
    this.#local.set(accountId, key, value);
    const kept = { text: this.#kind.toText(value), size: this.#kind.sizeOf(accountId, key, value) };
    this.#peer.tell(STATES, 'keep', [this.#kept, accountId, key, kept]);
  }

  fetch(accountId: string, keys: readonly string[]): Promise<void> | null {
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
    const found = await this.#far.find(this.#kept, accountId, keys).catch((): readonly Found[] => []);
    const absentUntilMs = performance.now() + this.#kind.absentMs;
    for (const [index, key] of keys.entries()) {
      const one = found[index];
      if (one === 'absent') this.#absent.set(accountId, key, absentUntilMs);
      else if (one === 'collided') this.#collided(accountId, key);
      else if (one !== undefined) this.#learned(accountId, key, one.text);
    }
  }

  /** This process may have received a response itself meanwhile. */
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

/** The state that the owner stores for all processes of the group. */
export class OfferedStates {
  readonly #memory: ConversationState;
  readonly #nowMs: () => number;
  readonly #kinds = new Map<string, Remembered<Kept>>();

  /** @param nowMs returns monotonic milliseconds */
  constructor(memory: ConversationState, nowMs: () => number) {
    this.#memory = memory;
    this.#nowMs = nowMs;
  }

  keep(kind: KeptKind, accountId: string, key: string, { text, size }: Pick<Kept, 'text' | 'size'>): void {
    const kept = this.#of(kind);
    const before = this.#living(kept, accountId, key);
    const isCollided = kind.collides && before !== undefined && (before.isCollided || before.text !== text);
    kept.set(accountId, key, { text, size, untilMs: this.#nowMs() + kind.keptMs, isCollided });
  }

  /** Returns values in the order of the keys. */
  find(kind: KeptKind, accountId: string, keys: readonly string[]): readonly Found[] {
    const kept = this.#of(kind);
    return keys.map((key) => {
      const one = this.#living(kept, accountId, key);
      if (one === undefined) return 'absent';
      return one.isCollided ? 'collided' : { text: one.text };
    });
  }

  #living(kept: Remembered<Kept>, accountId: string, key: string): Kept | undefined {
    const one = kept.use(accountId, key);
    return one !== undefined && one.untilMs > this.#nowMs() ? one : undefined;
  }

  #of({ name, capacity, keptMs }: KeptKind): Remembered<Kept> {
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    const sizeOf = (_accountId: string, _key: string, { size }: Kept) => size;
    const unread = { toText: ({ text }: Kept) => text, fromText: () => undefined, absentMs: 0 };
    const kept = this.#memory.open<Kept>({ name, capacity, keptMs, sizeOf, ...unread });
    this.#kinds.set(name, kept);
    return kept;
  }
}
