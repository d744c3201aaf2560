import { expect, test } from 'bun:test';
import { Slots } from './slots.ts';

const never = new AbortController().signal;

test('lets so many in, then so many wait, in order; the rest are turned away', async () => {
  const slots = new Slots(1, 2);
  const order: string[] = [];
  const release = await slots.acquire(never);
  const enter = async (name: string) => {
    const leave = await slots.acquire(never);
    order.push(leave === null ? `${name} turned away` : name);
    leave?.();
  };
  const all = Promise.all([enter('a'), enter('b'), enter('c')]);
  await Bun.sleep(0);
  expect(order).toEqual(['c turned away']);
  release?.();
  await all;
  expect(order).toEqual(['c turned away', 'a', 'b']);
});

test('whoever stops waiting leaves no gap', async () => {
  const slots = new Slots(1, 1);
  const release = await slots.acquire(never);
  const impatient = new AbortController();
  const waiting = slots.acquire(impatient.signal).catch((reason: unknown) => reason);
  impatient.abort('gone');
  expect(await waiting).toBe('gone');
  expect(await slots.acquire(impatient.signal).catch((reason: unknown) => reason)).toBe('gone');
  const next = slots.acquire(never);
  release?.();
  expect(await next).toBeFunction();
});
