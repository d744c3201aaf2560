import { expect, test } from 'bun:test';
import { PendingRemovals, type Removal } from './pending-removals.ts';

const invalidate = (key: string): Removal => ({ kind: 'invalidate', block: { key, id: `ce_${key}`, untilMs: 1 } });
const of = (key: string, accountId = 'acme') => ({ key, accountId });

test('a pending removal hides its entry until it is done', () => {
  const removals = new PendingRemovals();
  const [one, again, ofAcme] = [invalidate('one'), invalidate('one'), { kind: 'clear', accountId: 'acme' } as const];
  removals.add(one);
  removals.add(again);
  expect(removals.coversKey('one')).toBe(true);
  expect(removals.covers(of('two'))).toBe(false);
  removals.done(one);
  removals.done(one);
  expect(removals.coversKey('one')).toBe(true);
  removals.done(again);
  expect(removals.coversKey('one')).toBe(false);
  removals.add(ofAcme);
  expect(removals.covers(of('two'))).toBe(true);
  expect(removals.covers(of('two', 'globex'))).toBe(false);
  removals.done(ofAcme);
  expect(removals.isEmpty).toBe(true);
});

test('too many pending removals become a removal of everything', () => {
  const removals = new PendingRemovals();
  for (let index = 0; index < 10_001; index++) removals.add(invalidate(`k${index}`));
  expect(removals.all).toHaveLength(2);
  expect(removals.figures).toMatchObject({ waiting: 2, capacity: 10_000 });
  expect(removals.covers(of('another', 'globex'))).toBe(true);
  expect(removals.coversKey('k0')).toBe(true);
  for (const removal of removals.all) removals.done(removal);
  expect(removals.isEmpty).toBe(true);
  expect(removals.coversKey('k0')).toBe(false);
});
