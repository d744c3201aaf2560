import { Failure } from '../../../domain/failure/failure.ts';
import type { Task } from '../../../domain/tasks/task.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import { AdminError, TooManyError } from '../admin-error.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { existingTask } from './read-tasks.ts';

interface Cancelling {
  readonly tasks: Pick<TaskStore, 'find'>;
  readonly running: Pick<Tasks, 'cancel'>;
  readonly trail: AuditTrail;
}

const USUAL_WAIT_MS = 1_000;

/**
 * Cancels a task's job at its provider. Resolves to the task as it is afterwards, which may still be open. Throws `AdminError`, which says
 * why the task goes on.
 *
 * @param accountId the account that the task must belong to; any account if `null`
 */
export async function cancelTask(
  { tasks, running, trail }: Cancelling,
  id: string,
  accountId: string | null,
): Promise<Task> {
  const { stage } = await existingTask({ tasks }, id, accountId);
  const task = await running.cancel(id, accountId);
  if (task instanceof Failure) throw errorFrom(task, id);
  const { accountId: owner } = task;
  await trail.note({
    action: 'task.cancel',
    accountId: owner,
    objectId: id,
    before: { stage },
    after: { stage: task.stage },
  });
  return task;
}

function errorFrom({ code, message, details }: Failure, id: string): AdminError {
  if (code === 'async_task_not_found')
    return new AdminError('not_found', 'task', `there is no task "${id.slice(0, 100)}"`);
  if (code === 'rate_limit_exceeded') return new TooManyError('task', message, details.retryAfterMs ?? USUAL_WAIT_MS);
  return new AdminError('conflict', 'task', message);
}
