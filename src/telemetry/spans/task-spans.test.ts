import { expect, test } from 'bun:test';
import type { Task } from '../../domain/tasks/task.ts';
import { serverSpanIdOf, traceIdOf } from '../../domain/trace/span-ids.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';
import type { TracedPoll, TracedTask } from '../../engine/ports/tracing.ts';
import { taskSpanCountOf, taskSpans } from './task-spans.ts';

const REQUEST = 'req_019acf6e-0b1c-7d2e-9f3a-4b5c6d7e8f90';
const CREATOR = { traceId: traceIdOf(REQUEST), spanId: serverSpanIdOf(REQUEST), flags: 1, state: null };
const TARGET = {
  channelId: 'images',
  provider: 'google',
  upstreamModel: 'veo',
  wire: 'w',
  isPrivate: false,
  asked: {},
};

function traced({ polls = [], ...changes }: Partial<TracedTask> = {}): TracedTask {
  const task = {
    ...{
      id: 'task_1',
      requestId: REQUEST,
      accountId: 'acme',
      keyId: null,
      kind: 'video',
      modelId: 'v',
      target: TARGET,
    },
    ...{ createdAtMs: 1_000, endedAtMs: 9_000, costNanoUsd: 40_000_000n, ending: null },
  } as unknown as Task;
  return {
    ...{ creator: CREATOR, task, record: { clientRequestId: 'order-1' } as RequestRecord, failureSide: null },
    ...{ polls, pollCount: polls.length, failedPollCount: 0, settling: { beganAtMs: 8_000, endedAtMs: 9_000 } },
    ...changes,
  };
}

const poll = (number: number, changes: Partial<TracedPoll> = {}): TracedPoll => ({
  ...{ number, beganAtMs: number * 1_000, endedAtMs: number * 1_000 + 10, outcome: 'working', failureKind: null },
  ...changes,
});

test('a task is below the request that created it, its polls and its settlement are below the task', () => {
  const spans = taskSpans(traced({ polls: [poll(2), poll(3, { outcome: 'done' })] }));
  const [life, first, last, settlement] = spans;
  expect(spans.map(({ name }) => name)).toEqual(['task video', 'poll task', 'poll task', 'settle']);
  expect(spans.every(({ traceId }) => traceId === CREATOR.traceId)).toBe(true);
  expect(life).toMatchObject({ parent: { spanId: CREATOR.spanId }, fromMs: 1_000, toMs: 9_000, isError: false });
  expect(life?.attributes).toEqual({
    ...{ 'switchyard.task.id': 'task_1', 'switchyard.task.kind': 'video' },
    ...{ 'switchyard.task.polls': 2, 'switchyard.task.failed_polls': 0, 'switchyard.request.id': REQUEST },
    ...{ 'switchyard.account.id': 'acme', 'switchyard.client_request.id': 'order-1', 'switchyard.cost.usd': '0.04' },
    ...{ 'switchyard.channel.id': 'images', 'switchyard.provider': 'google', 'switchyard.upstream.model': 'veo' },
    ...{ 'gen_ai.request.model': 'v', 'gen_ai.provider.name': 'gcp.gemini' },
  });
  for (const span of [first, last]) {
    expect(span).toMatchObject({
      parent: { spanId: life?.spanId },
      links: [{ spanId: CREATOR.spanId }],
      kind: 'client',
    });
  }
  expect(settlement).toMatchObject({ parent: { spanId: life?.spanId }, fromMs: 8_000, toMs: 9_000 });
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4);
});

test('a task that failed, and a poll that failed, are errors', () => {
  const ending = { kind: 'failed', code: 'upstream_error', failureKind: 'job_lost', message: 'a secret' } as const;
  const failed = traced({
    polls: [poll(1, { outcome: 'unanswered', failureKind: 'http_503' })],
    failureSide: 'upstream',
  });
  const [life, asked] = taskSpans({ ...failed, task: { ...failed.task, ending } });
  expect(life).toMatchObject({ isError: true, attributes: { 'error.type': 'job_lost' } });
  expect(asked).toMatchObject({ isError: true, attributes: { 'error.type': 'http_503' } });
  expect(JSON.stringify([life, asked])).not.toContain('secret');
});

test('a task whose settlement is not known has no span for it, and clocks that go back make no negative time', () => {
  const task = { ...traced().task, endedAtMs: 500 };
  const [life, ...others] = taskSpans(traced({ task, settling: null }));
  expect(life).toMatchObject({ fromMs: 1_000, toMs: 1_000 });
  expect(others).toEqual([]);
});

test('the number of spans is within its bound', () => {
  const task = traced({ polls: [poll(1), poll(2)] });
  expect(taskSpans(task).length).toBeLessThanOrEqual(taskSpanCountOf(task));
});
