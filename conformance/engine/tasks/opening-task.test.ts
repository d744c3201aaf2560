import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { ASKED, begun, COST, submission, TaskBed, type TaskNode } from './task-bed.ts';

let bed: TaskBed;
let node: TaskNode;

beforeEach(async () => {
  bed = await TaskBed.open();
  node = await bed.node({ pollIntervalMs: 1_000 });
});
afterEach(closeTestStores);

const done = { pieces: ['{"status": "done", "video": {"url": "https://files.example/v.mp4", "duration": 10}}'] };
const refusal = () => new Failure('upstream_error', { message: 'The provider refused.', kind: 'http_500' });

/** Expects that the task has ended without a charge or a reservation. */
async function expectNothingLeft(id: string): Promise<void> {
  expect((await bed.task(id))?.stage ?? 'failed').toBe('failed');
  expect(await bed.money()).toEqual({ spent: 0n, held: 0n });
  expect(node.poller.size).toBe(0);
}

describe('a new task', () => {
  test('has its row before the hold, and both before it is sent', async () => {
    const opening = node.opening();
    const { id } = opening.current;
    expect(await bed.task(id)).toBeNull();
    expect(await begun(opening)).toBeNull();
    expect(await bed.task(id)).toMatchObject({ stage: 'created', target: null });
    expect((await bed.money()).held).toBe(COST);
    expect(await opening.asks(node.target('xai'), ASKED)).toBeNull();
    expect(await bed.task(id)).toMatchObject({ stage: 'submitting', target: { channelId: 'xai', asked: ASKED } });
  });

  test('without enough balance has failed', async () => {
    node.ports.billing.hold = async () => new Failure('insufficient_balance', { message: 'There is too little.' });
    const opening = node.opening();
    expect(await begun(opening)).toMatchObject({ code: 'insufficient_balance' });
    opening.over();
    await expectNothingLeft(opening.current.id);
  });

  test.each([true, false])('whose row cannot be written (done: %p) leaves nothing open', async (isDone) => {
    node.tasks.fail('create', { isDone });
    const opening = node.opening();
    expect(await begun(opening)).toMatchObject({ code: 'storage_unavailable' });
    expect((await bed.task(opening.current.id)) !== null).toBe(isDone);
    opening.over();
    await bed.pass(5_000);
    await expectNothingLeft(opening.current.id);
    expect(await bed.store.tasks.countOpen('acme')).toBe(0);
  });

  test('is not created if open tasks cannot be counted', async () => {
    node.tasks.fail('countOpen');
    const opening = node.opening();
    expect(await begun(opening)).toBeInstanceOf(Failure);
    opening.over();
    await expectNothingLeft(opening.current.id);
  });

  test('above the limit of the account is refused', async () => {
    const few = await bed.node({ maxOpenPerAccount: 1 });
    expect(await begun(few.opening())).toBeNull();
    expect(await begun(few.opening())).toMatchObject({ code: 'rate_limit_exceeded', kind: 'too_many_tasks' });
  });

  test.each([true, false])('that cannot be recorded as sent (done: %p) has failed', async (isDone) => {
    const opening = node.opening();
    await begun(opening);
    node.tasks.fail('change', { isDone });
    const problem = await opening.asks(node.target('xai'), ASKED);
    expect(problem).toBeInstanceOf(Failure);
    await opening.fails(problem ?? refusal());
    opening.over();
    await expectNothingLeft(opening.current.id);
  });

  test('of a process that exits before sending is failed by the next', async () => {
    const opening = node.opening();
    await begun(opening);
    node.isAsleep = true;
    await bed.node();
    await bed.pass(40_000);
    expect(await bed.task(opening.current.id)).toMatchObject({ ending: { failureKind: 'interrupted' } });
    await expectNothingLeft(opening.current.id);
    // The first one continues, and must not send it.
    expect(await opening.asks(node.target('xai'), ASKED)).toBeInstanceOf(Failure);
    opening.over();
    await expectNothingLeft(opening.current.id);
  });

  test('that another process ended before the hold leaves no hold', async () => {
    const opening = node.opening();
    const { id } = opening.current;
    const { hold } = node.ports.billing;
    const other = await bed.node();
    node.ports.billing.hold = async (request, expiresAtMs) => {
      await bed.store.tasks.takeBack(id);
      node.isAsleep = true;
      await bed.pass(10_000);
      expect((await bed.task(id))?.stage).toBe('failed');
      return await hold.call(other.ports.billing, request, expiresAtMs);
    };
    expect(await begun(opening)).toBeNull();
    expect((await bed.money()).held).toBe(COST);
    expect(await opening.asks(node.target('xai'), ASKED)).toBeInstanceOf(Failure);
    opening.over();
    await expectNothingLeft(id);
  });
});

