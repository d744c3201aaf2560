import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Failure } from '../../../src/domain/failure/failure.ts';
import type { Scripted } from '../../../src/engine/call/testing/fake-upstream.ts';
import { TaskCanceller } from '../../../src/engine/tasks/cancel-task.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { COST, TaskBed, type TaskNode } from './task-bed.ts';

/* Cancellation: what the client is told, what the row says, and that the money is released or charged exactly once. */

const json = (body: unknown, status = 200): Scripted => ({ status, pieces: [JSON.stringify(body)] });
const gone = (): Scripted => ({ status: 204, pieces: [''] });
const PENDING = json({ id: 'job', status: 'PENDING' });
const RUNNING = json({ id: 'job', status: 'RUNNING', progress: 0.5 });
const DONE = json({ id: 'job', status: 'SUCCEEDED', output: ['https://files.example/v.mp4'] });

let bed: TaskBed;
let node: TaskNode;
let canceller: TaskCanceller;

beforeEach(async () => {
  bed = await TaskBed.open();
  node = await bed.node({ pollIntervalMs: 60_000 });
  canceller = new TaskCanceller(node.ports);
});
afterEach(closeTestStores);

/** Answers polls with `state`, and requests to cancel with `cancel`. */
function answers(state: Scripted, cancel: () => Scripted | Failure | Promise<Scripted | Failure>): void {
  bed.answer = ({ method }) => (method === 'GET' ? state : cancel());
}

const cancels = () => bed.asked.filter((one) => !one.startsWith('GET'));
const linesOf = (line: string) => bed.lines.filter((one) => one === line).length;

async function expectCancelled(id: string): Promise<void> {
  expect(await bed.task(id)).toMatchObject({ stage: 'failed', costNanoUsd: 0n, ending: { failureKind: 'cancelled' } });
  expect(await bed.money()).toEqual({ spent: 0n, held: 0n });
  expect(bed.records).toMatchObject([{ status: 499, failureKind: 'cancelled' }]);
  expect(linesOf('task cancelled')).toBe(1);
}

async function expectGoesOn(id: string): Promise<void> {
  expect(await bed.task(id)).toMatchObject({ stage: 'submitted', ending: null });
  expect(await bed.money()).toEqual({ spent: 0n, held: COST });
}

function kindOf(result: unknown): string | null {
  return result instanceof Failure ? result.kind : null;
}

describe('a queued job', () => {
  test('is cancelled at the provider, and its money is released once', async () => {
    const id = await node.submitted('runway', 'job');
    answers(PENDING, gone);
    expect(await canceller.cancel(id, 'acme')).toMatchObject({ id, stage: 'failed' });
    expect(bed.asked).toEqual(['GET /v1/tasks/job', 'DELETE /v1/tasks/job']);
    await expectCancelled(id);
    // Again: the task is returned as it is, and the provider is not asked.
    expect(await canceller.cancel(id, 'acme')).toMatchObject({ stage: 'failed' });
    await bed.pass(5_000);
    expect(cancels()).toHaveLength(1);
    await expectCancelled(id);
  });

  test('of another account is not found, and nobody is asked', async () => {
    const id = await node.submitted('runway', 'job');
    answers(PENDING, gone);
    expect(await canceller.cancel(id, 'other')).toMatchObject({ code: 'async_task_not_found' });
    expect(await canceller.cancel(`task_${'x'.repeat(32)}`, 'acme')).toMatchObject({ code: 'async_task_not_found' });
    expect(bed.asked).toEqual([]);
    await expectGoesOn(id);
  });

  test('goes on if the provider refuses, and is charged when it is made', async () => {
    const id = await node.submitted('runway', 'job');
    answers(PENDING, () => json({ error: 'not now' }, 400));
    const refused = await canceller.cancel(id, 'acme');
    expect(refused).toMatchObject({
      code: 'conflict',
      kind: 'cancel_refused',
      message: expect.stringContaining('not now'),
    });
    await expectGoesOn(id);
    expect(await bed.task(id)).toMatchObject({ cancelAskedAtMs: null });
    answers(DONE, gone);
    await bed.pass(61_000);
    expect(await bed.task(id)).toMatchObject({ stage: 'completed', costNanoUsd: COST });
    expect(await bed.money()).toEqual({ spent: COST, held: 0n });
  });

  test('that has finished meanwhile is not deleted at the provider', async () => {
    const id = await node.submitted('runway', 'job');
    answers(DONE, gone);
    expect(kindOf(await canceller.cancel(id, 'acme'))).toBe('task_over');
    expect(cancels()).toEqual([]);
    await bed.pass(61_000);
    expect(await bed.money()).toEqual({ spent: COST, held: 0n });
    expect(await canceller.cancel(id, 'acme')).toMatchObject({ code: 'conflict', kind: 'task_over' });
  });
});

