import type { Task } from '../../../domain/tasks/task.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { AdminError } from '../admin-error.ts';

/** The task with this id, of whatever account. Throws `AdminError`. */
export async function existingTask({ tasks }: { readonly tasks: Pick<TaskStore, 'find'> }, id: string): Promise<Task> {
  const task = await tasks.find(id);
  if (task === null) throw new AdminError('not_found', 'task', `there is no task "${id.slice(0, 100)}"`);
  return task;
}
