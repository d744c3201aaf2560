import type { Failure } from '../../domain/failure/failure.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { TaskCanceller } from './cancel-task.ts';
import { type NewTask, OpeningTask } from './opening-task.ts';
import { TaskPoller } from './task-poller.ts';
import type { TaskPorts } from './task-ports.ts';

export interface TasksPorts extends TaskPorts {
  /** Returns `task_` followed by 32 random letters and digits. */
  readonly newTaskId: () => string;
}

/** The task engine (docs/tasks.md): makes tasks, and follows those of this process until they are final. */
export class Tasks {
  private readonly poller: TaskPoller;
  private readonly canceller: TaskCanceller;

  constructor(private readonly ports: TasksPorts) {
    this.poller = new TaskPoller(ports);
    this.canceller = new TaskCanceller(ports);
  }

  /** Opens a task for a request that is about to be sent. Nothing is written yet. */
  open(facts: Omit<NewTask, 'id'>): OpeningTask {
    return new OpeningTask(this.ports, this.poller, { ...facts, id: this.ports.newTaskId() });
  }

  /** Finds a task of any account, whether clients can still read it or not. */
  find(id: string): Promise<Task | null> {
    return this.ports.tasks.find(id);
  }

  /** See `TaskCanceller.cancel`. */
  cancel(id: string, accountId: string | null): Promise<Task | Failure> {
    return this.canceller.cancel(id, accountId);
  }

  /** Takes over the tasks whose process has ended, and begins to poll jobs. */
  start(): Promise<void> {
    return this.poller.start();
  }

  stop(): Promise<void> {
    return this.poller.stop();
  }
}
