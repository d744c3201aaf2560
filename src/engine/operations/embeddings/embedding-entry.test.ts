import { expect, test } from 'bun:test';
import type { EmbeddingVector } from '../../../domain/embeddings/embeddings.ts';
import { atOnce } from '../../../formats/shared/request/steps.ts';
import { EMBEDDING_ENTRY } from './embedding-entry.ts';

const FLOATS = [0.5, -0, 1.401298464324817e-45, 3.4028234663852886e38, -1.1754943508222875e-38, 0.10000000149011612];
const DOUBLES = [0.1, -0, 5e-324, 1.7976931348623157e308, -1 / 3, 0.0023064255];

const counted = (
  vectors: readonly EmbeddingVector[],
  tokens: number | null = 7,
  model: string | null = 'their-modèl',
) => ({
  answer: { vectors, tokens, model },
  tokens: 7,
});
const there = (vectors: readonly EmbeddingVector[]) => atOnce(EMBEDDING_ENTRY.encode(counted(vectors)));
const back = (bytes: Uint8Array) => atOnce(EMBEDDING_ENTRY.decode(bytes));

test.each([
  ['float32', FLOATS],
  ['float64', DOUBLES],
])('%s numbers are restored to the last bit', (_, numbers) => {
  const bytes = there([numbers, numbers.toReversed()]);
  // Stores return views into larger buffers.
  const within = new Uint8Array(bytes.length + 3);
  within.set(bytes, 3);
  const { answer, tokens } = back(within.subarray(3));
  expect(answer.vectors.map((vector) => [...vector])).toEqual([numbers, numbers.toReversed()]);
  expect([answer.tokens, answer.model, tokens]).toEqual([7, 'their-modèl', 7]);
});

test('a float32 takes four bytes, even in lists of doubles that fit', () => {
  const head = there([[0.5]]).length;
  expect(there([Array.from({ length: 101 }, () => 0.5)]).length - head).toBeLessThanOrEqual(408);
  expect(there([new Float32Array(101)]).length - head).toBeLessThanOrEqual(408);
  expect(there([Array.from({ length: 101 }, () => 0.1)]).length - head).toBeGreaterThan(796);
  expect(there([[0.5], [0.1]]).length - head).toBeGreaterThanOrEqual(8);
});

test('values that the upstream did not report stay null', () => {
  const { answer, tokens } = back(atOnce(EMBEDDING_ENTRY.encode(counted([[1]], null, null))));
  expect([answer.tokens, answer.model, tokens]).toEqual([null, null, 7]);
});

test('a response with more than vectors is not cacheable', () => {
  const { answer, tokens } = counted([
    [1, 2],
    [3, 4],
  ]);
  expect(EMBEDDING_ENTRY.fits({ answer, tokens })).toBe(true);
  expect(EMBEDDING_ENTRY.fits({ answer: { ...answer, hasMore: true }, tokens })).toBe(false);
  expect(EMBEDDING_ENTRY.sizeOf({ answer, tokens })).toBe(16);
});
