import type { Task } from '../../../domain/tasks/task.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { AdminError } from '../admin-error.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { existingTask } from './existing-task.ts';

/**
 * Takes a task from the process that has claimed it, so that the next process that claims tasks (possibly the same one) polls its job at
 * once, without the backoff of failed polls. A task whose job is just being submitted is left alone, since the upstream's answer would be
 * lost. Throws `AdminError`.
 */
export async function retryPoll(
  stores: { readonly tasks: Pick<TaskStore, 'find' | 'takeBack'>; readonly trail: AuditTrail },
  id: string,
): Promise<Task> {
  const task = await existingTask(stores, id);
  const { stage } = task;
  const named = `"${task.id}"`;
  if (stage === 'created' || stage === 'submitting') {
    const problem = `${named} is ${stage}: the provider has not accepted the job yet, so there is nothing to poll`;
    throw new AdminError('conflict', 'task', problem);
  }
  const wasOpen = (stage === 'submitted' || stage === 'closing') && (await stores.tasks.takeBack(task.id));
  if (wasOpen) {
    const { accountId } = task;
    await stores.trail.note({ action: 'task.retry_poll', accountId, objectId: task.id, before: { stage } });
    return task;
  }
  const { stage: last } = await existingTask(stores, id);
  throw new AdminError('conflict', 'task', `${named} is ${last}, which is final: it is no longer polled`);
}
