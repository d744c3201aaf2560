import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { cohereChat } from './index.ts';

const SOURCE = { provider: 'cohere', channel: 'cohere-1', quirks: [] };
const bytesOf = (text: string) => new TextEncoder().encode(text);
type Event = Readonly<Record<string, unknown>>;

function sse(...events: readonly Event[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function decode(text: string, cuts: readonly number[] = []) {
  const decoder = cohereChat.decodeStream(SOURCE);
  const bytes = bytesOf(text);
  const at = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((left, right) => left - right), bytes.length];
  const parts = at.slice(1).flatMap((to, index) => [...decoder.push(bytes.subarray(at[index], to))]);
  return [...parts, ...decoder.end()];
}

const message = (type: string, index: number | null, value: object): Event => ({
  type,
  ...(index === null ? {} : { index }),
  delta: { message: value },
});
const text = (index: number, value: string) => message('content-delta', index, { content: { text: value } });
const thinking = (index: number, value: string) => message('content-delta', index, { content: { thinking: value } });
const call = (index: number, id: string) =>
  message('tool-call-start', index, { tool_calls: { id, type: 'function', function: { name: 'add', arguments: '' } } });
const argument = (index: number, value: string) =>
  message('tool-call-delta', index, { tool_calls: { function: { arguments: value } } });
const end = (type: string, index: number): Event => ({ type, index });
const START: Event = { type: 'message-start', id: 'id-1', delta: { message: { role: 'assistant', content: [] } } };
const stop = (finish_reason: string, more: object = {}): Event => ({
  type: 'message-end',
  delta: { finish_reason, usage: { billed_units: { input_tokens: 3, output_tokens: 9 } }, ...more },
});
const citation = { start: 6, end: 11, text: 'green', sources: [{ id: 'document_2', document: { title: 'Sky' } }] };

const WHOLE = sse(
  START,
  message('content-start', 0, { content: { type: 'thinking', thinking: '' } }),
  thinking(0, 'Hm'),
  end('content-end', 0),
  message('content-start', 1, { content: { type: 'text', text: '' } }),
  text(1, 'It is '),
  text(1, 'green'),
  message('citation-start', 0, { citations: citation }),
  end('citation-end', 0),
  end('content-end', 1),
  message('tool-plan-delta', null, { tool_plan: 'I add.' }),
  call(0, 'c1'),
  argument(0, '{"a"'),
  argument(0, ':1}'),
  end('tool-call-end', 0),
  stop('TOOL_CALL'),
);

describe('a stream', () => {
  test('has the same parts at every split, with or without an end mark', () => {
    const expected = decode(WHOLE);
    expect(expected).toMatchObject([
      { type: 'start', id: 'id-1' },
      { type: 'reasoning-start' },
      { type: 'reasoning-delta', text: 'Hm' },
      { type: 'reasoning-end', state: { family: 'cohere', data: '', provider: 'cohere', channel: 'cohere-1' } },
      { type: 'text-start' },
      { type: 'text-delta', text: 'It is ' },
      { type: 'text-delta', text: 'green' },
      { type: 'citation', citation: { title: 'Sky', start: 6, end: 11, documentIndex: 2, raw: { value: citation } } },
      { type: 'text-end' },
      { type: 'reasoning-start' },
      { type: 'reasoning-delta', text: 'I add.' },
      { type: 'reasoning-end', state: { data: 'tool_plan' } },
      { type: 'tool-call-start', id: 'c1', name: 'add' },
      { type: 'tool-call-delta', arguments: '{"a"' },
      { type: 'tool-call-delta', arguments: ':1}' },
      { type: 'tool-call-end' },
      { type: 'finish', finish: { unified: 'tool-calls', raw: 'TOOL_CALL' } },
      { type: 'usage', usage: { input: 3, output: 9 } },
      { type: 'end' },
    ]);
    expect(decode(`${WHOLE}data: [DONE]\n\n`)).toEqual(expected);
    fc.assert(fc.property(fc.array(fc.nat()), (cuts) => expect(decode(WHOLE, cuts)).toEqual(expected)));
  });

  test('keeps interleaved calls apart, and accepts citations after the text', () => {
    const parts = decode(
      sse(
        START,
        text(0, 'x'),
        end('content-end', 0),
        message('citation-start', 0, { citations: { start: 0, end: 1, text: 'x', sources: [] } }),
        call(0, 'c1'),
        call(1, 'c2'),
        argument(1, '{}'),
        argument(0, '[]'),
        end('tool-call-end', 1),
        end('tool-call-end', 0),
        stop('COMPLETE'),
      ),
    );
    const shown = parts.map((part) => (part.type === 'tool-call-delta' ? part.arguments : part.type));
    expect(shown).toEqual([
      'start',
      'text-start',
      'text-delta',
      'citation',
      'text-end',
      'tool-call-start',
      '[]',
      'tool-call-end',
      'tool-call-start',
      '{}',
      'tool-call-end',
      'finish',
      'usage',
      'end',
    ]);
    expect(parts).toContainEqual({ type: 'finish', candidate: 0, finish: { unified: 'tool-calls', raw: 'COMPLETE' } });
  });

  test('has log probabilities with their text', () => {
    const event = { ...text(0, 'Hi'), logprobs: { text: 'Hi', token_ids: [1, 2], logprobs: [-0.5, -0.25] } };
    expect(decode(sse(START, event, stop('COMPLETE')))).toContainEqual({
      type: 'text-delta',
      candidate: 0,
      text: 'Hi',
      logprobs: [{ token: 'Hi', logprob: -0.75, bytes: null, top: [] }],
    });
  });

  test.each([
    ['', 'empty_stream'],
    [sse(START, text(0, 'x')), 'truncated_stream'],
    ['data: {oh\n\n', 'garbage'],
    ['data: {"message":"internal error"}\n\n', 'error_in_200'],
    [
      sse(START, stop('ERROR', { error: 'invalid tool generation', error_type: 'INVALID_TOOL_GENERATION' })),
      'error_in_200',
    ],
    [sse(START, stop('TIMEOUT')), 'error_in_200'],
  ])('that fails: %j', (stream, kind) => {
    const last = decode(stream).at(-1);
    expect(last?.type === 'error' ? last.failure.kind : last?.type).toBe(kind);
  });
});

test('a call that starts twice ends twice, and any index is accepted', () => {
  const odd = { type: 'content-start', index: { toString: null }, delta: {} };
  const end = { type: 'message-end', delta: { finish_reason: 'constructor' } };
  const parts = decode(sse({ type: 'message-start', id: 'a' }, odd, call(0, 'a'), call(0, 'b'), end));
  expect(parts.map(({ type }) => type)).toEqual([
    'start',
    'tool-call-start',
    'tool-call-delta',
    'tool-call-end',
    'tool-call-start',
    'tool-call-delta',
    'tool-call-end',
    'finish',
    'end',
  ]);
});

test('reasoning and text under one index are two blocks', () => {
  const parts = decode(
    sse({ type: 'message-start', id: 'a' }, thinking(0, 'Hm'), text(0, 'Hi'), { type: 'message-end', delta: {} }),
  );
  expect(parts.map(({ type }) => type).slice(1, 7)).toEqual([
    'reasoning-start',
    'reasoning-delta',
    'reasoning-end',
    'text-start',
    'text-delta',
    'text-end',
  ]);
});
