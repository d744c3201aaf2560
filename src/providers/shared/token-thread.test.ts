import { expect, test } from 'bun:test';
import { TokenThread } from './token-thread.ts';
import { Tokenizer } from './tokenizer.ts';

const PROSE = ' The cat sat on the mat and looked at the rain.';

test('the thread counts like the tokenizer, without blocking the caller', async () => {
  const thread = new TokenThread();
  await thread.count('acme', () => ['warm']);
  let isTurning = false;
  setImmediate(() => {
    isTurning = true;
  });
  const counted = await thread.count('acme', () => [PROSE.repeat(10_000), 'end']);
  const tokenizer = await Tokenizer.load();
  expect(counted).toBe(tokenizer.count(PROSE.repeat(10_000)) + tokenizer.count('end'));
  expect(isTurning).toBe(true);
});

test('the thread extrapolates a text over a megabyte from its beginning', async () => {
  const times = 50_000;
  const counted = await new TokenThread().count('acme', () => [PROSE.repeat(times)]);
  expect((counted ?? 0) / (12 * times)).toBeWithin(0.9, 1.1);
});

test('owners take turns', async () => {
  const thread = new TokenThread();
  const order: string[] = [];
  const ask = (owner: string) => thread.count(owner, () => [PROSE]).then(() => order.push(owner));
  await Promise.all([ask('a'), ask('a'), ask('a'), ask('b'), ask('c')]);
  expect(order.indexOf('c')).toBeLessThan(order.lastIndexOf('a'));
});

test('a count is null at once if an owner has many texts queued, and soon if it takes long', async () => {
  const thread = new TokenThread();
  const long = () => [PROSE.repeat(20_000)];
  const waiting = Array.from({ length: 33 }, () => thread.count('acme', long, 1));
  expect(await thread.count('acme', long, 60_000)).toBeNull();
  expect(await thread.count('other', () => [PROSE])).toBe(12);
  expect((await Promise.all(waiting)).slice(1)).toEqual(Array.from({ length: 32 }, () => null));
});

test('the count of texts that cannot be loaded is null', async () => {
  const thread = new TokenThread();
  const broken = () => {
    throw new Error('no texts');
  };
  expect(await thread.count('acme', broken)).toBeNull();
  expect(await thread.count('acme', () => [PROSE])).toBe(12);
});
