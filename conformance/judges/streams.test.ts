import { describe, expect, test } from 'bun:test';
import { ownExchanges } from '../shared/recordings.ts';
import { testKeptRules } from './kept-rules.ts';
import { judgeResponsesStream } from './responses-stream.ts';
import type { StreamEvent } from './stream-event.ts';

testKeptRules(ownExchanges());

function events(...data: readonly unknown[]): readonly StreamEvent[] {
  return data.map((one) => ({ event: (one as { type?: string }).type ?? null, data: JSON.stringify(one) }));
}

describe('the problems of a broken Responses stream', () => {
  const response = (status: string, output: readonly unknown[]) => ({ id: 'r', object: 'response', status, output });
  const item = {
    type: 'message',
    id: 'm',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Hi' }],
  };
  const place = { output_index: 0, item_id: 'm', content_index: 0 };
  const whole = [
    { type: 'response.created', response: response('in_progress', []) },
    { type: 'response.in_progress', response: response('in_progress', []) },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '' } },
    { type: 'response.output_text.delta', ...place, delta: 'H' },
    { type: 'response.output_text.delta', ...place, delta: 'i' },
    { type: 'response.output_text.done', ...place, text: 'Hi' },
    { type: 'response.content_part.done', ...place, part: { type: 'output_text', text: 'Hi' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: response('completed', [item]) },
  ];
  const numbered = (list: readonly object[]) =>
    events(...list.map((one, index) => ({ sequence_number: index, ...one })));
  const changed = (index: number, change: object) =>
    numbered(whole.map((one, other) => (other === index ? { ...one, ...change } : one)));

  test('are empty for a whole stream', () => {
    expect(judgeResponsesStream(numbered(whole))).toEqual([]);
    expect(judgeResponsesStream([...numbered(whole), { event: null, data: '[DONE]' }])).toEqual([]);
  });

  test('name a gap in the sequence numbers', () => {
    expect(judgeResponsesStream(changed(4, { sequence_number: 9 }))).toEqual([
      'event 4 (response.output_text.delta): has the sequence number 9',
    ]);
  });

  test('name another item id', () => {
    expect(judgeResponsesStream(changed(5, { item_id: 'other' }))).toContain(
      'event 5 (response.output_text.delta): has the item id other, not m',
    );
  });

  test('name a done text that is not its joined deltas', () => {
    expect(judgeResponsesStream(changed(6, { text: 'Ho' }))).toEqual([
      'event 6 (response.output_text.done): has a text that differs from its joined pieces',
    ]);
  });

  test('name a final output that differs from the finished items', () => {
    expect(judgeResponsesStream(changed(9, { response: response('completed', []) }))).toEqual([
      'event 9 (response.completed): has an output that differs from the finished items',
    ]);
  });
});
