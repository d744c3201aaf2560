import { expect, test } from 'bun:test';
import type { MadeItem } from '../../domain/tasks/job.ts';
import { TASK_STAGES, type Task } from '../../domain/tasks/task.ts';
import { FakeMediaStore } from '../call/testing/fake-media-store.ts';
import { sampleTask } from '../ports/testing/samples.ts';
import { statusOf, taskView } from './task-view.ts';

const mediaStore = new FakeMediaStore();
const view = (fields: Partial<Task>, routingJson: string | null = null) =>
  JSON.parse(taskView(sampleTask(fields), { mediaStore, origin: 'https://gateway.example', routingJson }));
const billable = { quantities: [], source: 'reported' } as const;
const made = (...items: MadeItem[]) => ({ kind: 'made', result: { items }, billable }) as const;
const FAILED = { kind: 'failed', code: 'upstream_error', failureKind: 'job_failed', message: 'It failed.' } as const;

test.each([
  ['created', 'pending', 'pending'],
  ['submitting', 'pending', 'pending'],
  ['submitted', 'pending', 'processing'],
  ['closing', 'processing', 'processing'],
  ['completed', 'completed', 'completed'],
  ['failed', 'failed', 'failed'],
] as const)('a %s task is shown as %s, and as %s while it is processed', (stage, waiting, worked) => {
  expect(statusOf({ stage, isProcessing: false })).toBe(waiting);
  expect(statusOf({ stage, isProcessing: true })).toBe(worked);
});

test('the end of a task is shown only once it is final', () => {
  for (const stage of TASK_STAGES) {
    const source = { kind: 'url', url: 'https://files.example/v.mp4' } as const;
    expect('data' in view({ stage, ending: made({ source, mediaType: null }) })).toBe(stage === 'completed');
    expect('error' in view({ stage, ending: FAILED })).toBe(stage === 'failed');
  }
  expect(view({ stage: 'failed', ending: FAILED }).error).toBe('It failed.');
});

test('a kept file is linked in place of the upstream’s, and an unreadable one has no URL', () => {
  const items: readonly MadeItem[] = [
    {
      source: { kind: 'url', url: 'https://files.example/a' },
      mediaType: 'video/mp4',
      cover: { kind: 'url', url: 'https://files.example/c' },
    },
    { source: { kind: 'channel', url: '/secret' }, mediaType: null, video: { kind: 'base64', base64: 'AAAA' } },
  ];
  const kept = { '0/source': { id: 'm1', expiresAtMs: 5_000, mediaType: 'video/webm' } };
  expect(view({ stage: 'completed', ending: made(...items), kept }).data).toEqual([
    {
      url: 'https://gateway.example/media/m1?expires=5',
      content_type: 'video/webm',
      cover_url: 'https://files.example/c',
    },
    {},
  ]);
});

test('the ticket, the owner and the upstream request are not shown', () => {
  const text = JSON.stringify(
    view({ stage: 'submitted', ticket: { id: 'secret' }, lastPollError: 'secret', owner: 'secret' }),
  );
  expect(text).not.toContain('secret');
});

test('the routing is the last member', () => {
  expect(view({}, '{"channel":{"id":"c"}}')._routing).toEqual({ channel: { id: 'c' } });
});
