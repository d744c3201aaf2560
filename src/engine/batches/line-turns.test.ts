import { expect, test } from 'bun:test';
import type { WaitingLine } from '../../domain/batches/batch.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import { sampleBatch } from '../ports/testing/batch-samples.ts';
import { LinePlaces } from './line-places.ts';
import { LineTurns } from './line-turns.ts';
import { OpenBatch } from './open-batch.ts';

let asked = 0;

function opened(accountId: string, id: string, lines: number): OpenBatch {
  const all = Array.from({ length: lines }, (_, index): WaitingLine => ({ number: index + 1, offset: 0, bytes: 1 }));
  const waitingLines: BatchStore['waitingLines'] = async (_id, after) => {
    asked++;
    return all.filter(({ number }) => number > after);
  };
  const stores = { batches: { waitingLines }, files: { chunk: async () => null } };
  return new OpenBatch(sampleBatch({ id, accountId }), stores, () => 0.5);
}

/** Returns the batches of the next lines, which are read from the store as needed. */
async function begun(turns: LineTurns, most: number): Promise<OpenBatch[]> {
  const found: OpenBatch[] = [];
  while (found.length < most) {
    const reads: Promise<void>[] = [];
    const next = turns.next(0, (one, read) => reads.push(read.then(() => turns.wake(one))));
    if (next !== null) found.push(next.one);
    else if (reads.length === 0) return found;
    await Promise.all(reads);
  }
  return found;
}

test('accounts take turns, and none has more lines than it may run at once', async () => {
  const turns = new LineTurns(3);
  for (let index = 0; index < 4; index++) turns.add(opened('many', `many-${index}`, 5));
  turns.add(opened('few', 'few-0', 2));
  const found = await begun(turns, 100);
  expect(found.map(({ batch }) => batch.accountId)).toEqual(['many', 'few', 'many', 'few', 'many']);
  const [first] = found;
  if (first !== undefined) turns.ended(first);
  expect((await begun(turns, 100)).map(({ batch }) => batch.accountId)).toEqual(['many']);
});

test('batches that have nothing to begin are not looked at for each line', async () => {
  const turns = new LineTurns(1_000);
  for (let index = 0; index < 500; index++) turns.add(opened('idle', `idle-${index}`, 0));
  await begun(turns, 1);
  turns.add(opened('busy', 'busy-0', 50));
  asked = 0;
  expect(await begun(turns, 50)).toHaveLength(50);
  expect(asked).toBe(1);
});

test('a line gives its place to others while it waits, and takes one again', async () => {
  let freed = 0;
  const places = new LinePlaces(1, () => freed++);
  places.take();
  const waits = Promise.withResolvers<void>();
  let isBack = false;
  const waiting = places.without(() => waits.promise).then(() => (isBack = true));
  expect([freed, places.hasFree]).toEqual([1, true]);
  places.take();
  waits.resolve();
  await Bun.sleep(0);
  expect([isBack, places.hasFree]).toEqual([false, false]);
  places.leave();
  await waiting;
  expect(places.hasFree).toBe(false);
  places.leave();
  expect(places.hasFree).toBe(true);
});

test('lines beyond a bound do not wait', async () => {
  const places = new LinePlaces(1, () => {});
  const waits = Promise.withResolvers<void>();
  const all: Promise<boolean>[] = [];
  for (let index = 0; index < 9; index++) {
    places.take();
    all.push(places.without(() => waits.promise));
  }
  expect(await all[8]).toBe(false);
  places.leave();
  waits.resolve();
  for (const one of all.slice(0, 8)) {
    expect(await one).toBe(true);
    places.leave();
  }
  expect(places.hasFree).toBe(true);
});
