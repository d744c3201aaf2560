import { expect, test } from 'bun:test';
import { Slots } from './slots.ts';

const never = new AbortController().signal;
const all = (running: number, waiting: number) =>
  new Slots({ running, runningPerAccount: running, waiting, waitingPerAccount: waiting });

test('requests up to the limit run, then wait in order, and the rest are refused', async () => {
  const slots = all(1, 2);
  const order: string[] = [];
  const release = await slots.acquire('acme', never);
  const enter = async (name: string) => {
    const leave = await slots.acquire('acme', never);
    order.push(leave === null ? `${name} turned away` : name);
    leave?.();
  };
  const entering = Promise.all([enter('a'), enter('b'), enter('c')]);
  await Bun.sleep(0);
  expect(order).toEqual(['c turned away']);
  release?.();
  await entering;
  expect(order).toEqual(['c turned away', 'a', 'b']);
});

test('a request that stops waiting leaves no gap', async () => {
  const slots = all(1, 1);
  const release = await slots.acquire('acme', never);
  const impatient = new AbortController();
  const waiting = slots.acquire('acme', impatient.signal).catch((reason: unknown) => reason);
  impatient.abort('gone');
  expect(await waiting).toBe('gone');
  expect(await slots.acquire('acme', impatient.signal).catch((reason: unknown) => reason)).toBe('gone');
  const next = slots.acquire('acme', never);
  release?.();
  expect(await next).toBeFunction();
});

test('an account runs and waits within its share, and leaves the rest to others', async () => {
  const slots = new Slots({ running: 4, runningPerAccount: 2, waiting: 4, waitingPerAccount: 2 });
  const mine = [await slots.acquire('a', never), await slots.acquire('a', never)];
  const waiting = [slots.acquire('a', never), slots.acquire('a', never)];
  expect(await slots.acquire('a', never)).toBeNull();
  expect(await slots.acquire('b', never)).toBeFunction();
  const theirs = await slots.acquire('b', never);
  // All slots are taken, so further accounts wait and take turns.
  const turns: string[] = [];
  const enter = (name: string, place: Promise<(() => void) | null>) => place.then(() => turns.push(name));
  const entered = [
    enter('a1', waiting[0] ?? Promise.resolve(null)),
    enter('a2', waiting[1] ?? Promise.resolve(null)),
    enter('c1', slots.acquire('c', never)),
    enter('c2', slots.acquire('c', never)),
  ];
  mine[0]?.();
  mine[1]?.();
  theirs?.();
  await Promise.all(entered.slice(0, 3));
  expect(turns).toEqual(['a1', 'c1', 'a2']);
});

test('nothing is kept for an account that neither runs nor waits', async () => {
  const slots = all(1, 1);
  for (let round = 0; round < 100; round++) (await slots.acquire(`account ${round}`, never))?.();
  expect(Object.values(slots).filter((value) => value instanceof Map && value.size > 0)).toEqual([]);
});
