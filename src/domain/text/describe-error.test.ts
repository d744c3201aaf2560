import { expect, test } from 'bun:test';
import { expectLinear } from '../../../tools/test/linear.ts';
import { describeError } from './describe-error.ts';

test('an exception is described without the keys in its message, with the place where it was thrown', () => {
  const { error, stack } = describeError(
    new TypeError('Invalid URL: "/v1beta/models?key=sk-abc_123-X&x=1" of Bearer zzz'),
  );
  expect(error).toBe('TypeError: Invalid URL: "/v1beta/models?…" of Bearer …');
  expect(stack).toContain('describe-error.test.ts');
  expect(stack).not.toContain('sk-abc');
});

test.each([
  ['the key sk-abc-123 was refused', 'the key sk-… was refused'],
  ['mt-secret.', 'mt-…'],
  [undefined, 'undefined'],
  [{ a: 1 }, '[object Object]'],
])('a thrown non-error is described: %p', (thrown, error) => {
  expect(describeError(thrown)).toEqual({ error });
});

test('the length of a message and the work on it are bounded', () => {
  expectLinear(
    1_000_000,
    (count) => new Error('?'.repeat(count)),
    (error) => expect(describeError(error).error.length).toBeLessThan(600),
  );
});
