import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { isFinal } from '../../../src/domain/tasks/task.ts';
import type { Scripted } from '../../../src/engine/call/testing/fake-upstream.ts';
import { sampleDirectory } from '../../../src/engine/directory/testing/sample-directory.ts';
import { xai } from '../../../src/providers/xai/manifest.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { ASKED, begun, CHANNELS, COST, TaskBed, type TaskNode } from './task-bed.ts';

const json = (body: unknown, status = 200): Scripted => ({ status, pieces: [JSON.stringify(body)] });
const URL_OF_VIDEO = 'https://files.example/v.mp4';
const done = (seconds = 10, url = URL_OF_VIDEO) => json({ status: 'done', video: { url, duration: seconds } });
const working = (progress: number) => json({ status: 'pending', progress });
const LEASE_MS = 32_000;
const DEADLINE_MS = 121 * 60_000;

let bed: TaskBed;
let node: TaskNode;

beforeEach(async () => {
  bed = await TaskBed.open();
  node = await bed.node({ pollIntervalMs: 1_000 });
});
afterEach(closeTestStores);

async function expectCompleted(id: string, cost = COST): Promise<void> {
  const task = await bed.task(id);
  expect(task).toMatchObject({ stage: 'completed', progress: 100, costNanoUsd: cost, ending: { kind: 'made' } });
  expect(await bed.money()).toEqual({ spent: cost, held: 0n });
  expect(bed.records.filter(({ requestId }) => requestId === task?.requestId)).toHaveLength(1);
}

async function expectFailed(id: string, failureKind: string): Promise<void> {
  const task = await bed.task(id);
  expect(task).toMatchObject({
    stage: 'failed',
    costNanoUsd: 0n,
    ending: { kind: 'failed', failureKind },
  });
  const message = task?.ending?.kind === 'failed' ? task.ending.message : null;
  expect(bed.records.find(({ requestId }) => requestId === task?.requestId)).toMatchObject({ told: { message } });
  expect(await bed.money()).toEqual({ spent: 0n, held: 0n });
}

