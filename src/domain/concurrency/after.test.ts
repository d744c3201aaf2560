import { expect, test } from 'bun:test';
import { after } from './after.ts';

const double = (value: number) => value * 2;

test('a value is passed on synchronously', () => {
  expect(after(2, double)).toBe(4);
});

test('a promise is awaited', async () => {
  const result = after(Promise.resolve(2), double);
  expect(result).toBeInstanceOf(Promise);
  expect(await result).toBe(4);
});

test('a rejection goes to `failed`, or else to the caller', async () => {
  const rejected = () => Promise.reject<number>(new Error('lost'));
  expect(await after(rejected(), double, () => 'failed')).toBe('failed');
  await expect(Promise.resolve(after(rejected(), double))).rejects.toThrow('lost');
});

test('an error of `next` is not passed to `failed`', async () => {
  const next = (): number => {
    throw new Error('wrong');
  };
  expect(() => after(2, next, () => 0)).toThrow('wrong');
  await expect(Promise.resolve(after(Promise.resolve(2), next, () => 0))).rejects.toThrow('wrong');
});
