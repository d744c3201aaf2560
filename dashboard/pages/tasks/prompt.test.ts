import { expect, test } from 'bun:test';
import { promptIn } from './prompt.ts';

test('the prompt of a captured body is shown up to a bound', () => {
  expect(promptIn('{"model":"m","prompt":" a quiet harbour "}')).toEqual({ text: 'a quiet harbour', isCut: false });
  expect(promptIn('{"prompt":"abcdef"}', 3)).toEqual({ text: 'abc', isCut: true });
  expect(promptIn('{"prompt":"","lyrics":"la la"}')).toEqual({ text: 'la la', isCut: false });
});

test.each(['', '{"prompt":"a', '[]', 'null', '{"prompt":7}', '{}'])('a body without a prompt has none (%#)', (body) => {
  expect(promptIn(body)).toBeNull();
});
