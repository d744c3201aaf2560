import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { SmoothRotation } from './smooth-rotation.ts';
import { seededRandom } from './testing/seeded-random.ts';

interface Candidate {
  readonly id: string;
  readonly weight: number;
}

const A = { id: 'a', weight: 5 };
const B = { id: 'b', weight: 3 };
const C = { id: 'c', weight: 2 };

function turn(rotation: SmoothRotation, candidates: readonly Candidate[]): string {
  return rotation.choose(
    candidates,
    ({ id }) => id,
    ({ weight }) => weight,
  ).id;
}

function turns(rotation: SmoothRotation, candidates: readonly Candidate[], count: number): string[] {
  return Array.from({ length: count }, () => turn(rotation, candidates));
}

function split(rotation: SmoothRotation, candidates: readonly Candidate[], count: number): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(candidates.map(({ id }) => [id, 0]));
  for (const id of turns(rotation, candidates, count)) counts[id] = (counts[id] ?? 0) + 1;
  return counts;
}

function expectNear(counts: Record<string, number>, expected: Record<string, number>, tolerance = 2): void {
  for (const [id, count] of Object.entries(expected)) {
    expect(Math.abs((counts[id] ?? 0) - count)).toBeLessThanOrEqual(tolerance);
  }
}

test('the rotation splits 1,000 turns 5:3:2 to within two, wherever it starts', () => {
  for (let seed = 0; seed < 200; seed++) {
    expectNear(split(new SmoothRotation(seededRandom(seed)), [A, B, C], 1_000), { a: 500, b: 300, c: 200 });
  }
});

test('the rotation does not send runs to one candidate', () => {
  const order = turns(new SmoothRotation(() => 0.5), [A, B, C], 10).join('');
  expect(order).toBe('abcaabacba');
});

test('the rotation splits 3:2 without one candidate, and 5:3:2 at once when it is back', () => {
  const rotation = new SmoothRotation(seededRandom(7));
  turns(rotation, [A, B, C], 137);
  expectNear(split(rotation, [B, C], 1_000), { b: 600, c: 400 });
  expectNear(split(rotation, [A, B, C], 1_000), { a: 500, b: 300, c: 200 });
});

test('the rotation carries no debt over when weights change', () => {
  const rotation = new SmoothRotation(seededRandom(1));
  turns(rotation, [{ id: 'a', weight: 1_000_000 }, B, C], 999);
  expectNear(split(rotation, [A, B, C], 1_000), { a: 500, b: 300, c: 200 });
});

test('the rotation chooses weight 0 only if nothing else is left, then evenly', () => {
  const idle = ['x', 'y'].map((id) => ({ id, weight: 0 }));
  for (let seed = 0; seed < 50; seed++) {
    const rotation = new SmoothRotation(seededRandom(seed));
    expect(split(rotation, [...idle, A, B, C], 100)).toMatchObject({ x: 0, y: 0 });
    expectNear(split(rotation, idle, 100), { x: 50, y: 50 }, 1);
  }
});

test('the rotation is the same under the same seed and differs between seeds', () => {
  const order = (seed: number) => turns(new SmoothRotation(seededRandom(seed)), [A, B, C], 50).join('');
  expect(order(42)).toBe(order(42));
  expect(new Set(Array.from({ length: 20 }, (_, seed) => order(seed))).size).toBeGreaterThan(5);
});

test('the rotation forgets removed candidates', () => {
  let drawn = 0;
  const rotation = new SmoothRotation(() => {
    drawn++;
    return 0.5;
  });
  turns(rotation, [A, B], 1);
  turns(rotation, [B, C], 3_000);
  expect(drawn).toBe(3);
  turns(rotation, [A, B], 1);
  expect(drawn).toBe(4);
});

test('the rotation refuses an empty list', () => {
  expect(() => turn(new SmoothRotation(() => 0), [])).toThrow(RangeError);
});

test('the rotation splits by any weights, fractions too, to within a few requests', () => {
  const weights = fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(weights, fc.integer(), (chosen, seed) => {
      const candidates = chosen.map((weight, at) => ({ id: `${at}`, weight }));
      const total = chosen.reduce((sum, weight) => sum + weight, 0);
      const counts = split(new SmoothRotation(seededRandom(seed)), candidates, 500);
      const expected = Object.fromEntries(candidates.map(({ id, weight }) => [id, (500 * weight) / total]));
      expectNear(counts, expected, candidates.length);
    }),
  );
});

test('the rotation never starves candidates that come and go', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = seededRandom(seed);
      const rotation = new SmoothRotation(random);
      const owed: Record<string, number> = { a: 0, b: 0, c: 0 };
      for (let call = 0; call < 2_000; call++) {
        const present = [A, B, C].filter(() => random() < 0.7);
        if (present.length === 0) continue;
        const total = present.reduce((sum, { weight }) => sum + weight, 0);
        for (const { id, weight } of present) owed[id] = (owed[id] ?? 0) + weight / total;
        const id = turn(rotation, present);
        owed[id] = (owed[id] ?? 0) - 1;
      }
      for (const credit of Object.values(owed)) expect(Math.abs(credit)).toBeLessThan(4);
    }),
    { numRuns: 30 },
  );
});

test('a copy makes the next choices of the rotation, and leaves it as it was', () => {
  const rotation = new SmoothRotation(seededRandom(7));
  const candidates = ['a', 'b', 'c'];
  const chooseFrom = (one: SmoothRotation) => one.choose(candidates, String, (name) => name.charCodeAt(0) - 90);
  for (let round = 0; round < 50; round++) {
    const expected = chooseFrom(rotation.copy(candidates));
    expect(chooseFrom(rotation.copy(candidates))).toBe(expected);
    expect(chooseFrom(rotation)).toBe(expected);
  }
});
