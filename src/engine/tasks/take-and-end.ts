import type { TaskEnding } from '../../domain/tasks/task.ts';
import type { TaskStore } from '../ports/task-store.ts';
import { type Ended, endTask } from './end-task.ts';
import type { EndingPorts } from './task-ports.ts';

export interface TakingPorts extends EndingPorts {
  readonly tasks: EndingPorts['tasks'] & Pick<TaskStore, 'takeBack'>;
}

/**
 * Takes a task from the process that follows it, and ends it as failed. `lost`: another process has claimed or ended it meanwhile, so the
 * caller reads it again. Throws if the store cannot be read.
 */
export async function takeAndEnd(ports: TakingPorts, id: string, ending: TaskEnding): Promise<Ended> {
  if (!(await ports.tasks.takeBack(id))) return 'lost';
  const task = await ports.tasks.find(id);
  // A gateway has just claimed it, or ended it before it lost the task.
  if (task === null || task.owner !== null || task.ending !== null) return 'lost';
  return await endTask(ports, task, ending);
}
