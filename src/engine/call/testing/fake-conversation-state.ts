import type { ConversationState, Remembered, RememberedKind } from '../../ports/conversation-state.ts';
import { SharedMemory } from '../shared-memory.ts';

/** Conversation state of one gateway, within the capacity of its kind. */
export class FakeConversationState implements ConversationState {
  open<Value>({ capacity, sizeOf }: RememberedKind<Value>): Remembered<Value> {
    const memory = new SharedMemory<Value>(capacity);
    const set: Remembered<Value>['set'] = (accountId, key, value) =>
      memory.set(accountId, key, value, sizeOf(accountId, key, value));
    return {
      get isEmpty() {
        return memory.isEmpty;
      },
      isShared: false,
      get: (accountId, key) => memory.get(accountId, key),
      use(accountId, key) {
        const value = memory.get(accountId, key);
        if (value !== undefined) set(accountId, key, value);
        return value;
      },
      set,
      fetch: () => null,
    };
  }
}
