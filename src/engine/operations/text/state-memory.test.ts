import { describe, expect, test } from 'bun:test';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Part } from '../../../domain/exchange/part.ts';
import { emptyRequest } from '../../../domain/exchange/request.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import { FakeConversationState } from '../../call/testing/fake-conversation-state.ts';
import type { ConversationState, Remembered, RememberedKind } from '../../ports/conversation-state.ts';
import { StateMemory } from './state-memory.ts';

const state: OpaqueState = { family: 'anthropic', data: 'sig', provider: 'anthropic', channel: 'a' };
const thought: Part = { type: 'reasoning', text: 'Hm.', state };
const call: Part = { type: 'tool-call', id: 'toolu_1', name: 'f', arguments: '{}' };
const answer = (parts: readonly Part[]) => ({
  id: 'msg_1',
  created: null,
  candidates: [{ index: 0, parts, finish: { unified: 'tool-calls', raw: 'tool_use' } as const }],
  usage: null,
});
const question = { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Why?' }] };
const asked = { ...emptyRequest('openai-chat', {}), messages: [question] };
const request = (parts: readonly Part[]) => ({
  ...emptyRequest('openai-chat', {}),
  messages: [{ role: 'assistant' as const, parts }],
});

test('a tool call that comes back without its reasoning has it restored', () => {
  const memory = new StateMemory(new FakeConversationState());
  memory.rememberAnswer('acme', asked, answer([thought, call]));
  expect(memory.restore('acme', request([call])).messages[0]?.parts).toEqual([thought, call]);
});

test('reasoning from a stream is restored, too', () => {
  const memory = new StateMemory(new FakeConversationState());
  const observer = memory.observer('acme', asked);
  for (const part of partsOfResponse(answer([thought, { ...call, state }]))) observer.see(part);
  expect(memory.restore('acme', request([call])).messages[0]?.parts).toEqual([thought, { ...call, state }]);
});

test('reasoning from the client takes precedence', () => {
  const memory = new StateMemory(new FakeConversationState());
  memory.rememberAnswer('acme', asked, answer([thought, call]));
  const own = request([{ type: 'reasoning', text: 'Mine.', state: { ...state, data: 'own' } }, call]);
  expect(memory.restore('acme', own)).toBe(own);
});

test('a call of another account is a different call', () => {
  const memory = new StateMemory(new FakeConversationState());
  memory.rememberAnswer('acme', asked, answer([thought, call]));
  const other = request([call]);
  expect(memory.restore('other', other).messages[0]?.parts).toEqual([call]);
});

test('the oldest entries are evicted when the bytes are used up', () => {
  const memory = new StateMemory(new FakeConversationState(), 2_000);
  for (let index = 0; index < 100; index++) {
    memory.rememberAnswer('acme', asked, answer([thought, { ...call, id: `toolu_${index}` }]));
  }
  const restored = (id: string) => memory.restore('acme', request([{ ...call, id }])).messages[0]?.parts.length;
  expect(restored('toolu_0')).toBe(1);
  expect(restored('toolu_99')).toBe(2);
});

const redacted: Part = { type: 'reasoning', text: '', redacted: true, state: { ...state, data: 'withheld' } };
const text: Part = { type: 'text', text: 'I look.' };

function restored(answered: readonly Part[], brought: readonly Part[]): readonly Part[] | undefined {
  const memory = new StateMemory(new FakeConversationState());
  memory.rememberAnswer('acme', asked, answer(answered));
  return memory.restore('acme', request(brought)).messages[0]?.parts;
}

test('reasoning before the text is restored before it, reasoning after it after it', () => {
  expect(restored([thought, text, call], [text, call])).toEqual([thought, text, call]);
  expect(restored([thought, text, redacted, call], [text, call])).toEqual([thought, text, redacted, call]);
  expect(restored([text, redacted, call], [text, call])).toEqual([text, redacted, call]);
});

test('reasoning from a stream is restored at the same places', () => {
  const memory = new StateMemory(new FakeConversationState());
  const observer = memory.observer('acme', asked);
  for (const part of partsOfResponse(answer([thought, text, redacted, call]))) observer.see(part);
  const parts = memory.restore('acme', request([text, call])).messages[0]?.parts;
  expect(parts).toEqual([thought, text, redacted, call]);
});

test('a plain copy of the reasoning is replaced by the original', () => {
  const plain: Part = { ...thought, state: { family: 'openai-chat', data: '', provider: null, channel: null } };
  expect(restored([thought, call], [plain, call])).toEqual([thought, call]);
  expect(restored([thought, call], [{ type: 'reasoning', text: 'Hm.' }, call])).toEqual([thought, call]);
});

test("missing reasoning is added beside the client's own, which stays", () => {
  const brought: Part = { ...redacted, path: 'messages[1].reasoning_details' };
  expect(restored([thought, redacted, call], [brought, call])).toEqual([thought, brought, call]);
});

test('reasoning without its origin gets it back', () => {
  const brought: Part = { ...thought, path: 'input[1]', state: { ...state, provider: null, channel: null } };
  expect(restored([thought, call], [brought, call])).toEqual([{ ...thought, path: 'input[1]' }, call]);
});

test("reasoning between calls is restored between them, even if the client's format has no such place", () => {
  const second: Part = { ...call, id: 'toolu_2' };
  expect(restored([thought, call, redacted, second], [thought, redacted, call, second])).toEqual([
    ...[thought, call, redacted, second],
  ]);
});

test('the state of a call is not duplicated if the client sends it in a separate block', () => {
  const signature: OpaqueState = { ...state, family: 'google', data: 'signature' };
  const signed: Part = { ...call, state: signature };
  const carrier: Part = { type: 'reasoning', text: '', redacted: true, state: signature };
  expect(restored([thought, signed], [carrier, call])).toEqual([thought, carrier, call]);
  expect(restored([thought, signed], [call])).toEqual([thought, signed]);
});

test('candidates of one stream are kept apart', () => {
  const memory = new StateMemory(new FakeConversationState());
  const observer = memory.observer('acme', asked);
  observer.see({ type: 'reasoning-start', candidate: 0 });
  observer.see({ type: 'reasoning-start', candidate: 1 });
  observer.see({ type: 'reasoning-delta', candidate: 0, text: 'Hm.' });
  observer.see({ type: 'reasoning-delta', candidate: 1, text: 'Not this.' });
  observer.see({ type: 'reasoning-end', candidate: 0, state });
  observer.see({ type: 'reasoning-end', candidate: 1 });
  observer.see({ type: 'tool-call-start', candidate: 0, id: 'toolu_1', name: 'f' });
  observer.see({ type: 'tool-call-end', candidate: 0 });
  expect(memory.restore('acme', request([call])).messages[0]?.parts).toEqual([thought, call]);
});

test('an ambiguous call id restores no reasoning', () => {
  const memory = new StateMemory(new FakeConversationState());
  const counted: Part = { ...call, id: 'f:0' };
  memory.rememberAnswer('acme', asked, answer([thought, counted]));
  memory.rememberAnswer('acme', asked, answer([thought, counted]));
  expect(memory.restore('acme', request([counted])).messages[0]?.parts).toEqual([thought, counted]);
  memory.rememberAnswer('acme', asked, answer([redacted, counted]));
  expect(memory.restore('acme', request([counted])).messages[0]?.parts).toEqual([counted]);
  memory.rememberAnswer('acme', asked, answer([redacted, counted]));
  expect(memory.restore('acme', request([counted])).messages[0]?.parts).toEqual([counted]);
});

test('a call without reasoning replaces an earlier one with the same id', () => {
  const memory = new StateMemory(new FakeConversationState());
  memory.rememberAnswer('acme', asked, answer([thought, call]));
  memory.rememberAnswer('acme', asked, answer([call]));
  expect(memory.restore('acme', request([call])).messages[0]?.parts).toEqual([call]);
});

test('a call of another tool with the same id is a different call', () => {
  expect(restored([thought, call], [{ ...call, name: 'g' }])).toEqual([{ ...call, name: 'g' }]);
});

describe('a response without a tool call', () => {
  const signature: OpaqueState = { ...state, family: 'google', data: 'signature' };
  const signed: Part = { ...text, state: signature };
  const remembering = (parts: readonly Part[]) => {
    const memory = new StateMemory(new FakeConversationState());
    memory.rememberAnswer('acme', asked, answer(parts));
    return memory;
  };
  const next = (before: typeof question, parts: readonly Part[]) => ({
    ...asked,
    messages: [before, { role: 'assistant' as const, parts }, question],
  });

  test('is recognized by its text, and its reasoning and state are restored in place', () => {
    const memory = remembering([thought, signed]);
    expect(memory.restore('acme', next(question, [text])).messages[1]?.parts).toEqual([thought, signed]);
  });

  test('is recognized from a stream, even if the client trims or splits the text', () => {
    const memory = new StateMemory(new FakeConversationState());
    const observer = memory.observer('acme', asked);
    for (const part of partsOfResponse(answer([thought, { ...signed, text: 'I look.\n' }]))) observer.see(part);
    expect(memory.restore('acme', next(question, [text])).messages[1]?.parts).toEqual([thought, signed]);
    const pieces: readonly Part[] = [
      { type: 'text', text: 'I ' },
      { type: 'text', text: 'look.' },
    ];
    const restored = memory.restore('acme', next(question, pieces)).messages[1]?.parts;
    expect(restored).toEqual([thought, pieces[0], { type: 'text', text: 'look.', state: signature }] as Part[]);
  });

  test('is recognized by the ends of a long text, in one piece or many', () => {
    const long = `  ${'A line of the answer.\n'.repeat(10_000)}`;
    const memory = remembering([thought, { ...signed, text: long }]);
    const pieces = long.match(/[\s\S]{1,977}/g) ?? [];
    const brought = pieces.map((piece): Part => ({ type: 'text', text: piece }));
    expect(memory.restore('acme', next(question, brought)).messages[1]?.parts[0]).toEqual(thought);
    const trimmed: Part = { type: 'text', text: long.trim() };
    expect(memory.restore('acme', next(question, [trimmed])).messages[1]?.parts[0]).toEqual(thought);
  });

  test('is a different one after another question, and for another account', () => {
    const memory = remembering([thought, signed]);
    const other = { ...question, parts: [{ type: 'text' as const, text: 'How?' }] };
    expect(memory.restore('acme', next(other, [text])).messages[1]?.parts).toEqual([text]);
    expect(memory.restore('other', next(question, [text])).messages[1]?.parts).toEqual([text]);
  });

  test('restores no reasoning of another conversation with the same words', () => {
    const memory = remembering([thought, text]);
    memory.rememberAnswer('acme', asked, answer([redacted, text]));
    expect(memory.restore('acme', next(question, [text])).messages[1]?.parts).toEqual([text]);
  });

  test("keeps the client's own reasoning, and restores the text of hidden reasoning", () => {
    const memory = remembering([thought, text]);
    const own: Part = { ...thought, state: { ...state, data: 'own' } };
    expect(memory.restore('acme', next(question, [own, text])).messages[1]?.parts).toEqual([own, text]);
    const unseen: Part = { type: 'reasoning', text: '', redacted: true, state, path: 'input[1]' };
    const restored = memory.restore('acme', next(question, [unseen, text])).messages[1]?.parts;
    expect(restored).toEqual([{ ...thought, path: 'input[1]' }, text]);
  });
});

describe('shared by several gateways', () => {
  const text: Part = { type: 'text', text: 'Hello.' };
  const callNamed = (id: string, name = 'search') => ({ ...call, id, name });

  test('the state of calls and texts is fetched from another gateway, only as needed', async () => {
    const shared = new FakeShared();
    const [a, b] = [new StateMemory(shared.node()), new StateMemory(shared.node())];
    a.rememberAnswer('acme', asked, answer([thought, call]));
    a.rememberAnswer('acme', asked, answer([thought, text]));
    const turns = (parts: readonly Part[]) => ({
      ...asked,
      messages: [question, { role: 'assistant' as const, parts }],
    });
    for (const part of [call, text]) {
      expect(b.restore('acme', turns([part]))).toEqual(turns([part]));
      await b.fetch('acme', turns([part]));
      expect(b.restore('acme', turns([part])).messages[1]?.parts).toEqual([thought, part]);
    }
    // Text may follow the calls of a turn, so that is looked up, too.
    expect(shared.asked.map((keys) => keys.length)).toEqual([2, 1]);
    expect(b.fetch('acme', asked)).toBeNull();
    expect(shared.asked).toHaveLength(2);
  });

  test('the latest responses are fetched first, at most a thousand', async () => {
    const shared = new FakeShared();
    const memory = new StateMemory(shared.node());
    const messages = Array.from({ length: 1_500 }, (_, index) => ({
      role: 'assistant' as const,
      parts: [callNamed(`call_${index}`)],
    }));
    await memory.fetch('acme', { ...asked, messages });
    expect(shared.asked[0]).toHaveLength(1_000);
    expect(shared.asked[0]?.[0]).toBe('search\ncall_1499');
  });

  test.each([
    ['search:0', 'search', true],
    ['functions.search_2024_a:0', 'search_2024_a', true],
    ['0', 'search', true],
    ['call_7', 'search', true],
    ['chatcmpl-tool-3', 'search', true],
    ['', 'search', true],
    ['x'.repeat(1_000_000), 'search', true],
    ['call_a1B2c3D4e5F6g7H8', 'search', false],
    ['toolu_01XFDUDYJgAACzvnptvVoYEL', 'search', false],
    ['D681PevKs', 'search', false],
    ['chatcmpl-tool-9f8e7d6c5b4a39281706f5e4d3c2b1a0', 'search', false],
    ['550e8400-e29b-41d4-a716-446655440000', 'search', false],
  ])('call ids are classified as likely to collide or not: case %#', (id, name, isLikely) => {
    const shared = new FakeShared();
    new StateMemory(shared.node());
    expect(shared.kinds[0]?.collision?.isLikely(`${name}\n${id}`)).toBe(isLikely);
  });

  test('a text is specific enough by itself', () => {
    const shared = new FakeShared();
    new StateMemory(shared.node());
    expect(shared.kinds[0]?.collision?.isLikely('\n123')).toBe(false);
  });

  test('entries of another gateway are restored in the same way', () => {
    const shared = new FakeShared();
    const memory = new StateMemory(shared.node());
    memory.rememberAnswer('acme', asked, answer([thought, { ...call, state }]));
    const [kind] = shared.kinds;
    const [[, known] = ['', null]] = shared.entries;
    const told = kind?.fromText(kind.toText(known));
    expect(told).toEqual(JSON.parse(JSON.stringify(known)));
    expect(kind?.toText(told)).toBe(kind?.toText(known) ?? '');
    expect(kind?.sizeOf('acme', 'k', told)).toBe(kind?.sizeOf('acme', 'k', known) ?? 0);
    expect(kind?.fromText(kind.toText(kind.collision?.value))).toBeNull();
  });
});

/** A shared memory of several gateways, without a server. */
class FakeShared {
  readonly entries = new Map<string, unknown>();
  readonly asked: (readonly string[])[] = [];
  readonly kinds: RememberedKind<unknown>[] = [];

  node(): ConversationState {
    const { entries, asked, kinds } = this;
    return {
      open<Value>(kind: RememberedKind<Value>): Remembered<Value> {
        // The test inspects the values without knowing their type.
        kinds.push(kind as unknown as RememberedKind<unknown>);
        const local = new FakeConversationState().open(kind);
        const full = (accountId: string, key: string) => `${accountId}\n${key}`;
        return {
          get isEmpty() {
            return local.isEmpty;
          },
          isShared: true,
          get: (accountId, key) => local.get(accountId, key),
          use: (accountId, key) => local.use(accountId, key),
          set(accountId, key, value) {
            local.set(accountId, key, value);
            entries.set(full(accountId, key), value);
          },
          async fetch(accountId, keys) {
            asked.push(keys);
            for (const key of keys) {
              // Only one kind is opened in this test.
              const value = entries.get(full(accountId, key)) as Value | undefined;
              if (value !== undefined) local.set(accountId, key, value);
            }
          },
        };
      },
    };
  }
}