describe('a submission', () => {
  const KINDS = ['reset', 'total_timeout', 'garbage', 'http_502', 'http_504', 'answer_memory_full', 'answer_too_large'];
  test.each(KINDS)('that ends with %s is not repeated', async (kind) => {
    const opening = node.opening();
    await begun(opening);
    await opening.asks(node.target('xai'), ASKED);
    const failure = new Failure('upstream_error', { message: 'It broke off.', kind, retry: 'other-target' });
    expect(opening.judge(failure)).toMatchObject({ kind, details: { retry: 'never' } });
    expect(opening.isUnknown).toBe(true);
  });

  test.each(['http_500', 'http_503', 'http_429', 'connect', 'connect_timeout', 'dns', 'tls'])(
    'that ends with %s goes to another channel',
    (kind) => {
      const failure = new Failure('upstream_error', { message: 'No.', kind, retry: 'other-target' });
      expect(node.opening().judge(failure)).toBe(failure);
    },
  );

  test.each([0, 1, 2])('that no upstream has accepted has failed, even if the store fails %d times', async (times) => {
    const opening = node.opening();
    await begun(opening);
    await opening.asks(node.target('xai'), ASKED);
    node.tasks.fail('change', { times });
    await opening.fails(refusal());
    opening.over();
    await bed.pass(10_000);
    await expectNothingLeft(opening.current.id);
  });

  test('of a task that ended meanwhile is not resumed', async () => {
    const opening = node.opening();
    await begun(opening);
    await opening.asks(node.target('xai'), ASKED);
    await bed.store.tasks.takeBack(opening.current.id);
    await bed.pass(5_000);
    await opening.taken(submission('xai', 'job'));
    opening.over();
    await bed.pass(5_000);
    await expectNothingLeft(opening.current.id);
    expect(bed.asked).toEqual([]);
  });
});

describe('a submission with an unknown outcome', () => {
  const ofKling = (data: object, code = 0) => ({ pieces: [JSON.stringify({ code, data })] });
  const video = { videos: [{ url: 'https://files.example/v.mp4', duration: '10' }] };

  async function unknown(provider: 'xai' | 'kling'): Promise<string> {
    const opening = node.opening();
    await begun(opening);
    await opening.asks(node.target(provider), { ...ASKED, address: 'text2video' });
    opening.judge(new Failure('upstream_error', { message: 'It broke off.', kind: 'reset' }));
    opening.over();
    return opening.current.id;
  }

  test('has failed if the provider cannot be queried', async () => {
    const id = await unknown('xai');
    await bed.pass(1_000);
    expect(await bed.task(id)).toMatchObject({ ending: { failureKind: 'interrupted' } });
    await expectNothingLeft(id);
  });

  test('continues if the provider knows the job by the gateway’s name', async () => {
    const id = await unknown('kling');
    bed.answer = () => ofKling({ task_id: '812', task_status: 'processing' });
    await bed.pass(100);
    expect(bed.asked).toEqual([`GET /v1/videos/text2video/${id}`]);
    expect(await bed.task(id)).toMatchObject({ stage: 'submitted', ticket: { id: '812' } });
    bed.answer = () => ofKling({ task_id: '812', task_status: 'succeed', task_result: video });
    await bed.pass(3_000);
    expect(bed.asked.at(-1)).toBe('GET /v1/videos/text2video/812');
    expect(await bed.money()).toEqual({ spent: COST, held: 0n });
  });

  test('ends at once if the job has ended', async () => {
    const made = await unknown('kling');
    bed.answer = () => ofKling({ task_id: '1', task_status: 'succeed', task_result: video });
    await bed.pass(100);
    const failed = await unknown('kling');
    bed.answer = () => ofKling({ task_id: '2', task_status: 'failed', task_status_msg: 'no face' });
    await bed.pass(100);
    expect([(await bed.task(made))?.stage, (await bed.task(failed))?.stage]).toEqual(['completed', 'failed']);
    expect(await bed.money()).toEqual({ spent: COST, held: 0n });
  });

  test('is queried again while the provider does not know it, and fails in the end', async () => {
    const late = await unknown('kling');
    bed.answer = () => ({ status: 404, pieces: ['{}'] });
    await bed.pass(4_000);
    expect((await bed.task(late))?.stage).toBe('submitting');
    bed.answer = () => ofKling({ task_id: '1', task_status: 'succeed', task_result: video });
    await bed.pass(20_000);
    expect((await bed.task(late))?.stage).toBe('completed');
    const never = await unknown('kling');
    bed.answer = () => ({ status: 404, pieces: ['{}'] });
    await bed.pass(100_000);
    expect(await bed.task(never)).toMatchObject({ stage: 'failed', ending: { failureKind: 'interrupted' } });
    expect(await bed.money()).toEqual({ spent: COST, held: 0n });
  });

  test.each([true, false])('is resolved although the store fails meanwhile (done: %p)', async (isDone) => {
    const id = await unknown('kling');
    bed.answer = () => ofKling({ task_id: '1', task_status: 'succeed', task_result: video });
    node.tasks.fail('change', { isDone });
    await bed.pass(10_000);
    expect((await bed.task(id))?.stage).toBe('completed');
    expect(await bed.money()).toEqual({ spent: COST, held: 0n });
  });

  test('is left to the process that owns it now', async () => {
    const id = await unknown('kling');
    let answer: () => void = () => undefined;
    bed.answer = () => new Promise((resolve) => (answer = () => resolve(ofKling({ task_id: '1', task_status: 'x' }))));
    await bed.pass(100);
    await bed.store.tasks.takeBack(id);
    answer();
    await bed.pass(100);
    expect(await bed.task(id)).toMatchObject({ stage: 'submitting', ticket: null });
    expect(node.poller.size).toBe(0);
  });
});

test('an accepted job is polled after the request is over', async () => {
  const opening = node.opening();
  await begun(opening);
  await opening.asks(node.target('xai'), ASKED);
  await opening.taken(submission('xai', 'job'));
  bed.answer = () => done;
  await bed.pass(3_000);
  expect(bed.asked).toEqual([]);
  opening.over();
  opening.over();
  await bed.pass(3_000);
  expect((await bed.task(opening.current.id))?.stage).toBe('completed');
  expect(await bed.money()).toEqual({ spent: COST, held: 0n });
});
