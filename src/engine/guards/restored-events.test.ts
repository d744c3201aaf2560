import { describe, expect, test } from 'bun:test';
import { Masks } from '../../domain/guards/masks.ts';
import { RestoredEvents } from './restored-events.ts';
import { restoredJson } from './restored-text.ts';

function masks(): Masks {
  const made = new Masks();
  made.placeholderOf('email', 'jane@example.com');
  made.placeholderOf('name', 'Jane "J" Doe');
  return made;
}

/** Returns the events that a client gets for these. */
function sent(events: readonly object[]): Record<string, unknown>[] {
  const restoring = new RestoredEvents(masks());
  const framed = events.flatMap((event) =>
    restoring.event({ before: 'data: ', json: JSON.stringify(event), after: '\n\n' }),
  );
  return [...framed, ...restoring.end()].map(({ json }) => JSON.parse(json));
}

const chunk = (delta: object, index = 0, finish_reason: string | null = null) => ({
  choices: [{ index, delta, finish_reason }],
});
const item = (type: string, more: object) => ({ type: `response.${type}`, output_index: 0, item_id: 'i', ...more });

describe('the texts of a stream', () => {
  test('are restored for each answer by itself, although their pieces alternate', () => {
    const events = sent([
      chunk({ content: 'to [EMA' }, 0),
      chunk({ content: 'or [NAME' }, 1),
      chunk({ content: 'IL_1] ok [' }, 0),
      chunk({ content: '_1]' }, 1),
      chunk({}, 1, 'stop'),
      chunk({}, 0, 'stop'),
    ]);
    const text = (of: number) =>
      events
        .map((event) =>
          (event.choices as { index: number; delta: { content?: string } }[])
            .filter(({ index }) => index === of)
            .map(({ delta }) => delta.content ?? '')
            .join(''),
        )
        .join('');
    expect(text(0)).toBe('to jane@example.com ok [');
    expect(text(1)).toBe('or Jane "J" Doe');
  });

  test('are valid JSON in the arguments of tools', () => {
    const call = (text: string) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] });
    const events = sent([call('{"to":"[NA'), call('ME_1]"}'), chunk({}, 0, 'tool_calls')]);
    const parts = events.map(
      (event) =>
        (event as { choices: { delta: { tool_calls?: { function: { arguments: string } }[] } }[] }).choices[0]?.delta
          .tool_calls?.[0]?.function.arguments ?? '',
    );
    expect(JSON.parse(parts.join(''))).toEqual({ to: 'Jane "J" Doe' });
  });

  test('of Anthropic’s blocks are sent to their end before the block ends', () => {
    const delta = (partial_json: string) => ({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json },
    });
    const events = sent([
      delta('{"a":"[EMAIL_'),
      { type: 'ping' },
      delta('1]"'),
      delta(',"b":["x","['),
      { type: 'content_block_stop', index: 1 },
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      'content_block_delta',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
    ]);
    expect(
      events.map(({ delta: one }) => (one as { partial_json?: string } | undefined)?.partial_json ?? '').join(''),
    ).toBe('{"a":"jane@example.com","b":["x","[');
  });

  test('of the Responses format keep ascending numbers, and are restored in the events that repeat them', () => {
    const events = sent([
      item('output_text.delta', { sequence_number: 4, content_index: 0, delta: '[EMAIL_1] [' }),
      item('output_text.done', { sequence_number: 5, content_index: 0, text: '[EMAIL_1] [' }),
      {
        type: 'response.completed',
        sequence_number: 6,
        response: {
          output: [{ type: 'function_call', arguments: '{"a":"[NAME_1]"}' }, { content: [{ text: '[EMAIL_1] [' }] }],
        },
      },
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([4, 5, 6, 7]);
    expect(events.map(({ delta }) => delta ?? '').join('')).toBe('jane@example.com [');
    expect(events[2]).toMatchObject({ text: 'jane@example.com [' });
    expect(events[3]).toMatchObject({
      response: { output: [{ arguments: '{"a":"Jane \\"J\\" Doe"}' }, { content: [{ text: 'jane@example.com [' }] }] },
    });
  });

  test('of Gemini are restored across chunks, and in the arguments of functions', () => {
    const events = sent([
      { candidates: [{ content: { parts: [{ text: 'a [EM' }] } }] },
      { candidates: [{ content: { parts: [{ text: 'AIL_1] [' }] }, finishReason: 'STOP' }] },
      { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { to: '[NAME_1]' } } }] } }] },
    ]);
    expect(JSON.stringify(events)).toContain('jane@example.com [');
    expect(events[2]).toMatchObject({
      candidates: [{ content: { parts: [{ functionCall: { args: { to: 'Jane "J" Doe' } } }] } }],
    });
  });
});

test('a whole response is restored in its strings, and is otherwise the same text', () => {
  const json =
    '{"a": 1.0, "text":"[NAME_1]", "arguments":"{\\"x\\":\\"\\u005bNAME_1]\\"}", "\\u005bEMAIL_1]": "[", "b": 12345678901234567890}';
  expect(restoredJson(json, masks())).toBe(
    '{"a": 1.0, "text":"Jane \\"J\\" Doe", "arguments":"{\\"x\\":\\"Jane \\\\\\"J\\\\\\" Doe\\"}", "jane@example.com": "[", "b": 12345678901234567890}',
  );
});
