import { Failure } from '../../domain/failure/failure.ts';
import type { Task } from '../../domain/tasks/task.ts';
import type { Caller } from '../access/caller.ts';
import { type AdmittedResult, admittedCall } from '../call/admitted-call.ts';
import type { TaskStore } from '../ports/task-store.ts';
import { taskNotFound } from './cancel-failures.ts';
import type { TaskReaderPorts } from './read-task.ts';
import { isTaskId, PAGE_PARAMETERS, TASK_FILTERS, taskPage } from './task-list.ts';
import { routingOfTask, taskView, viewOf } from './task-view.ts';
import type { Tasks } from './tasks.ts';

export interface AccountTasksPorts extends TaskReaderPorts {
  readonly tasks: Pick<TaskStore, 'find' | 'list'>;
  readonly running: Pick<Tasks, 'cancel'>;
}

/** Lists and cancels tasks of the caller's account. */
export class AccountTasks {
  constructor(private readonly ports: AccountTasksPorts) {}

  /** Handles `GET /v1/tasks`. */
  list(caller: Caller, query: URLSearchParams, origin: string): Promise<AdmittedResult<string>> {
    return admittedCall(this.ports, caller, async (principal) => {
      const { tasks, clock, mediaStore } = this.ports;
      const names = [...TASK_FILTERS, ...PAGE_PARAMETERS];
      const page = await taskPage(tasks, principal, clock.nowMs(), { query, names });
      if (page instanceof Failure) return page;
      const data = page.tasks.map((task) => viewOf(task, { mediaStore, origin }));
      return JSON.stringify({
        object: 'list',
        data,
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
        has_more: page.hasMore,
      });
    });
  }

  /** Handles `POST /v1/tasks/{id}/cancel`. */
  cancel(caller: Caller, id: string, origin: string): Promise<AdmittedResult<string>> {
    return admittedCall(this.ports, caller, async ({ account }) => {
      const task = isTaskId(id) ? await this.ports.running.cancel(id, account.id) : taskNotFound();
      return task instanceof Failure ? task : this.view(task, origin);
    });
  }

  private view(task: Task, origin: string): string {
    const { mediaStore, directory } = this.ports;
    const routing = task.target === null ? null : directory().routingOf(task.target.channelId);
    return taskView(task, { mediaStore, origin, routingJson: routingOfTask(task, routing, this.ports.costInAnswers) });
  }
}
