import { expect, test } from 'bun:test';
import { sampleTask } from '../ports/testing/samples.ts';
import { PolledTask } from './polled-task.ts';

const working = { state: 'working', status: 'processing', progress: null } as const;

test('an unchanged ticket is not written again', () => {
  const task = sampleTask({ stage: 'submitted', isProcessing: true, ticket: { id: 'a', url: '/a' } });
  const polled = new PolledTask(task, null);
  polled.works({ ...working, ticket: { url: '/a', id: 'a' } });
  expect(polled.changes).toBeNull();
  for (const ticket of [{ id: 'b', url: '/a' }, { id: 'b' }, { id: 'b', url: '/a', more: '' }]) {
    polled.works({ ...working, ticket });
    expect(polled.takeChanges()).toEqual({ ticket });
  }
});
