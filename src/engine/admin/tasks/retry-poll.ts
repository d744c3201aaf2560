import type { Task } from '../../../domain/tasks/task.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { AdminError } from '../admin-error.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { existingTask } from './existing-task.ts';

/**
 * Takes a task from the process that looks after it, so that the next one that claims tasks, which may be the same one, asks for its
 * job at once instead of after the wait that failed questions have brought about. A task whose job is just being submitted is left
 * alone: what the upstream answers would be lost. Throws `AdminError`.
 */
export async function retryPoll(
  stores: { readonly tasks: Pick<TaskStore, 'find' | 'takeBack'>; readonly trail: AuditTrail },
  id: string,
): Promise<Task> {
  const task = await existingTask(stores, id);
  const { stage } = task;
  const named = `"${task.id}"`;
  if (stage === 'created' || stage === 'submitting') {
    const problem = `${named} is ${stage}: the provider has not taken the job yet, so there is nothing to ask it for`;
    throw new AdminError('conflict', 'task', problem);
  }
  const wasOpen = (stage === 'submitted' || stage === 'closing') && (await stores.tasks.takeBack(task.id));
  if (wasOpen) {
    const { accountId } = task;
    await stores.trail.note({ action: 'task.retry_poll', accountId, objectId: task.id, before: { stage } });
    return task;
  }
  const { stage: last } = await existingTask(stores, id);
  throw new AdminError('conflict', 'task', `${named} is ${last}, which is final: nothing is asked any more`);
}
