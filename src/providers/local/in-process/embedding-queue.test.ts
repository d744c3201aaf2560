import { expect, test } from 'bun:test';
import { EmbeddingJob } from './embedding-job.ts';
import { EmbeddingQueue } from './embedding-queue.ts';

const jobOf = (characters = 100) => new EmbeddingJob(['x'.repeat(characters)]);

test('owners take turns, and so do the requests of one owner', () => {
  const queue = new EmbeddingQueue();
  const [first, second, other] = [jobOf(), jobOf(), jobOf()];
  queue.add('many', first);
  queue.add('many', second);
  queue.add('one', other);
  const taken = Array.from({ length: 6 }, () => queue.take());
  expect(taken).toEqual([first, other, second, other, first, other]);
  queue.remove(other);
  expect([queue.take(), queue.take()]).toEqual([second, first]);
  queue.remove(first);
  queue.remove(second);
  expect(queue.take()).toBeNull();
});

test('one owner may have half of the queue, and learns when to retry', () => {
  const queue = new EmbeddingQueue();
  expect(queue.add('many', jobOf(300_000))).toBeNull();
  expect(queue.add('many', jobOf(100_000))).toBeNull();
  expect(queue.add('many', jobOf(1))).toEqual({ kind: 'busy', isOwn: true, retryAfterS: 50 });
  expect(queue.add('second', jobOf(300_000))).toBeNull();
  expect(queue.add('third', jobOf(100_001))).toEqual({ kind: 'busy', isOwn: false, retryAfterS: 60 });
  expect(queue.add('third', jobOf(100_000))).toBeNull();
  expect(queue.figures).toMatchObject({ waiting: 800_000, capacity: 800_000, dropped: 1 });
});

test('many short texts count by the time they take', () => {
  const queue = new EmbeddingQueue();
  const short = () => new EmbeddingJob(Array.from({ length: 2_048 }, () => 'x'));
  const added = Array.from({ length: 4 }, () => queue.add('many', short()));
  expect(added.map((busy) => busy?.kind ?? 'in')).toEqual(['in', 'in', 'in', 'busy']);
});
