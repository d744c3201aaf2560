import { expect, test } from 'bun:test';
import { z } from 'zod';
import { bodyValidator, formatPath, integerFrom, oneOf, recordOf, show, text } from './schema-error.ts';

test('a path is written in JavaScript notation', () => {
  expect(formatPath(['messages', 2, 'content', 0, 'type'])).toBe('messages[2].content[0].type');
  expect(formatPath(['logit_bias', '50256'])).toBe('logit_bias["50256"]');
  expect(formatPath(['a', 'b c'])).toBe('a["b c"]');
  expect(formatPath(['a', 'x'.repeat(500)]).length).toBeLessThan(90);
});

test('a value is shown shortened on one line, and a large one never whole', () => {
  expect(show('a"b\n')).toBe('"a\\"b\\n"');
  expect(show(null)).toBe('null');
  expect(show([1])).toBe('an array of 1 item');
  expect(show({ key: 'secret' })).toBe('an object');
  for (const value of ['x'.repeat(10_000), '\u0001'.repeat(10_000), '"'.repeat(60)]) {
    expect(show(value).length).toBeLessThanOrEqual(80);
  }
});

test('the intended shape is explained at any depth of alternatives', () => {
  const inner = z.union([text(), z.array(z.object({ kind: oneOf(['a', 'b']) }, 'an object'))], 'a string or an array');
  const validate = bodyValidator(
    z.object({ outer: z.union([integerFrom(1), z.array(inner)], 'a number or an array') }),
  );
  expect(validate({ outer: 1 })).toBeNull();
  expect(validate({ outer: [[{ kind: 'a' }]] })).toBeNull();
  expect(validate({ outer: [[{ kind: 'c' }]] })?.message).toBe('outer[0][0].kind must be one of "a", "b"; got "c"');
  expect(validate({ outer: 0 })?.details).toEqual({
    message: 'outer must be a number or an array; got 0',
    param: 'outer',
  });
});

test('a record reports its first invalid entry only', () => {
  const validate = bodyValidator(z.object({ biases: recordOf(integerFrom(0, 9), 'an object') }));
  expect(validate({ biases: { a: 1, b: 10, c: 'x' } })?.message).toBe(
    'biases.b must be an integer from 0 to 9; got 10',
  );
});

test('a rule between fields does not hide an earlier invalid field', () => {
  const rule = { field: 'b', message: 'b needs a', holds: (body: Readonly<Record<string, unknown>>) => 'a' in body };
  const validate = bodyValidator(z.object({ a: text().nullish(), b: text().nullish(), c: text().nullish() }), [rule]);
  expect(validate({ a: 'x', b: 'x' })).toBeNull();
  expect(validate({ b: 'x' })?.message).toBe('b needs a');
  expect(validate({ c: 5 })?.message).toBe('b needs a');
  expect(validate({ b: 5 })?.message).toBe('b must be a string; got 5');
});
