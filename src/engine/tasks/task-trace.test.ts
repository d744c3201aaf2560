import { expect, test } from 'bun:test';
import type { Task } from '../../domain/tasks/task.ts';
import { serverSpanIdOf, traceIdOf } from '../../domain/trace/span-ids.ts';
import type { RequestRecord } from '../ports/request-log.ts';
import type { CallEnd, TaskTracing, TracedTask } from '../ports/tracing.ts';
import { TaskTrace } from './task-trace.ts';

const REQUEST = 'req_019acf6e-0b1c-7d2e-9f3a-4b5c6d7e8f90';
const CLIENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', flags: 1, state: null };
const RECORD = { requestId: REQUEST } as RequestRecord;

const exported: TracedTask[] = [];
const ends: CallEnd[] = [];

function tracing(isExported: boolean): TaskTracing {
  return {
    begin: ({ requestId, clientTrace }) => ({
      traceId: clientTrace?.traceId ?? traceIdOf(requestId),
      ...{ spanId: serverSpanIdOf(requestId), flags: 0, state: null },
    }),
    isExported: (end) => {
      ends.push(end);
      return isExported;
    },
    exportTask: (task) => void exported.push(task),
  };
}

function taskWith(ending: Task['ending'], clientTrace: typeof CLIENT | null = null): Task {
  return { requestId: REQUEST, ending, clientIds: { clientRequestId: null, clientTrace } } as Task;
}

test('a task is exported in the trace of the request that created it', () => {
  const trace = TaskTrace.of(tracing(true), taskWith(null));
  trace?.export(RECORD, { polls: null, settling: null });
  expect(trace?.traceId).toBe(traceIdOf(REQUEST));
  expect(exported.pop()).toMatchObject({
    creator: { traceId: traceIdOf(REQUEST), spanId: serverSpanIdOf(REQUEST) },
    ...{ failureSide: null, polls: [], pollCount: 0, failedPollCount: 0 },
  });
});

test('the trace of the client of that request goes on', () => {
  expect(TaskTrace.of(tracing(true), taskWith(null, CLIENT))?.traceId).toBe(CLIENT.traceId);
});

test('the failure of a task decides, and its duration does not', () => {
  const failed = taskWith({ kind: 'failed', code: 'upstream_error', failureKind: 'job_lost', message: 'gone' });
  expect(TaskTrace.of(tracing(false), failed)).toBeNull();
  expect(ends.pop()).toMatchObject({ failureSide: 'upstream', latencyMs: 0 });
});

test('a task is not traced while tracing is off', () => {
  expect(TaskTrace.of(null, taskWith(null))).toBeNull();
});
