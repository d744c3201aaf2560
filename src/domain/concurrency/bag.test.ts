import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Bag, type Bagged, NOWHERE } from './bag.ts';

interface Member extends Bagged {
  readonly id: number;
}

test('a bag holds what a set would, whatever comes and goes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 20 }))), (steps) => {
      const members = Array.from({ length: 21 }, (_, id): Member => ({ id, place: NOWHERE }));
      const bag = new Bag<Member>();
      const set = new Set<Member>();
      for (const [comes, id] of steps) {
        const member = members[id];
        if (member === undefined) continue;
        if (!comes) bag.delete(member);
        else if (!set.has(member)) bag.add(member);
        if (comes) set.add(member);
        else set.delete(member);
        expect(bag.size).toBe(set.size);
      }
      expect(new Set(bag)).toEqual(set);
    }),
  );
});

test('a member of another bag is left where it is', () => {
  const [one, other] = [new Bag<Member>(), new Bag<Member>()];
  const members = [0, 1].map((id): Member => ({ id, place: NOWHERE }));
  for (const member of members) one.add(member);
  const stranger: Member = { id: 2, place: NOWHERE };
  other.add(stranger);
  one.delete(stranger);
  expect([one.size, other.size]).toEqual([2, 1]);
});
