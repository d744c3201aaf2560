import type { PolledTask } from './polled-task.ts';
import type { TaskPorts } from './task-ports.ts';

/**
 * Those of the tasks that this process looks after which are not its own any more: an operator or another process has taken them, or
 * ended them. Whoever writes learns that by itself, but of a job that is always in the same state there is nothing to write.
 */
export async function lostTasks(
  { tasks, owner }: Pick<TaskPorts, 'tasks' | 'owner'>,
  known: readonly PolledTask[],
): Promise<readonly PolledTask[]> {
  if (known.length === 0) return [];
  const claims = await tasks.claimsOf(owner);
  // One whose end is being written is left to whoever writes it.
  return known.filter(({ task, ending }) => ending === null && claims.get(task.id) !== task.claim);
}
