import { expect, test } from 'bun:test';
import { seededRandom } from '../../domain/routing/testing/seeded-random.ts';
import { AnswerHeaders } from './answer-headers.ts';

const told = (response: Response) => Object.fromEntries(response.headers);

test('each response has its own headers only, as if it were made alone', () => {
  const made = new AnswerHeaders();
  const random = seededRandom(7);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const names = [
    'content-type',
    'x-request-id',
    'x-routing',
    'age',
    'x-ratelimit-remaining',
    'retry-after',
    '__proto__',
  ];
  const answers: [Response, Record<string, string>][] = [];
  for (let index = 0; index < 2_000; index++) {
    const chosen = names.filter(() => random() < 0.8);
    const record = Object.fromEntries(chosen.map((name) => [name, pick(['a', 'b', '', `${index}`, 'é'])]));
    answers.push([new Response('', { headers: made.of(record) }), record]);
  }
  // Compares at the end, so that a later answer could have changed an earlier one's.
  for (const [answer, record] of answers) expect(told(answer)).toEqual(told(new Response('', { headers: record })));
});

test('a changed response does not affect the next one', () => {
  const made = new AnswerHeaders();
  const record = { 'content-type': 'text/plain', vary: 'a' };
  const answer = new Response('', { headers: made.of(record) });
  answer.headers.append('vary', 'origin');
  answer.headers.set('connection', 'close');
  expect(told(new Response('', { headers: made.of(record) }))).toEqual(record);
});

test('invalid headers are refused each time, and the next response is not affected', () => {
  const made = new AnswerHeaders();
  const good = { 'content-type': 'text/plain', 'x-routing': '{}' };
  made.of(good);
  for (let time = 0; time < 2; time++) expect(() => made.of({ ...good, 'x-routing': 'a\nb' })).toThrow();
  expect(() => made.of({ 'a b': 'c' })).toThrow();
  expect(told(new Response('', { headers: made.of(good) }))).toEqual(good);
});

test('a large number of headers is sent', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'v']));
  const made = new AnswerHeaders();
  expect(told(new Response('', { headers: made.of(many) }))).toEqual(many);
});
