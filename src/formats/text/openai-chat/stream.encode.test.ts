import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { ChatStreamEncoder } from './stream.encode.ts';
import { answerContext, decodeStream } from './testing/exchange.ts';

const USAGE = { input: 1, cachedInput: 0, cacheWrite: 0, output: 2, reasoning: 0, source: 'reported' } as const;

function write(parts: readonly StreamPart[], wantsUsage = false, body: Record<string, unknown> = {}) {
  const encoder = new ChatStreamEncoder(answerContext(body, wantsUsage));
  return parts.map((part) => encoder.encode(part)).join('');
}

function chunksOf(text: string) {
  const data = text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.slice('data: '.length));
  expect(data.pop()).toBe('[DONE]');
  return data.map((chunk) => JSON.parse(chunk));
}

const answer = (parts: unknown[], finish = 'stop') =>
  partsOfResponse({
    id: 'chatcmpl-1',
    created: 5,
    candidates: [{ index: 0, parts, finish: { unified: finish, raw: null } }],
    usage: USAGE,
  } as ExchangeResponse);

describe('a stream for a chat client', () => {
  test('starts with the role and ends with _routing, and has usage only on request', () => {
    const parts = answer([{ type: 'text', text: 'a' }]);
    const plain = chunksOf(write(parts));
    expect(plain.map(({ choices }) => choices[0].delta)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'a' },
      {},
    ]);
    expect(plain.map(({ _routing }) => _routing !== undefined)).toEqual([false, false, true]);
    expect(plain.at(-1).choices[0].finish_reason).toBe('stop');
    expect(plain.every(({ id, created, model }) => id === 'chatcmpl-1' && created === 5 && model === 'public')).toBe(
      true,
    );
    const asked = chunksOf(write(parts, true));
    expect(asked.map(({ usage }) => usage?.total_tokens ?? usage)).toEqual([null, null, null, 3]);
    expect(asked.at(-1)).toMatchObject({ choices: [], _routing: { cached: false } });
  });

  test('sends each delta at once', () => {
    const encoder = new ChatStreamEncoder(answerContext());
    encoder.encode({ type: 'start', id: null, created: null });
    encoder.encode({ type: 'text-start', candidate: 0 });
    expect(encoder.encode({ type: 'text-delta', candidate: 0, text: 'x' })).toContain('"delta":{"content":"x"}');
  });

  test('has calls with their index, and state where Google puts it', () => {
    const state = { family: 'google', data: 'ts', provider: 'google', channel: 'g' };
    const call = (id: string, more = {}) => ({ type: 'tool-call', id, name: 'f', arguments: '{}', ...more });
    const chunks = chunksOf(write(answer([call('a', { state }), call('b', { custom: true })], 'tool-calls')));
    const deltas = chunks.flatMap(({ choices }) => choices[0].delta.tool_calls ?? []);
    expect(deltas).toEqual([
      {
        index: 0,
        id: 'a',
        type: 'function',
        function: { name: 'f', arguments: '' },
        extra_content: { google: { thought_signature: 'ts' } },
      },
      { index: 0, function: { arguments: '{}' } },
      { index: 1, id: 'b', type: 'custom', custom: { name: 'f', input: '' } },
      { index: 1, custom: { input: '{}' } },
    ]);
    expect(chunks.at(-1).choices[0].finish_reason).toBe('tool_calls');
  });

  test('for a client of legacy functions has one function_call', () => {
    const call = { type: 'tool-call', id: 'a', name: 'f', arguments: '{}' };
    const chunks = chunksOf(write(answer([call, call], 'tool-calls'), false, { functions: [{ name: 'f' }] }));
    expect(chunks.flatMap(({ choices }) => choices[0].delta.function_call ?? [])).toEqual([
      { name: 'f', arguments: '' },
      { arguments: '{}' },
    ]);
  });

  test('is reversed by decoding', () => {
    const state = fc.option(
      fc.record({
        family: fc.constantFrom('anthropic', 'google', 'openai-responses'),
        data: fc.string(),
        provider: fc.constant('p'),
        channel: fc.constant('c'),
      }),
      { nil: undefined },
    );
    const args = fc.jsonValue().map((value) => JSON.stringify({ value }));
    const parts = fc.tuple(
      fc.option(fc.record({ type: fc.constant('reasoning'), text: fc.string({ minLength: 1 }), state }), { nil: null }),
      fc.option(fc.record({ type: fc.constant('text'), text: fc.string({ minLength: 1 }) }), { nil: null }),
      fc.uniqueArray(
        fc.record({ type: fc.constant('tool-call'), id: fc.uuid(), name: fc.constantFrom('f', 'g'), arguments: args }),
        {
          maxLength: 3,
          selector: ({ id }) => id,
        },
      ),
    );
    fc.assert(
      fc.property(parts, ([thought, text, calls]) => {
        const said = [thought, text, ...calls].filter((part) => part !== null);
        if (said.length === 0) return;
        const finish = calls.length > 0 ? 'tool-calls' : 'stop';
        const again = decodeStream(write(answer(said, finish), true)).filter(({ type }) =>
          /delta|tool-call-start/.test(type),
        );
        const sent = answer(said).filter(({ type }) => /delta|tool-call-start/.test(type));
        expect(again).toEqual(sent);
        const end = decodeStream(write(answer(said, finish))).find((part) => part.type === 'reasoning-end');
        if (thought?.state !== undefined) expect(end).toMatchObject({ state: thought.state });
      }),
      { numRuns: 200 },
    );
  });
});
