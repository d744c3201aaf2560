import type { PolledTask } from './polled-task.ts';
import type { TaskPorts } from './task-ports.ts';

/**
 * Resolves to the tasks of this process that an operator or another process has taken over or ended. A write would reveal that, but a job
 * whose state never changes causes no writes.
 */
export async function lostTasks(
  { tasks, owner }: Pick<TaskPorts, 'tasks' | 'owner'>,
  known: readonly PolledTask[],
): Promise<readonly PolledTask[]> {
  if (known.length === 0) return [];
  const claims = await tasks.claimsOf(owner);
  // A task whose end is being written is left to that write.
  return known.filter(({ task, ending }) => ending === null && claims.get(task.id) !== task.claim);
}
