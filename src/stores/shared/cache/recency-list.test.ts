import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Link, RecencyList } from './recency-list.ts';

test('each used value moves to the end', () => {
  const step = fc.tuple(fc.constantFrom('use', 'remove', 'add'), fc.nat(5));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const links = Array.from({ length: 6 }, (_, value) => new Link(value));
      const list = new RecencyList<number>();
      let expected: number[] = [];
      for (const [what, value] of steps) {
        const link = links[value] ?? expect.unreachable();
        const isThere = expected.includes(value);
        if (isThere === (what === 'add')) continue;
        if (what === 'add') list.add(link);
        else if (what === 'use') list.use(link);
        else list.remove(link);
        expected = expected.filter((other) => other !== value);
        if (what !== 'remove') expected.push(value);
        expect([...list]).toEqual(expected);
        expect(list.oldest).toBe(expected[0] ?? null);
        expect(list.isEmpty).toBe(expected.length === 0);
      }
    }),
  );
});
