import type { Task } from '../../../domain/tasks/task.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { AdminError } from '../admin-error.ts';

/**
 * Resolves to the task with this id. Throws `AdminError`.
 *
 * @param accountId the account that the task must belong to; any account if absent or `null`
 */
export async function existingTask(
  { tasks }: { readonly tasks: Pick<TaskStore, 'find'> },
  id: string,
  accountId: string | null = null,
): Promise<Task> {
  const task = await tasks.find(id);
  if (task === null || (accountId !== null && task.accountId !== accountId))
    throw new AdminError('not_found', 'task', `there is no task "${id.slice(0, 100)}"`);
  return task;
}
