import { expect, test } from 'bun:test';
import { ChunkRows } from './list.ts';

const KB = 1_000;

test('the first chunk is small, and later ones fit the measured size of rows', () => {
  const chunk = new ChunkRows();
  expect(chunk.next(1_000 * KB)).toBe(5);
  chunk.add(5, 500 * KB);
  expect(chunk.next(500 * KB)).toBe(5);
  chunk.add(5, 700 * KB);
  expect(chunk.next(10 * KB)).toBe(1);
});

test('chunks of small rows grow step by step, up to 100 rows', () => {
  const chunk = new ChunkRows();
  const sizes = [1, 2, 3, 4].map(() => {
    const rows = chunk.next(1_000 * KB);
    chunk.add(rows, rows);
    return rows;
  });
  expect(sizes).toEqual([5, 50, 100, 100]);
});
