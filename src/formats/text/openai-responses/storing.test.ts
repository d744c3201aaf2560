import { expect, test } from 'bun:test';
import { openaiResponses } from './index.ts';
import { decoded, encoded, parsed } from './testing/context.ts';

const { storing } = openaiResponses;
if (storing === undefined) throw new Error('the format keeps answers');
const { atProvider } = storing;

const REASONING = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' };
const CALL = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}', status: 'completed' };
const MESSAGE = {
  ...{ type: 'message', id: 'msg_9', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
};

function turn(input: unknown, output: unknown) {
  const own = parsed({ model: 'm', input });
  let last = 0;
  const inputJson = storing?.inputItems(own, (prefix) => `${prefix}${++last}`) ?? '';
  return {
    inputJson,
    responseJson: JSON.stringify({ id: 'resp_1', status: 'completed', output, instructions: 'Old' }),
  };
}

test('a response is stored unless the client opts out, and only if it completed', () => {
  expect(storing.wants(parsed({ model: 'm', input: 'Hi' }))).toBe(true);
  expect(storing.wants(parsed({ model: 'm', input: 'Hi', store: false }))).toBe(false);
  expect(storing.previousId(parsed({ model: 'm', input: 'Hi', previous_response_id: 'resp_1' }))).toBe('resp_1');
  expect(storing.previousId(parsed({ model: 'm', input: 'Hi' }))).toBeNull();
  const ids = ['completed', 'incomplete', 'failed'].map((status) =>
    storing.answerId(JSON.stringify({ id: 'r', status })),
  );
  expect(ids).toEqual(['r', 'r', null]);
  expect(storing.answerId('no json')).toBeNull();
});

test('input items are stored in full form, each with an id', () => {
  const { inputJson } = turn(
    [{ role: 'user', content: 'Hi' }, CALL, { type: 'function_call_output', call_id: 'c1', output: 'x' }],
    [],
  );
  expect(JSON.parse(inputJson)).toEqual([
    { type: 'message', id: 'msg_1', role: 'user', status: 'completed', content: [{ type: 'input_text', text: 'Hi' }] },
    CALL,
    { type: 'function_call_output', id: 'fco_2', call_id: 'c1', output: 'x' },
  ]);
});

test('a continued request has the earlier turns before its input, without their instructions', () => {
  const sent = '{"model":"m", "previous_response_id":"resp_2", "big": 12345678901234567890, "input":"More"}';
  const request = storing.continueFrom(parsed(sent), [
    turn('Hi', [REASONING, CALL]),
    turn([{ type: 'function_call_output', call_id: 'c1', output: 'x' }], [MESSAGE]),
  ]);
  const text = new TextDecoder().decode(request.bytes);
  expect(text).toStartWith('{"model":"m", "previous_response_id":null, "big": 12345678901234567890, "input":[');
  expect(JSON.parse(text).input).toEqual([
    { type: 'message', role: 'user', status: 'completed', content: [{ type: 'input_text', text: 'Hi' }] },
    REASONING,
    CALL,
    { type: 'function_call_output', call_id: 'c1', output: 'x' },
    MESSAGE,
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'More' }] },
  ]);
  expect(storing.previousId(request)).toBeNull();
  expect(request.body.input).toEqual(JSON.parse(text).input);
  expect(encoded(decoded(request.body)).losses.map(({ verdict }) => verdict)).not.toContain('refused');
});

test('reasoning stored only by its provider is dropped, with the ids that refer to it', () => {
  const request = storing.continueFrom(parsed({ model: 'm', input: 'More', previous_response_id: 'r' }), [
    turn('Hi', [{ type: 'reasoning', id: 'rs_1', summary: [] }, CALL, MESSAGE]),
  ]);
  const input: readonly { id?: string; type: string }[] = JSON.parse(new TextDecoder().decode(request.bytes)).input;
  expect(input.map(({ type, id }) => [type, id])).toEqual([
    ['message', undefined],
    ['function_call', undefined],
    ['message', undefined],
    ['message', undefined],
  ]);
});

test('the new input may refer to an earlier item, or be missing', () => {
  const earlier = [turn('Hi', [MESSAGE])];
  const reference = parsed({ model: 'm', previous_response_id: 'r', input: [{ type: 'item_reference', id: 'msg_9' }] });
  expect((storing.continueFrom(reference, earlier).body.input as unknown[]).at(-1)).toEqual(MESSAGE);
  const absent = storing.continueFrom(parsed('{"model":"m","previous_response_id":"r"}'), earlier);
  expect(JSON.parse(new TextDecoder().decode(absent.bytes))).toEqual({ model: 'm', input: absent.body.input });
});

// ---- answers that a provider keeps

const CREATE = 'https://host.example/openai/v1/responses?api-version=preview';

test('a response and its input are below the URL where responses are created', () => {
  const url = atProvider.url(CREATE, 'resp_0-a');
  expect(url).toBe('https://host.example/openai/v1/responses/resp_0-a?api-version=preview');
  const first = 'https://host.example/openai/v1/responses/resp_0-a/input_items?api-version=preview&order=asc&limit=100';
  expect([atProvider.inputUrl(url ?? '', null), atProvider.inputUrl(url ?? '', 'in 1')]).toEqual([
    first,
    `${first}&after=in+1`,
  ]);
});

test.each(['..', '.', '', 'a/b', 'a?b', 'a%2f', '-a', 'ä', 'a'.repeat(257)])('%p is not a response id', (id) => {
  expect(atProvider.url(CREATE, id)).toBeNull();
});

test('only the requested response is accepted', () => {
  const answer = { id: 'resp_1', output: [], previous_response_id: 'resp_0' };
  expect(atProvider.answer(answer, 'resp_1')).toEqual({ previousId: 'resp_0' });
  for (const other of [null, [], { ...answer, id: 'resp_2' }, { ...answer, output: {} }]) {
    expect(atProvider.answer(other, 'resp_1')).toBeNull();
  }
});

test('a page names the item after which there is more', () => {
  const data = [{ id: 'a' }, { id: 'b' }];
  expect(atProvider.inputPage({ data, has_more: true })).toEqual({ items: data, next: 'b' });
  expect(atProvider.inputPage({ data, has_more: false })).toEqual({ items: data, next: null });
  expect(atProvider.inputPage({ data: [1], has_more: true })).toEqual({ items: [1], next: null });
  expect(atProvider.inputPage({ data: 'none' })).toBeNull();
});
