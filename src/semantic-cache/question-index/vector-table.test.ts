import { describe, expect, test } from 'bun:test';
import { cosineOf, direction, near, randomFrom } from './testing/vectors.ts';
import { VectorTable } from './vector-table.ts';

/** Returns a table with these vectors, and their slots in the order of the list. */
function tableOf(vectors: readonly Float32Array[]): { table: VectorTable; slots: readonly number[] } {
  const table = new VectorTable(vectors[0]?.length ?? 0);
  const slots = vectors.map((vector) => table.add(vector) ?? -1);
  expect(slots).toEqual(vectors.map((_, place) => place));
  return { table, slots };
}

/** Fails unless the table finds the `most` nearest vectors that brute force finds, apart from swaps due to rounding. */
function expectRecall(vectors: readonly Float32Array[], query: Float32Array, of: { most: number; least: number }) {
  const { table, slots } = tableOf(vectors);
  const rounding = query.length < 100 ? 0.004 : 0.001;
  const exact = vectors.map((vector) => cosineOf(vector, query));
  const found = table.nearest(slots, query, of);
  for (const { slot, cosine } of found) expect(Math.abs(cosine - (exact[slot] ?? 0))).toBeLessThan(rounding);
  const isFound = new Set(found.map(({ slot }) => slot));
  const worst = found.length < of.most ? of.least : (found.at(-1)?.cosine ?? of.least);
  const missed = exact.filter((cosine, slot) => !isFound.has(slot) && cosine > worst + 2 * rounding);
  expect(missed).toEqual([]);
  expect(found.map(({ cosine }) => cosine)).toEqual(
    found.map(({ cosine }) => cosine).sort((one, other) => other - one),
  );
}

describe('the nearest', () => {
  test.each([1, 3, 16, 256, 513, 1_536, 4_096])('of %p dimensions equals a brute-force search', (dimensions) => {
    const random = randomFrom(dimensions);
    const query = direction(dimensions, random);
    const vectors = Array.from({ length: 200 }, (_, index) => near(query, 0.5 + index / 410, random));
    expectRecall(vectors, query, { most: 5, least: 0.75 });
    expectRecall(vectors, query, { most: 1_000, least: 0.6 });
  });

  test('is found among thousands of close neighbours', () => {
    const random = randomFrom(2);
    const query = direction(512, random);
    const centre = near(query, 0.97, random);
    const vectors = Array.from({ length: 5_000 }, () => near(centre, 0.99, random));
    vectors[4_321] = near(query, 0.985, random);
    const { table, slots } = tableOf(vectors);
    expect(table.nearest(slots, query, { most: 3, least: 0.75 })[0]?.slot).toBe(4_321);
    expectRecall(vectors, query, { most: 5, least: 0.75 });
  });

  test('is found among sparse vectors', () => {
    const unit = (places: readonly number[]) => {
      const vector = new Float32Array(512);
      for (const place of places) vector[place] = 1 / Math.sqrt(places.length);
      return vector;
    };
    const vectors = Array.from({ length: 512 }, (_, place) => unit([place, (place + 1) % 512, (place + 7) % 512]));
    expectRecall(vectors, unit([40, 41, 47]), { most: 5, least: 0.75 });
    expectRecall(vectors, unit([40, 41]), { most: 5, least: 0.75 });
  });

  test('of equal vectors has the requested count, each with a cosine of 1', () => {
    const query = direction(512, randomFrom(3));
    const { table, slots } = tableOf(Array.from({ length: 5_000 }, () => query));
    const found = table.nearest(slots, query, { most: 7, least: 0.9 });
    expect(new Set(found.map(({ slot }) => slot)).size).toBe(7);
    for (const { cosine } of found) expect(cosine).toBeCloseTo(1, 3);
    expect(
      table.nearest(
        slots,
        query.map((number) => -number),
        { most: 7, least: 0.9 },
      ),
    ).toEqual([]);
  });

  test('is searched only in the given slots, after others were removed', () => {
    const random = randomFrom(4);
    const vectors = Array.from({ length: 3_000 }, () => direction(64, random));
    const { table } = tableOf(vectors);
    const [query, other] = [direction(64, random), direction(64, random)];
    table.remove(1_500);
    table.remove(20);
    const [again, newer] = [table.add(other), table.add(query)];
    expect([again, newer]).toEqual([20, 1_500]);
    const of = { most: 1, least: 0.95 };
    expect(table.nearest([0, 1_500, 20], query, of)[0]?.slot).toBe(1_500);
    expect(table.nearest([0, 20], query, of)).toEqual([]);
    expect(table.nearest([], query, of)).toEqual([]);
  });
});

describe('a zero vector', () => {
  const strange = [
    new Float32Array(16),
    new Float32Array(16).fill(Number.NaN),
    Float32Array.of(Number.POSITIVE_INFINITY, ...new Array<number>(15).fill(0)),
  ];
  const table = new VectorTable(16);
  const slot = table.add(direction(16, randomFrom(1))) ?? -1;

  test('is not stored, and nothing is near it', () => {
    for (const vector of strange) {
      expect(table.add(vector)).toBeNull();
      expect(table.nearest([slot], vector, { most: 1, least: -1 })).toEqual([]);
    }
  });

  test('is not the same as a tiny or huge one', () => {
    for (const size of [1e-44, 1e-30, 1e30]) {
      const vector = Float32Array.from({ length: 16 }, () => size);
      const added = table.add(vector);
      expect(added).not.toBeNull();
      expect(table.nearest([added ?? -1], vector, { most: 1, least: 0.99 })).toHaveLength(1);
    }
  });
});
