import { expect, test } from 'bun:test';
import { atProvider } from './at-provider.ts';

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
