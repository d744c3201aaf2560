import { describe, expect, test } from 'bun:test';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Part } from '../../../domain/exchange/part.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import { openaiResponses } from './index.ts';
import { context, decoded } from './testing/context.ts';
import { brokenRules, eventsOf } from './testing/stream-order.ts';

const stateOf = (family: OpaqueState['family'], data: string): OpaqueState => ({
  ...{ family, data, provider: 'somebody', channel: 'main' },
});
const SUMMARY = { reasoning: { summary: 'auto' } };

const plain: Part = { type: 'reasoning', text: 'Hm — “天気”', state: stateOf('openai-chat', '') };
const signed: Part = { type: 'reasoning', text: 'So.', state: stateOf('anthropic', 'sig') };
const summed: Part = { type: 'reasoning', text: 'In short.', summary: true };
const unshown: Part = { type: 'reasoning', text: '', state: stateOf('anthropic', 'a signature alone') };
const withheld: Part = { type: 'reasoning', text: '', redacted: true, state: stateOf('anthropic', 'data') };
const words: Part = { type: 'text', text: 'I look.' };
const call: Part = { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{}' };
const google = stateOf('google', 'signature');

function answer(parts: readonly Part[]) {
  const finish = { unified: 'stop', raw: null } as const;
  return { id: 'resp_1', created: 1, candidates: [{ index: 0, parts, finish }], usage: null };
}

function events(parts: readonly Part[], body: object) {
  const encoder = openaiResponses.encodeStream(context({ stream: true, ...body }));
  const text = partsOfResponse(answer(parts))
    .map((part) => encoder.encode(part))
    .join('');
  return eventsOf(text);
}

const FORMS: Readonly<Record<string, (parts: readonly Part[], body: object) => any[]>> = {
  whole: (parts, body) => JSON.parse(openaiResponses.encodeAnswer(answer(parts), context(body))).output,
  stream: (parts, body) => events(parts, body).at(-1)?.data.response.output,
};

function readBack(output: unknown): unknown {
  return decoded({ input: output }).messages[0]?.parts.map(({ path: _, ...part }) => part);
}

describe.each(Object.entries(FORMS))('%s', (_form, outputOf) => {
  const types = (parts: readonly Part[], body: object) => outputOf(parts, body).map(({ type }) => type);

  test('a requested summary is shown, or the reasoning itself if there is none', () => {
    const output = outputOf([plain, signed, summed, words], { reasoning: { generate_summary: 'detailed' } });
    expect(output.slice(0, 3).map(({ summary }) => summary)).toEqual([
      [{ type: 'summary_text', text: 'Hm — “天気”' }],
      [{ type: 'summary_text', text: 'So.' }],
      [{ type: 'summary_text', text: 'In short.' }],
    ]);
    expect(JSON.stringify(output)).not.toContain('reasoning_text');
  });

  test('without a request, an item has its state and no text, and is omitted without a state', () => {
    for (const body of [{}, { reasoning: { effort: 'high' } }, { reasoning: { summary: null } }]) {
      const output = outputOf([plain, signed, summed, withheld, words], body);
      expect(output.map(({ type, summary }) => summary ?? type)).toEqual([[], [], [], 'message']);
      expect(JSON.stringify(output)).not.toContain('So.');
    }
  });

  test.each([
    ['shown', SUMMARY],
    ['not shown', {}],
  ])('text, state and place are restored, %s', (_what, body) => {
    const parts: Part[] = [
      ...[
        plain,
        unshown,
        withheld,
        { ...words, state: google },
        signed,
        { ...call, state: stateOf('google', 'of the call') },
      ],
      ...[plain, { ...call, id: 'call_2' }],
    ];
    expect(readBack(outputOf(parts, body))).toEqual(parts);
  });

  test('no reasoning follows the final text', () => {
    const endings: Part[][] = [
      [words, withheld],
      [unshown, withheld, words],
      [{ ...words, state: google }],
      [words, { type: 'reasoning', text: '', state: google }],
      [plain, words, { type: 'text', text: '', state: google }],
      [call, { ...words, state: google }],
    ];
    for (const ending of endings) {
      expect(types(ending, SUMMARY).at(-1)).toBe('message');
      expect(types(ending, {}).at(-1)).toBe('message');
    }
    expect(types([words, withheld, call], {})).toEqual(['message', 'reasoning', 'function_call']);
  });

  test('reasoning survives a client that drops the summary, or writes its own', () => {
    const output = outputOf([plain, words], SUMMARY);
    const without = output.map((item) => (item.type === 'reasoning' ? { ...item, summary: [] } : item));
    expect(readBack(without)).toEqual([plain, words]);
  });

  test('reasoning too long for a token is restored with the shown text', () => {
    const long: Part = { ...plain, text: 'x'.repeat(300_000) };
    const [shown] = outputOf([long, words], SUMMARY);
    expect(shown.encrypted_content.length).toBeLessThan(500);
    expect(readBack([shown])).toEqual([{ ...long, summary: true }]);
    const [unseen] = outputOf([long, words], {});
    expect(readBack([unseen])).toEqual([{ ...long, text: '', redacted: true }]);
  });
});

test('the state of the final text precedes its message if the response is whole', () => {
  const output = FORMS.whole?.([plain, { ...words, state: google }], {});
  expect(output?.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'message']);
  expect(readBack(output)).toEqual([plain, { ...words, state: google }]);
});

test('raw reasoning is streamed as the summary, piece by piece', () => {
  const seen = events([signed, words], SUMMARY);
  expect(brokenRules(seen)).toEqual([]);
  const names = seen.map(({ name }) => name.replace('response.', ''));
  expect(names.slice(2, 9)).toEqual([
    ...['output_item.added', 'reasoning_summary_part.added', 'reasoning_summary_text.delta'],
    ...['reasoning_summary_text.done', 'reasoning_summary_part.done', 'output_item.done', 'output_item.added'],
  ]);
});

test('token items stay in their own turn', () => {
  const first = FORMS.whole?.([signed, { ...words, state: google }], {}) ?? [];
  const later = FORMS.whole?.([plain, { ...call, state: google }], {}) ?? [];
  const { messages } = decoded({
    input: [...first, { role: 'user', content: 'Go on.' }, ...later, { role: 'user', content: 'And?' }],
  });
  const shapes = messages.map(({ parts }) => parts.map(({ path: _, ...part }) => part));
  expect(shapes[0]).toEqual([signed, { ...words, state: google }]);
  expect(shapes[2]).toEqual([plain, { ...call, state: google }]);
});
