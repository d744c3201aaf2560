import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { PolledTask } from '../../../src/engine/tasks/polled-task.ts';
import { TaskFinisher } from '../../../src/engine/tasks/task-finisher.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { COST, TaskBed, type TaskNode } from './task-bed.ts';

/* Covers the files that jobs make, and polls about several jobs. */

let bed: TaskBed;
let node: TaskNode;

beforeEach(async () => {
  bed = await TaskBed.open();
  node = await bed.node({ pollIntervalMs: 1_000 });
});
afterEach(closeTestStores);

const FILE = 'data:video/mp4;base64,AAAA';
const done = (url: string) => ({ pieces: [JSON.stringify({ status: 'done', video: { url, duration: 10 } })] });

test.each([true, false])(
  'a store that fails while files are copied (done: %p) does not end a task twice',
  async (isDone) => {
    const rehosting = await bed.node({ pollIntervalMs: 1_000, rehost: true });
    const id = await rehosting.submitted('xai', 'job');
    bed.answer = () => done('https://files.example/v.mp4');
    rehosting.tasks.fail('change', { times: 2, isDone });
    await bed.pass(30_000);
    // A public file that cannot be copied is left where it is.
    expect(await bed.task(id)).toMatchObject({ stage: 'completed', kept: {} });
    expect(await bed.money()).toEqual({ spent: COST, held: 0n });
  },
);

describe('several jobs in one poll', () => {
  const clip = (id: string) => ({ id, audio_url: `https://files.example/${id}.mp3`, duration: 10 });
  const job = (id: string, status = 'SUCCESS') => ({ task_id: id, status, data: [clip(id)] });
  const answered = (data: unknown) => ({ pieces: [JSON.stringify({ code: 'success', data })] });
  const stages = (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await bed.task(id))?.stage));
  const three = async () => [
    await node.submitted('suno', 'a'),
    await node.submitted('suno', 'b'),
    await node.submitted('suno', 'c'),
  ];

  test('all end with one response, in any order and despite duplicates', async () => {
    const ids = await three();
    bed.answer = () => answered([job('c'), job('a'), job('b'), job('a'), job('stranger'), null, 7]);
    await bed.pass(1_500);
    expect(bed.asked).toEqual(['POST /v1/suno/fetch']);
    expect(await stages(ids)).toEqual(['completed', 'completed', 'completed']);
    expect(await bed.money()).toEqual({ spent: 3n * COST, held: 0n });
  });

  test('are polled individually if missing from the response', async () => {
    const ids = await three();
    bed.answer = ({ url }) => answered(url.endsWith('/fetch') ? [job('a'), job('c')] : job('b'));
    await bed.pass(2_000);
    expect(bed.asked).toEqual(['POST /v1/suno/fetch', 'GET /v1/suno/fetch/b']);
    expect(await stages(ids)).toEqual(['completed', 'completed', 'completed']);
  });

  test('do not fail with a failed or unreadable one', async () => {
    const ids = await three();
    bed.answer = ({ url }) =>
      answered(url.endsWith('/fetch') ? [job('a', 'FAILURE'), job('b', '__proto__'), job('c')] : job('b', 'QUEUED'));
    await bed.pass(2_000);
    expect(await stages(ids)).toEqual(['failed', 'submitted', 'completed']);
  });

  test.each([
    ['a response without a list', () => answered({ a: job('a') })],
    ['an error', () => ({ status: 500, pieces: ['{}'] })],
    ['garbage', () => ({ pieces: ['\0'] })],
    ['an exception', () => Promise.reject(new Error('broken'))],
  ] as const)('are all polled again after %s', async (_, answer) => {
    const ids = await three();
    bed.answer = answer;
    await bed.pass(5_000);
    expect(await stages(ids)).toEqual(['submitted', 'submitted', 'submitted']);
    expect(bed.asked.every((asked) => asked === 'POST /v1/suno/fetch')).toBe(true);
    bed.answer = (_request, body) => answered(JSON.parse(body).ids.map((id: string) => job(id)));
    await bed.pass(20_000);
    expect(await bed.money()).toEqual({ spent: 3n * COST, held: 0n });
  });

  test('are left to another process that claimed them meanwhile', async () => {
    const ids = await three();
    let answer: () => void = () => undefined;
    bed.answer = () =>
      new Promise((resolve) => {
        answer = () => resolve(answered([job('a'), job('b'), job('c')]));
      });
    await bed.pass(1_500);
    await bed.store.tasks.takeBack(ids[1] ?? '');
    answer();
    await bed.pass(100);
    expect(await stages(ids)).toEqual(['completed', 'submitted', 'completed']);
    expect((await bed.money()).spent).toBe(2n * COST);
  });
});

describe('a media store', () => {
  /** Reports a job whose answer contains the file itself. */
  async function made(id: string): Promise<Awaited<ReturnType<TaskFinisher['made']>>> {
    const task = await bed.task(id);
    if (task === null) throw new Error('there is no such task');
    const source = { kind: 'url', url: FILE } as const;
    const result = { items: [{ source, mediaType: 'video/mp4', durationSeconds: 10 }] };
    return await new TaskFinisher(node.ports).made(new PolledTask(task, null), result, node.target('xai'));
  }

  test('keeps the file, and the task links to it', async () => {
    const id = await node.submitted('xai', 'job');
    expect(await made(id)).toBe('ended');
    expect(await bed.task(id)).toMatchObject({ stage: 'completed', kept: { '0/source': { mediaType: 'video/mp4' } } });
    expect(bed.mediaStore.stored).toHaveLength(1);
  });

  test.each(['media_store_off', 'media_store_full'])('that is %s charges nothing', async (kind) => {
    const id = await node.submitted('xai', 'job');
    bed.mediaStore.failure = new Failure('internal_error', { message: 'It cannot be kept.', kind });
    expect(await made(id)).toMatchObject({ kind });
    expect((await bed.task(id))?.stage).toBe('submitted');
    expect(await bed.money()).toEqual({ spent: 0n, held: COST });
  });

  test('that throws does not end the task, nor drop it before its deadline', async () => {
    const rehosting = await bed.node({ pollIntervalMs: 1_000, rehost: true });
    const id = await rehosting.submitted('xai', 'job');
    rehosting.ports.media.open = () => {
      throw new Error('the disk is broken');
    };
    bed.answer = () => done('https://files.example/v.mp4');
    await bed.pass(30_000);
    expect((await bed.task(id))?.stage).toBe('submitted');
    await bed.leap(121 * 60_000);
    await bed.pass(15_000);
    expect((await bed.task(id))?.stage).toBe('failed');
    expect(await bed.money()).toEqual({ spent: 0n, held: 0n });
  });
});
