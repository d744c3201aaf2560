import { expect, test } from 'bun:test';
import { Turns } from './turns.ts';

test('work under one name runs in order, even after failures, and does not wait for other names', async () => {
  const turns = new Turns();
  const began: string[] = [];
  const first = Promise.withResolvers<void>();
  const work =
    (name: string, until: Promise<void> = Promise.resolve()) =>
    async () => {
      began.push(name);
      await until;
      return name;
    };
  const running = [
    turns.run('a', work('a1', first.promise)).catch(() => 'failed'),
    turns.run('a', work('a2')),
    turns.run('b', work('b1')),
  ];
  expect(await running[2]).toBe('b1');
  expect(began).toEqual(['a1', 'b1']);
  first.reject(new Error('on purpose'));
  expect(await Promise.all(running)).toEqual(['failed', 'a2', 'b1']);
  expect(await turns.run('a', work('a3'))).toBe('a3');
  expect(began).toEqual(['a1', 'b1', 'a2', 'a3']);
});
