import { expect, test } from 'bun:test';
import { until } from '../../domain/testing/until.ts';
import { BatchQueue } from './batch-queue.ts';

const clock = { nowMs: () => 0, monotonicMs: () => performance.now() };
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Returns a queue whose writes are completed by the test. */
function queueOf(capacity: number) {
  const writes: { batch: readonly number[]; isRetry: boolean; end: (error?: Error) => void }[] = [];
  const write = (batch: readonly number[], isRetry: boolean) =>
    new Promise<void>((resolve, reject) => {
      writes.push({ batch, isRetry, end: (error) => (error === undefined ? resolve() : reject(error)) });
    });
  return { queue: new BatchQueue<number>({ write, clock, logger: SILENT, capacity }), writes };
}

test('items added while a batch is written wait for the next batch', async () => {
  const { queue, writes } = queueOf(10);
  queue.append(1);
  const first = queue.flush();
  queue.append(2);
  const second = queue.flush();
  writes[0]?.end();
  await first;
  await until('the next one is written', () => writes.length === 2);
  writes[1]?.end();
  await second;
  expect(writes.map(({ batch }) => batch)).toEqual([[1], [2]]);
});

test('an item dropped while it is written frees its room once', async () => {
  const { queue, writes } = queueOf(2);
  queue.append(1);
  queue.append(2);
  const first = queue.flush();
  queue.append(3);
  writes[0]?.end();
  await first;
  const second = queue.flush();
  writes[1]?.end();
  await second;
  expect(writes.map(({ batch }) => batch)).toEqual([[1, 2], [3]]);
});

test('a failed batch is retried and marked as tried', async () => {
  const { queue, writes } = queueOf(10);
  queue.append(1);
  const failing = queue.flush();
  writes[0]?.end(new Error('no answer'));
  await expect(failing).rejects.toThrow('no answer');
  queue.append(2);
  const again = queue.flush();
  writes[1]?.end();
  await again;
  queue.append(3);
  const after = queue.flush();
  writes[2]?.end();
  await after;
  expect(writes.map(({ batch, isRetry }) => [batch, isRetry])).toEqual([
    [[1], false],
    [[1, 2], true],
    [[3], false],
  ]);
});

test('the figures count items that are not written and items that were dropped', async () => {
  const { queue, writes } = queueOf(2);
  for (const item of [1, 2, 3]) queue.append(item);
  const flushed = queue.flush();
  expect(queue.figures).toMatchObject({ waiting: 2, capacity: 2, dropped: 1, failedWrites: 0 });
  writes[0]?.end();
  await flushed;
  expect(queue.figures).toMatchObject({ waiting: 0, lateMs: 0, dropped: 1 });
});
