import { expect } from 'bun:test';
import type { ConversationState, RememberedKind } from '../../../engine/ports/conversation-state.ts';

/** Returns a kind of strings whose size is their length. */
export function kindOf(capacity: number, extra: Partial<RememberedKind<string>> = {}): RememberedKind<string> {
  return {
    name: 'states',
    capacity,
    sizeOf: (_account, _key, text) => text.length,
    keptMs: 60_000,
    absentMs: 60_000,
    toText: (text) => text,
    fromText: (text) => text,
    ...extra,
  };
}

/** Tests for one gateway's own state, wherever else it is stored. */
export function conversationStateTests(
  define: (name: string, body: () => void | Promise<void>) => void,
  open: () => ConversationState | Promise<ConversationState>,
): void {
  define('what was set is known at once, for its account and key alone', async () => {
    const memory = (await open()).open(kindOf(100));
    expect(memory.isEmpty).toBe(true);
    memory.set('acme', 'k', 'one');
    memory.set('acme', 'k', 'two');
    expect(memory.isEmpty).toBe(false);
    expect(memory.get('acme', 'k')).toBe('two');
    expect(memory.use('acme', 'k')).toBe('two');
    expect(memory.get('acme', 'other')).toBeUndefined();
    expect(memory.get('globex', 'k')).toBeUndefined();
    expect(memory.use('globex', 'k')).toBeUndefined();
  });

  define('the oldest goes first, and what is used is young again', async () => {
    const memory = (await open()).open(kindOf(8));
    for (const key of ['a', 'b', 'c', 'd']) memory.set('acme', key, '.');
    memory.use('acme', 'a');
    memory.set('acme', 'e', '.');
    expect(['a', 'b', 'c', 'd', 'e'].map((key) => memory.get('acme', key))).toEqual(['.', undefined, '.', '.', '.']);
  });

  define('an account has at most half', async () => {
    const memory = (await open()).open(kindOf(8));
    memory.set('globex', 'k', '....');
    for (let count = 0; count < 20; count++) memory.set('acme', `k${count}`, '..');
    expect(memory.get('globex', 'k')).toBe('....');
    expect(memory.get('acme', 'k17')).toBeUndefined();
    expect(memory.get('acme', 'k18')).toBe('..');
  });

  define('kinds know nothing of each other', async () => {
    const state = await open();
    const states = state.open(kindOf(100));
    states.set('acme', 'k', 'one');
    expect(state.open(kindOf(100, { name: 'origins' })).get('acme', 'k')).toBeUndefined();
  });
}
