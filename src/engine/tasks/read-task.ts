import type { Task, TaskKind } from '../../domain/tasks/task.ts';
import type { Caller } from '../access/caller.ts';
import { type AdmittedCallPorts, type AdmittedResult, admittedCall } from '../call/admitted-call.ts';
import type { Directory } from '../directory/directory.ts';
import type { MediaStore } from '../ports/media-store.ts';
import type { TaskStore } from '../ports/task-store.ts';
import { taskNotFound } from './cancel-failures.ts';
import { routingOfTask, taskView } from './task-view.ts';

export interface TaskReaderPorts extends AdmittedCallPorts {
  readonly tasks: Pick<TaskStore, 'find'>;
  readonly mediaStore: Pick<MediaStore, 'link'>;
  readonly directory: () => Pick<Directory, 'routingOf'>;
  /** Whether answers tell their cost (docs/cost-in-answers.md). */
  readonly costInAnswers: boolean;
}

export interface TaskReading {
  readonly id: string;
  /** Restricts the search to tasks of this kind; `null` for any. */
  readonly kind: TaskKind | null;
  /** The origin by which the client reaches the gateway. */
  readonly origin: string;
}

const ID = /^task_[A-Za-z0-9]{32}$/;

/** Handles `GET /v1/tasks/{id}` and the paths of each kind: returns the state of a task of the caller's account, from the store alone. */
export class TaskReader {
  constructor(private readonly ports: TaskReaderPorts) {}

  read(caller: Caller, { id, kind, origin }: TaskReading): Promise<AdmittedResult<string>> {
    return admittedCall(this.ports, caller, async ({ account }) => {
      const task = ID.test(id) ? await this.ports.tasks.find(id) : null;
      if (task === null || task.accountId !== account.id || isGone(task, this.ports.clock.nowMs()))
        return taskNotFound();
      if (kind !== null && task.kind !== kind) return taskNotFound();
      const { mediaStore, directory } = this.ports;
      const routing = task.target === null ? null : directory().routingOf(task.target.channelId);
      return taskView(task, {
        mediaStore,
        origin,
        routingJson: routingOfTask(task, routing, this.ports.costInAnswers),
      });
    });
  }
}

/** Returns whether clients cannot read the task any more. */
export function isGone(
  { expiresAtMs, deletedAtMs }: Pick<Task, 'expiresAtMs' | 'deletedAtMs'>,
  nowMs: number,
): boolean {
  return deletedAtMs !== null || (expiresAtMs !== null && expiresAtMs <= nowMs);
}
