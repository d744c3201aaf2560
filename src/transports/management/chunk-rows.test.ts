import { expect, test } from 'bun:test';
import { ChunkRows } from './chunk-rows.ts';

const KB = 1_000;

test('a few rows are read first, and then as many as fit by what these came to', () => {
  const chunk = new ChunkRows();
  expect(chunk.next(1_000 * KB)).toBe(5);
  chunk.add(5, 500 * KB);
  expect(chunk.next(500 * KB)).toBe(5);
  chunk.add(5, 700 * KB);
  expect(chunk.next(10 * KB)).toBe(1);
});

test('behind small rows a chunk grows step by step, and to 100 rows at most', () => {
  const chunk = new ChunkRows();
  const sizes = [1, 2, 3, 4].map(() => {
    const rows = chunk.next(1_000 * KB);
    chunk.add(rows, rows);
    return rows;
  });
  expect(sizes).toEqual([5, 50, 100, 100]);
});