describe('a job', () => {
  test('is polled until it is done, and charged once by its output', async () => {
    const id = await node.submitted('xai', 'job');
    expect(await bed.money()).toEqual({ spent: 0n, held: COST });
    bed.answer = () => working(40);
    await bed.pass(2_000);
    expect(await bed.task(id)).toMatchObject({ stage: 'submitted', isProcessing: true, progress: 40 });
    bed.answer = () => done(7);
    await bed.pass(2_000);
    await expectCompleted(id, 7_000n);
    expect(node.poller.size).toBe(0);
    const { length } = bed.asked;
    await bed.pass(10_000);
    expect(bed.asked).toHaveLength(length);
  });

  test('never goes back to an earlier state', async () => {
    const id = await node.submitted('xai', 'job');
    for (const [state, progress] of [
      ['pending', 60],
      ['queued', 0],
      ['queued', 100],
      ['pending', 30],
    ] as const) {
      bed.answer = () => json({ status: state, progress });
      await bed.pass(1_500);
    }
    expect(await bed.task(id)).toMatchObject({ isProcessing: true, progress: 99 });
  });

  test.each([
    ['an error', () => json({}, 500)],
    ['invalid JSON', () => ({ pieces: ['<html>'] })],
    ['nothing', () => json(null)],
    [
      'an object with a prototype',
      () => ({ pieces: ['{"__proto__": {"status": "done"}, "status": {"toString": 1}}'] }),
    ],
    ['the name of an object property', () => json({ status: 'constructor' })],
    ['no connection', () => new Failure('upstream_error', { kind: 'connect', message: 'no' })],
    ['an exception', () => Promise.reject(new Error('broken'))],
    ['a single 404', () => json({}, 404)],
  ] as const)('continues after %s, with a growing poll interval', async (_, answer) => {
    const id = await node.submitted('xai', 'job');
    bed.answer = answer;
    await bed.pass(60_000);
    expect(bed.asked.length).toBeGreaterThan(3);
    expect(bed.asked.length).toBeLessThan(8);
    expect(await bed.task(id)).toMatchObject({ stage: 'submitted', isProcessing: false, progress: null });
    expect((await bed.task(id))?.lastPollError).not.toBeNull();
    bed.answer = () => done();
    await bed.pass(70_000);
    await expectCompleted(id);
  });

  test('has failed when its provider reports so', async () => {
    const id = await node.submitted('xai', 'job');
    bed.answer = () => json({ status: 'failed', error: { message: 'melted at https://x.example/?key=1' } });
    await bed.pass(2_000);
    await expectFailed(id, 'job_failed');
    expect(JSON.stringify(await bed.task(id), (_, value) => (typeof value === 'bigint' ? '' : value))).not.toContain(
      'key=1',
    );
  });

  test('is lost after its provider has not known it for long', async () => {
    const id = await node.submitted('xai', 'job');
    bed.answer = () => json({}, 404);
    await bed.pass(110_000);
    expect((await bed.task(id))?.stage).toBe('submitted');
    await bed.pass(3_000_000);
    await expectFailed(id, 'job_lost');
  }, 600_000);

  test('has failed at its deadline, after one last poll', async () => {
    const id = await node.submitted('xai', 'job');
    bed.answer = () => working(10);
    await bed.leap(DEADLINE_MS);
    await bed.pass(1_000);
    await expectFailed(id, 'job_timeout');
  });

  test('that is found done after its deadline is charged', async () => {
    const id = await node.submitted('xai', 'job');
    bed.answer = () => done();
    await bed.leap(DEADLINE_MS);
    await bed.pass(1_000);
    await expectCompleted(id);
  });

  test('whose channel is missing briefly waits for it', async () => {
    const { directory } = bed;
    const id = await node.submitted('xai', 'job');
    bed.directory = sampleDirectory({});
    bed.answer = () => done();
    await bed.pass(4_000);
    expect(await bed.task(id)).toMatchObject({ stage: 'submitted' });
    bed.directory = directory;
    await bed.pass(60_000);
    await expectCompleted(id);
  });

  test('whose channel was removed fails within seconds, and its reservation is released', async () => {
    const id = await node.submitted('xai', 'job');
    bed.directory = sampleDirectory({});
    await bed.pass(20_000);
    await expectFailed(id, 'channel_removed');
    expect(bed.records).toMatchObject([{ failureKind: 'channel_removed', status: 499 }]);
  });

  const BEFORE_REMOVAL: Readonly<Record<string, () => Promise<string>>> = {
    async created() {
      const opening = node.opening();
      await begun(opening);
      opening.over();
      return opening.current.id;
    },
    async submitting() {
      const opening = node.opening();
      await begun(opening);
      await opening.asks(node.target('kling'), ASKED);
      opening.over();
      return opening.current.id;
    },
    pending: () => node.submitted('xai', 'job'),
    async processing() {
      const id = await node.submitted('xai', 'job');
      bed.answer = () => working(40);
      await bed.pass(2_000);
      return id;
    },
  };

  test.each([
    ['created', 'interrupted'],
    ['submitting', 'channel_removed'],
    ['pending', 'channel_removed'],
    ['processing', 'channel_removed'],
  ] as const)('that is %s when its channel is removed fails and costs nothing', async (state, kind) => {
    const id = await BEFORE_REMOVAL[state]?.();
    bed.directory = sampleDirectory({});
    await bed.pass(20_000);
    await expectFailed(id ?? '', kind);
    expect(node.poller.size).toBe(0);
  });

  test('whose end is decided when its channel is removed is completed and charged', async () => {
    const id = await node.submitted('xai', 'job');
    bed.answer = () => done();
    node.tasks.fail('change', { times: 1, isDone: true });
    await bed.pass(1_050);
    expect((await bed.task(id))?.stage).toBe('closing');
    bed.directory = sampleDirectory({});
    await bed.pass(20_000);
    await expectCompleted(id);
  });

  test.each([
    ['is disabled', { enabled: false }],
    ['no longer has the model', { models: { other: 'other' } }],
  ])('whose channel %s is still polled and charged', async (_, changes) => {
    const id = await node.submitted('xai', 'job');
    bed.directory = sampleDirectory({ channels: CHANNELS.map((channel) => ({ ...channel, ...changes })) }, [xai]);
    bed.answer = () => done();
    await bed.pass(20_000);
    await expectCompleted(id);
  });

  test('at a channel that never responds has failed at its deadline, too', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 30; index++) ids.push(await node.submitted('xai', `job-${index}`));
    bed.answer = () => new Promise(() => undefined);
    await bed.pass(5_000);
    expect(bed.asked).toHaveLength(8);
    await bed.leap(DEADLINE_MS);
    await bed.pass(2_000);
    const tasks = await Promise.all(ids.map((id) => bed.task(id)));
    expect(tasks.filter((task) => task?.stage === 'failed')).toHaveLength(22);
  });

  test('is processed although another one due at the same moment fails', async () => {
    const [one, other] = [await node.submitted('xai', 'one'), await node.submitted('xai', 'other')];
    const { directory } = bed;
    let isBroken = true;
    bed.directory = new Proxy(directory, {
      get: (target, name) => {
        if (name === 'jobWay' && isBroken) {
          isBroken = false;
          throw new Error('a provider’s module is broken');
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    bed.answer = () => done();
    await bed.pass(2_000);
    expect([(await bed.task(one))?.stage, (await bed.task(other))?.stage].sort()).toEqual(['completed', 'submitted']);
    await bed.pass(10_000);
    expect((await bed.money()).spent).toBe(2n * COST);
  });
});

describe('a failing store', () => {
  const METHODS = ['change', 'changeAll', 'find', 'claim'] as const;
  test.each(METHODS.flatMap((method) => [false, true].map((isDone) => [method, isDone] as const)))(
    'in %s (done: %p) delays the end, and nothing is charged twice',
    async (method, isDone) => {
      const id = await node.submitted('xai', 'job');
      bed.answer = () => working(40);
      await bed.pass(1_500);
      node.tasks.fail(method, { times: 3, isDone });
      bed.answer = () => done();
      await bed.pass(20_000);
      node.tasks.heal();
      await bed.pass(10_000);
      await expectCompleted(id);
    },
  );

  test.each([0, 1, 2, 3])('after %d writes of an end does not change that end', async (after) => {
    const id = await node.submitted('xai', 'job');
    let writes = 0;
    const { change } = bed.store.tasks;
    bed.store.tasks.change = async (...values) => {
      if (writes++ === after) throw new Error('the store is away');
      return await change.apply(bed.store.tasks, values);
    };
    bed.answer = () => done();
    await bed.pass(1_500);
    bed.answer = () => json({ status: 'failed', error: { message: 'on second thoughts' } });
    await bed.pass(20_000);
    await expectCompleted(id);
  });

  test('during the write of a submission does not lose the job', async () => {
    const opening = node.opening();
    await begun(opening);
    await opening.asks(node.target('xai'), { count: 1, seconds: 10, resolution: null });
    node.tasks.fail('change');
    await opening.taken({
      ticket: { id: 'job' },
      report: { state: 'working', status: 'processing', progress: 5 },
    });
    node.tasks.fail('changeAll', { times: 2 });
    opening.over();
    bed.answer = () => working(10);
    await bed.pass(500);
    expect((await bed.task(opening.current.id))?.stage).toBe('submitting');
    await bed.pass(1_000);
    expect(await bed.task(opening.current.id)).toMatchObject({ stage: 'submitted', ticket: { id: 'job' } });
    bed.answer = () => done();
    await bed.pass(3_000);
    await expectCompleted(opening.current.id);
  });

  test('between an end and its follow-up writes leaves no task behind', async () => {
    const opening = node.opening();
    await begun(opening);
    await opening.asks(node.target('xai'), { count: 1, seconds: 10, resolution: null });
    node.tasks.fail('change');
    await opening.taken({ ticket: { id: 'job' }, report: { state: 'working', status: 'pending', progress: null } });
    // The ending is half done, then the submission is written late, then the ending is retried.
    node.tasks.fail('changeAll', { times: 20 });
    opening.over();
    bed.answer = () => done();
    const { change } = bed.store.tasks;
    let closings = 0;
    bed.store.tasks.change = async (id, claim, changes) => {
      if (changes.stage === 'completed' && closings++ < 2) throw new Error('the store is away');
      return await change.call(bed.store.tasks, id, claim, changes);
    };
    await bed.pass(1_200);
    expect((await bed.task(opening.current.id))?.stage).toBe('closing');
    node.tasks.heal();
    await bed.pass(10_000);
    await expectCompleted(opening.current.id);
  });
});

describe('two processes', () => {
  test('never process one task at the same time, and writes of the slow one are refused', async () => {
    const other = await bed.node({ pollIntervalMs: 1_000 });
    const id = await node.submitted('xai', 'job');
    let answer: (answer: Scripted) => void = () => undefined;
    bed.answer = () => new Promise((resolve) => (answer = resolve));
    await bed.pass(1_500);
    node.isAsleep = true;
    bed.answer = () => working(50);
    await bed.pass(LEASE_MS);
    expect(await bed.task(id)).toMatchObject({ owner: 'node-2', claim: 2, progress: 50 });
    answer(done());
    node.isAsleep = false;
    await bed.pass(2_000);
    expect(await bed.task(id)).toMatchObject({ stage: 'submitted', owner: 'node-2' });
    expect([node.poller.size, other.poller.size]).toEqual([0, 1]);
    bed.answer = () => done(5);
    await bed.pass(2_000);
    await expectCompleted(id, 5_000n);
  });

  test.each(['closing', 'completed'] as const)('end a task once if the first stops before it is %s', async (stage) => {
    await bed.node();
    const id = await node.submitted('xai', 'job');
    const { change } = bed.store.tasks;
    bed.store.tasks.change = async (task, claim, changes) => {
      if (changes.stage === stage && claim === 1) {
        node.isAsleep = true;
        return await new Promise(() => undefined);
      }
      return await change.call(bed.store.tasks, task, claim, changes);
    };
    bed.answer = () => done(5);
    await bed.pass(2_000);
    expect(isFinal((await bed.task(id))?.stage ?? 'failed')).toBe(false);
    // The upstream's answer changes, which matters only if nothing was decided.
    bed.answer = () => done(8);
    await bed.pass(LEASE_MS + 10_000);
    await expectCompleted(id, stage === 'closing' ? 8_000n : 5_000n);
  });

  test('hand over: one that stops releases its tasks to the other at once', async () => {
    const other = await bed.node({ pollIntervalMs: 1_000 });
    const id = await node.submitted('xai', 'job');
    bed.answer = () => new Promise(() => undefined);
    await bed.pass(1_500);
    await node.poller.stop(5);
    node.isAsleep = true;
    bed.answer = () => done();
    await bed.pass(3_500);
    expect(other.poller.size).toBe(0);
    await expectCompleted(id);
  });

  test('lose nothing: one that stops first writes its progress', async () => {
    const id = await node.submitted('xai', 'job');
    bed.answer = () => working(70);
    await bed.pass(1_000);
    await bed.pass(50);
    await node.poller.stop(5);
    expect(await bed.task(id)).toMatchObject({ progress: 70, owner: null });
  });

  test('poll a task at once after an operator released it', async () => {
    const id = await node.submitted('xai', 'job');
    bed.answer = () => json({}, 500);
    await bed.pass(200_000);
    const { length } = bed.asked;
    bed.answer = () => done();
    expect(await bed.store.tasks.takeBack(id)).toBe(true);
    await bed.pass(3_500);
    expect(bed.asked).toHaveLength(length + 1);
    await expectCompleted(id);
  });
});
