import { describe, expect, test } from 'bun:test';
import { conversationStateTests, kindOf } from '../shared/testing/conversation-state-contract.ts';
import { MemoryConversationState } from './conversation-state.ts';

describe('the contract of conversation state', () => {
  conversationStateTests(test, () => new MemoryConversationState());
});

test('a single gateway asks no other', () => {
  const memory = new MemoryConversationState().open(kindOf(100));
  expect(memory.isShared).toBe(false);
  expect(memory.fetch('acme', ['k'])).toBeNull();
});
