import { expect, test } from 'bun:test';
import { FairQueue, type QueuePlace } from './fair-queue.ts';

function drained<Item>(queue: FairQueue<Item>, places: Map<Item, QueuePlace<Item>>): Item[] {
  const served: Item[] = [];
  for (let head = queue.head; head !== null; head = queue.head) {
    served.push(head);
    queue.remove(places.get(head) as QueuePlace<Item>);
  }
  return served;
}

test('an account with a thousand items delays an account with one by one item', () => {
  const queue = new FairQueue<string>();
  const places = new Map<string, QueuePlace<string>>();
  for (let index = 0; index < 1_000; index++) places.set(`many-${index}`, queue.add('many', `many-${index}`));
  places.set('one', queue.add('one', 'one'));
  const served = drained(queue, places);
  expect(served.slice(0, 3)).toEqual(['many-0', 'one', 'many-1']);
  expect(served).toHaveLength(1_001);
});

test('owners take turns, and each owner is served in the order of arrival', () => {
  const queue = new FairQueue<string>();
  const places = new Map<string, QueuePlace<string>>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) places.set(item, queue.add(item[0] ?? '', item));
  expect(drained(queue, places)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(queue.size).toBe(0);
});

test('an item that leaves before its turn changes nothing for the others', () => {
  const queue = new FairQueue<string>();
  const places = new Map<string, QueuePlace<string>>();
  for (const item of ['a1', 'a2', 'a3', 'b1']) places.set(item, queue.add(item[0] ?? '', item));
  queue.remove(places.get('a2') as QueuePlace<string>);
  queue.remove(places.get('a2') as QueuePlace<string>);
  expect(queue.sizeOf('a')).toBe(2);
  expect(drained(queue, places)).toEqual(['a1', 'b1', 'a3']);
});

test('the owner with the most items is found, with its latest item', () => {
  const queue = new FairQueue<string>();
  expect(queue.longest()).toBeNull();
  for (const item of ['a1', 'b1', 'b2', 'c1']) queue.add(item[0] ?? '', item);
  expect(queue.longest()).toEqual({ item: 'b2', size: 2 });
});

test('random arrivals and departures keep the size and the order of each owner', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const queue = new FairQueue<string>();
  const places = new Map<string, QueuePlace<string>>();
  const leave = (item: string) => {
    queue.remove(places.get(item) as QueuePlace<string>);
    places.delete(item);
  };
  for (let step = 0; step < 5_000; step++) {
    const what = random(5);
    const owner = `o${random(20)}`;
    if (what < 3) places.set(`${owner}:${step}`, queue.add(owner, `${owner}:${step}`));
    else if (what === 3 && queue.head !== null) leave(queue.head);
    else if (places.size > 0) leave([...places.keys()][random(places.size)] ?? '');
    const { head } = queue;
    const ofHead = `${head?.split(':')[0]}:`;
    expect(queue.size).toBe(places.size);
    expect(head).toBe([...places.keys()].find((item) => item.startsWith(ofHead)) ?? null);
  }
});
