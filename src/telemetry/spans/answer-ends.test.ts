import { expect, test } from 'bun:test';
import { readEnds } from './answer-ends.ts';

/** Reads the ends as an exchange keeps them. */
const read = (answer: string) => readEnds(answer.slice(0, 1_024), answer.slice(-4_096));
const json = (answer: object) => read(JSON.stringify(answer));
const events = (...all: readonly object[]) => read(all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));

/** Arguments of a tool, which a model chooses and some formats have as an object. */
const CHOSEN = {
  id: 'canary',
  responseId: 'canary',
  finish_reason: 'canary',
  finishReason: 'canary',
  stop_reason: 'canary',
};
const LONG = 'x "finish_reason":"canary" \\'.repeat(400);

test('the arguments of a tool are not read, wherever they are', () => {
  const content = [{ type: 'tool_use', id: 'toolu_1', name: 'find', input: CHOSEN }];
  expect(json({ content, id: 'msg_1', stop_reason: 'tool_use' })).toEqual({ id: 'msg_1', finishReasons: ['tool_use'] });
  expect(json({ id: 'msg_1', stop_reason: 'tool_use', content })).toEqual({ id: 'msg_1', finishReasons: ['tool_use'] });
  const parts = [{ functionCall: { name: 'find', args: { ...CHOSEN, candidates: [CHOSEN] } } }];
  const candidates = [{ content: { role: 'model', parts }, finishReason: 'STOP' }];
  expect(json({ candidates, responseId: 'r-1' })).toEqual({ id: 'r-1', finishReasons: ['stop'] });
  expect(json([{ candidates, responseId: 'r-1' }])).toEqual({ id: 'r-1', finishReasons: ['stop'] });
  expect(events({ candidates })).toEqual({ id: null, finishReasons: ['stop'] });
  expect(json({ metadata: CHOSEN, choices: [{ message: { content: null, tool_calls: [CHOSEN] } }] })).toEqual({
    ...{ id: null, finishReasons: [] },
  });
});

test('a long answer is read from its ends', () => {
  const choices = [{ message: { content: LONG }, finish_reason: 'length' }];
  expect(json({ id: 'c-1', choices, usage: { details: { none: [] } } })).toEqual({
    id: 'c-1',
    finishReasons: ['length'],
  });
  const message = { id: 'msg_1', content: [] };
  const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
  expect(events({ type: 'message_start', message }, { delta: { text: LONG } }, delta)).toEqual({
    ...{ id: 'msg_1', finishReasons: ['end_turn'] },
  });
  const response = { id: 'resp_1', object: 'response', instructions: LONG };
  expect(events({ type: 'response.created', response }, { type: 'response.completed' })).toEqual({
    ...{ id: 'resp_1', finishReasons: ['stop'] },
  });
});

test('a text that is no answer does no harm', () => {
  const texts = ['', '"', '\\"', '{', ']', '}"', '"id":"canary"', '{"id":"canary', `${LONG}"}`, '{"a":"\\'];
  for (const text of [...texts, 'data: {"choices":1,"finish_reason":"canary"}']) {
    expect(read(text)).toEqual({ id: null, finishReasons: [] });
  }
});
