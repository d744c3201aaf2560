import { describe, expect, test } from 'bun:test';
import { bytesOfQuestion, PartitionedQuestions } from './partitioned-questions.ts';
import { direction, randomFrom } from './testing/vectors.ts';

const DIMENSIONS = 32;
const MIB = 1024 * 1024;
const random = randomFrom(5);
const vectors = Array.from({ length: 6_000 }, () => direction(DIMENSIONS, random));
const vectorOf = (index: number) => Float32Array.from(vectors[index] ?? []);
const ONE = { most: 1, least: 0.99 };

/** Loads a partition with questions whose keys are `prefix` and the number of their vector. */
function load(questions: PartitionedQuestions, partition: string, indexes: readonly number[]): void {
  expect(questions.nearest(partition, vectorOf(0), ONE)).toBe('unknown');
  add(questions, partition, indexes);
  questions.whole(partition);
}

function add(questions: PartitionedQuestions, partition: string, indexes: readonly number[]): void {
  const keys = indexes.map((index) => `${partition}${index}`);
  questions.add({ partition, keys, vectors: Float32Array.from(indexes.flatMap((index) => [...vectorOf(index)])) });
}

function keyFound(questions: PartitionedQuestions, partition: string, index: number): string | undefined {
  const found = questions.nearest(partition, vectorOf(index), ONE);
  return typeof found === 'string' ? found : found[0]?.key;
}

describe('a partition', () => {
  test('is unknown, then loading, then searched', () => {
    const questions = new PartitionedQuestions(MIB);
    add(questions, 'a', [1]);
    expect(questions.count).toBe(0);
    expect(keyFound(questions, 'a', 1)).toBe('unknown');
    add(questions, 'a', [1, 2]);
    expect(keyFound(questions, 'a', 1)).toBe('loading');
    questions.whole('a');
    expect(keyFound(questions, 'a', 1)).toBe('a1');
    expect(keyFound(questions, 'a', 3)).toBeUndefined();
    expect(keyFound(questions, 'b', 1)).toBe('unknown');
  });

  test('returns only its own questions', () => {
    const questions = new PartitionedQuestions(MIB);
    load(questions, 'a', [1, 2]);
    load(questions, 'b', [2, 3]);
    expect([keyFound(questions, 'a', 2), keyFound(questions, 'b', 2)]).toEqual(['a2', 'b2']);
    expect(keyFound(questions, 'a', 3)).toBeUndefined();
  });

  test('stays correct under any removals and additions', () => {
    const questions = new PartitionedQuestions(16 * MIB);
    load(questions, 'a', vectors.keys().toArray());
    load(questions, 'b', [5, 6]);
    const present = new Set(vectors.keys());
    for (let step = 0; step < 6_000; step++) {
      const index = Math.floor(vectors.length * random());
      if (present.delete(index)) questions.remove([`a${index}`]);
      else {
        present.add(index);
        add(questions, 'a', [index]);
      }
      if (step % 50 > 0) continue;
      expect(questions.count).toBe(present.size + 2);
      for (const asked of [index, (7 * step) % vectors.length]) {
        expect(keyFound(questions, 'a', asked)).toBe(present.has(asked) ? `a${asked}` : undefined);
      }
    }
    questions.remove([...present].map((index) => `a${index}`));
    expect(questions.count).toBe(2);
    expect(keyFound(questions, 'b', 6)).toBe('b6');
  });

  test('has a key once, with its latest vector', () => {
    const questions = new PartitionedQuestions(MIB);
    load(questions, 'a', [1, 2]);
    questions.add({ partition: 'a', keys: ['a1', 'a1'], vectors: Float32Array.of(...vectorOf(3), ...vectorOf(4)) });
    expect(questions.count).toBe(2);
    expect([1, 3, 4].map((index) => keyFound(questions, 'a', index))).toEqual([undefined, undefined, 'a1']);
  });

  test('is unknown again after it was evicted or cleared', () => {
    const questions = new PartitionedQuestions(MIB);
    load(questions, 'a', [1]);
    load(questions, 'b', [2]);
    questions.forget('a');
    questions.forget('none');
    expect(questions.count).toBe(1);
    expect(keyFound(questions, 'b', 2)).toBe('b2');
    expect(keyFound(questions, 'a', 1)).toBe('unknown');
    questions.clear();
    questions.remove(['b2']);
    expect([questions.count, questions.bytes]).toEqual([0, 0]);
    expect(keyFound(questions, 'b', 2)).toBe('unknown');
  });
});

describe('the number of bytes', () => {
  const room = 100 * bytesOfQuestion(DIMENSIONS) + 1_000;

  test('evicts the least recently used partition', () => {
    const questions = new PartitionedQuestions(room);
    const fifty = Array.from({ length: 49 }, (_, index) => index);
    load(questions, 'a', fifty);
    load(questions, 'b', fifty);
    expect(keyFound(questions, 'a', 1)).toBe('a1');
    load(questions, 'c', fifty);
    expect(keyFound(questions, 'a', 1)).toBe('a1');
    expect(keyFound(questions, 'c', 1)).toBe('c1');
    expect(questions.bytes).toBeLessThanOrEqual(room);
    expect(keyFound(questions, 'b', 1)).toBe('unknown');
  });

  test('keeps only the newest questions of a partition that exceeds it alone', () => {
    const questions = new PartitionedQuestions(room);
    load(questions, 'other', [1]);
    load(
      questions,
      'a',
      Array.from({ length: 300 }, (_, index) => index),
    );
    expect(questions.bytes).toBeLessThanOrEqual(room);
    expect(questions.count).toBeGreaterThanOrEqual(100);
    expect([0, 150, 299].map((index) => keyFound(questions, 'a', index))).toEqual([undefined, undefined, 'a299']);
    add(questions, 'a', [0]);
    expect(keyFound(questions, 'a', 0)).toBe('a0');
  });

  test('also bounds partitions without questions', () => {
    const questions = new PartitionedQuestions(room);
    for (let index = 0; index < 5_000; index++) load(questions, `p${index}`, []);
    expect(questions.bytes).toBeLessThanOrEqual(room);
    expect(keyFound(questions, 'p4999', 1)).toBeUndefined();
  });

  test('may be zero', () => {
    const questions = new PartitionedQuestions(0);
    load(questions, 'a', [1]);
    expect(questions.count).toBe(0);
  });
});

test('vectors of another length replace all others', () => {
  const questions = new PartitionedQuestions(MIB);
  load(questions, 'a', [1]);
  const longer = direction(48, random);
  expect(questions.nearest('b', longer, ONE)).toBe('unknown');
  questions.add({ partition: 'b', keys: ['b1'], vectors: Float32Array.from(longer) });
  questions.add({ partition: 'b', keys: ['b2'], vectors: vectorOf(2) });
  questions.whole('b');
  expect(questions.nearest('b', longer, ONE)).toMatchObject([{ key: 'b1' }]);
  expect(questions.count).toBe(1);
  expect(keyFound(questions, 'a', 1)).toBe('unknown');
  expect(questions.nearest('a', new Float32Array(0), ONE)).toEqual([]);
});