test('a job that has begun on a shared channel goes on, since the provider may bill what it has done', async () => {
  const id = await node.submitted('runway', 'job');
  answers(RUNNING, gone);
  expect(kindOf(await canceller.cancel(id, 'acme'))).toBe('job_has_begun');
  expect(cancels()).toEqual([]);
  await expectGoesOn(id);
});

test('a provider that cannot cancel jobs is not asked', async () => {
  const id = await node.submitted('xai', 'job');
  const refused = await canceller.cancel(id, 'acme');
  expect(refused).toMatchObject({ code: 'conflict', status: 409, kind: 'cancel_unsupported' });
  expect(bed.asked).toEqual([]);
  await expectGoesOn(id);
});

test('a job without an answer to the request to cancel ends as the provider says later', async () => {
  const id = await node.submitted('volcengine', 'job');
  answers(json({ id: 'job', status: 'queued' }), () => json({}, 502));
  expect(await canceller.cancel(id, 'acme')).toMatchObject({ code: 'upstream_error' });
  await expectGoesOn(id);
  answers(json({ id: 'job', status: 'cancelled' }), gone);
  await bed.pass(8_000);
  await expectCancelled(id);
});

test('after a crash between the two requests the task still ends as cancelled, by another process', async () => {
  const id = await node.submitted('runway', 'job');
  answers(PENDING, () => new Promise(() => undefined));
  void canceller.cancel(id, 'acme');
  for (let turn = 0; cancels().length === 0 && turn < 100; turn++) await bed.pass(50);
  expect(cancels()).toHaveLength(1);
  node.isAsleep = true;
  await bed.node({ pollIntervalMs: 1_000 });
  // Runway does not know a cancelled task any more.
  answers(json({ error: 'not found' }, 404), gone);
  await bed.leap(32_000);
  await bed.pass(60_000);
  await expectCancelled(id);
});

describe('several processes', () => {
  test('ask the provider once, and end the task once', async () => {
    const other = await bed.node({ pollIntervalMs: 60_000 });
    const id = await node.submitted('runway', 'job');
    answers(PENDING, gone);
    const second = new TaskCanceller(other.ports);
    const all = [canceller, second, canceller, second].map((one) => one.cancel(id, 'acme'));
    const results = await Promise.all(all);
    expect(results.filter((one) => one instanceof Failure)).toEqual([]);
    expect(cancels()).toHaveLength(1);
    await bed.pass(3_000);
    await expectCancelled(id);
  });

  test('settle a task once if its result and its cancellation race', async () => {
    const id = await node.submitted('runway', 'job');
    let isPolled = false;
    answers(PENDING, async () => {
      // The process that follows the task sees the result while the provider answers.
      bed.answer = () => DONE;
      await bed.pass(61_000);
      isPolled = true;
      return gone();
    });
    const result = await canceller.cancel(id, 'acme');
    expect(isPolled).toBe(true);
    expect(kindOf(result)).toBe('task_over');
    expect(await bed.task(id)).toMatchObject({ stage: 'completed', costNanoUsd: COST });
    expect(await bed.money()).toEqual({ spent: COST, held: 0n });
    expect(bed.records).toHaveLength(1);
  });
});

test('an account that cancels very many tasks at once is told to wait, and others are not', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, (_, index) => node.submitted('runway', `job${index}`)));
  const waiting: (() => void)[] = [];
  answers(PENDING, () => new Promise((resolve) => waiting.push(() => resolve(gone()))));
  const results = ids.map((id) => canceller.cancel(id, 'acme'));
  const refused = await Promise.all(results.slice(4));
  expect(refused.map(kindOf)).toEqual(Array(4).fill('too_many_cancels'));
  while (waiting.length < 4) await bed.pass(50);
  for (const answer of waiting) answer();
  expect((await Promise.all(results.slice(0, 4))).map(kindOf)).toEqual([null, null, null, null]);
  expect(await bed.money()).toEqual({ spent: 0n, held: 4n * COST });
});

test('a cancellation that cannot be stored is not sent', async () => {
  const id = await node.submitted('runway', 'job');
  answers(PENDING, gone);
  node.tasks.fail('askToCancel');
  expect(await canceller.cancel(id, 'acme')).toMatchObject({ code: 'storage_unavailable' });
  expect(cancels()).toEqual([]);
  await expectGoesOn(id);
});
