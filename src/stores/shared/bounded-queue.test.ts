import { expect, test } from 'bun:test';
import { BoundedQueue } from './bounded-queue.ts';

test('items leave in the order in which they entered', () => {
  const queue = new BoundedQueue<number>(10);
  for (const item of [1, 2, 3, 4]) queue.push(item);
  expect(queue.peek(3)).toEqual([1, 2, 3]);
  queue.remove(3);
  queue.push(5);
  expect(queue.peek(10)).toEqual([4, 5]);
});

test('a full queue drops its oldest item and reports it', () => {
  const queue = new BoundedQueue<number>(2);
  expect([1, 2, 3, 4, 5].map((item) => queue.push(item))).toEqual([true, true, false, false, false]);
  expect(queue.peek(10)).toEqual([4, 5]);
});

test('its counts add up, whatever was removed or dropped', () => {
  const queue = new BoundedQueue<number>(3);
  for (let item = 0; item < 100; item++) {
    queue.push(item);
    if (item % 7 === 0) queue.remove(2);
    expect(queue.length).toBeLessThanOrEqual(3);
    expect(queue.added).toBe(item + 1);
    expect(queue.added - queue.removed).toBe(queue.length);
    expect(queue.peek(10)).toHaveLength(queue.length);
  }
});
