import { type NewTask, OpeningTask } from './opening-task.ts';
import { TaskPoller } from './task-poller.ts';
import type { TaskPorts } from './task-ports.ts';

export interface TasksPorts extends TaskPorts {
  /** `task_` and 32 random letters and digits. */
  readonly newTaskId: () => string;
}

/** The engine of tasks (docs/tasks.md): makes them, and looks after those of this process until they are final. */
export class Tasks {
  private readonly poller: TaskPoller;

  constructor(private readonly ports: TasksPorts) {
    this.poller = new TaskPoller(ports);
  }

  /** A task for a request that is about to be sent. Nothing is written yet. */
  open(facts: Omit<NewTask, 'id'>): OpeningTask {
    return new OpeningTask(this.ports, this.poller, { ...facts, id: this.ports.newTaskId() });
  }

  /** Takes up the tasks whose process is gone, and asks for jobs from now on. */
  start(): Promise<void> {
    return this.poller.start();
  }

  stop(): Promise<void> {
    return this.poller.stop();
  }
}
