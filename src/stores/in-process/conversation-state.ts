import { SharedMemory } from '../../engine/call/shared-memory.ts';
import type { ConversationState, Remembered, RememberedKind } from '../../engine/ports/conversation-state.ts';

/** Conversation state in this gateway's memory, lost on restart. */
export class MemoryConversationState implements ConversationState {
  open<Value>(kind: RememberedKind<Value>): Remembered<Value> {
    return new MemoryRemembered(kind);
  }
}

class MemoryRemembered<Value> implements Remembered<Value> {
  readonly isShared = false;
  readonly #kind: RememberedKind<Value>;
  readonly #memory: SharedMemory<Value>;

  constructor(kind: RememberedKind<Value>) {
    this.#kind = kind;
    this.#memory = new SharedMemory(kind.capacity);
  }

  get isEmpty(): boolean {
    return this.#memory.isEmpty;
  }

  get(accountId: string, key: string): Value | undefined {
    return this.#memory.get(accountId, key);
  }

  use(accountId: string, key: string): Value | undefined {
    const value = this.#memory.get(accountId, key);
    if (value !== undefined) this.set(accountId, key, value);
    return value;
  }

  set(accountId: string, key: string, value: Value): void {
    this.#memory.set(accountId, key, value, this.#kind.sizeOf(accountId, key, value));
  }

  fetch(): null {
    return null;
  }
}
