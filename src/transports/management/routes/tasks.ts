import { z } from 'zod';
import type { Requester } from '../../../domain/access/actor.ts';
import { TASK_KINDS, TASK_STAGES, TASK_STATUSES, type Task } from '../../../domain/tasks/task.ts';
import { named, namedPage } from '../../../engine/admin/names.ts';
import { checkInput } from '../../../engine/admin/schema/check-input.ts';
import { cancelTask } from '../../../engine/admin/tasks/cancel-task.ts';
import { failTask, retryPoll } from '../../../engine/admin/tasks/change-tasks.ts';
import {
  listTasks,
  ownTaskView,
  type ShownTask,
  shownTaskView,
  showTask,
  taskChargeView,
  taskPreview,
  taskSummaryView,
} from '../../../engine/admin/tasks/read-tasks.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Logger } from '../../../engine/ports/logger.ts';
import type { MediaStore } from '../../../engine/ports/media-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import type { TaskSettings } from '../../../engine/settings/settings.ts';
import type { ViewMeans } from '../../../engine/tasks/task-view.ts';
import type { Tasks } from '../../../engine/tasks/tasks.ts';
import { ownedBy } from '../access.ts';
import { listAnswer, listSchema, same } from '../list.ts';
import { flag } from '../read-query.ts';
import { type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';
import { SHOWN_TASK, TASK } from './task-answers.ts';

export interface TaskRoutesOptions {
  readonly store: Pick<Store, 'tasks' | 'holds' | 'requestLog'>;
  readonly mediaStore: Pick<MediaStore, 'link'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: TaskSettings;
  readonly running: Pick<Tasks, 'cancel'>;
}

const FILTERS = z.strictObject({
  kind: z.enum(TASK_KINDS).optional(),
  stage: z.enum(TASK_STAGES).optional(),
  open: flag('Only unfinished tasks. Cannot be combined with `stage`.'),
  status: z.enum(TASK_STATUSES).optional().meta({ description: 'The status that the client sees.' }),
  channel: z.string().optional().meta({ description: 'The channel of the last attempt.' }),
  model: z.string().optional(),
  key: z.string().optional().meta({ description: 'The id of the key that created the task.' }),
});

const FAIL = z.strictObject({
  reason: z.string().meta({ description: 'The message of the task’s `error`, for the client.' }),
});

const TAG = 'Tasks';

const ANSWER = { description: 'The task', schema: SHOWN_TASK };

type Viewing = Pick<ManagementCall, 'requester' | 'publicOrigin' | 'directory'>;

/** Returns `tasks`: videos, music, 3D models and slow images. */
export function taskRoutes(options: TaskRoutesOptions): readonly ManagementRoute[] {
  const view = viewerOf(options);
  return [...readingRoutes(options, view), ...changingRoutes(options, view)];
}

/** Returns a function that answers a call with a task, as its caller may see it. */
function viewerOf({ mediaStore }: Pick<TaskRoutesOptions, 'mediaStore'>) {
  return async (shown: ShownTask, { requester, publicOrigin, directory }: Viewing) => ({
    body: await named(directory, viewed(shown, requester, { mediaStore, origin: publicOrigin })),
  });
}

type View = ReturnType<typeof viewerOf>;

function readingRoutes({ store, mediaStore }: TaskRoutesOptions, view: View): readonly ManagementRoute[] {
  return [
    route({
      ...{ method: 'get', path: '/tasks', operationId: 'listManagedTasks', tag: TAG, isList: true, query: FILTERS },
      summary: 'List asynchronous tasks',
      description: 'Newest first.',
      access: { who: 'account', role: 'viewer', scope: 'tasks:read', orAll: true },
      answer: { description: 'A page of tasks', schema: listSchema(TASK) },
      handle: ({ accountId, requester, publicOrigin, directory, query: { open, ...query } }) => {
        const wanted = { ...query, isOpen: open, account: accountId ?? undefined };
        const view = (task: Task) => listed(task, requester, { mediaStore, origin: publicOrigin });
        return listAnswer(
          query,
          async (page) => namedPage(directory, await listTasks(store, { ...wanted, ...page }), view),
          same,
        );
      },
    }),
    route({
      ...{ method: 'get', path: '/tasks/{id}', operationId: 'getManagedTask', tag: TAG },
      summary: 'Read a task',
      description: 'With the results (`data`) for its own account, and details of the execution for operators.',
      access: { who: 'account', role: 'viewer', scope: 'tasks:read', orAll: true },
      answer: ANSWER,
      handle: async (call) => view(await showTask(store, paramOf(call, 'id'), call.accountId), call),
    }),
  ];
}

function changingRoutes(
  { store, clock, logger, settings, running }: TaskRoutesOptions,
  view: View,
): readonly ManagementRoute[] {
  const changing = { who: 'operator', scope: 'tasks:write' } as const;
  const answer = ANSWER;
  return [
    route({
      ...{ method: 'post', path: '/tasks/{id}/cancel', operationId: 'cancelManagedTask', tag: TAG, answer },
      summary: 'Cancel a task at its provider',
      description:
        'Ends the job, if the provider can do that, and releases the money. A 409 says why the task goes on.',
      access: { who: 'account', role: 'member', scope: 'tasks:write', orAll: true },
      handle: async (call) => {
        const task = await cancelTask({ ...store, running, trail: call.trail }, paramOf(call, 'id'), call.accountId);
        return view(await showTask(store, task.id, call.accountId), call);
      },
    }),
    route({
      ...{
        method: 'post',
        path: '/tasks/{id}/retry',
        operationId: 'retryTaskPoll',
        tag: TAG,
        access: changing,
        answer,
      },
      summary: 'Poll the provider for a task at once',
      handle: async (call) => {
        const task = await retryPoll({ ...store, trail: call.trail }, paramOf(call, 'id'));
        return view(await showTask(store, task.id, null), call);
      },
    }),
    route({
      ...{ method: 'post', path: '/tasks/{id}/fail', operationId: 'failTask', tag: TAG, access: changing, answer },
      summary: 'End a task as failed',
      description: 'Releases its reservation. The job is not cancelled at the provider.',
      body: {
        schema: FAIL,
        examples: { lost: { summary: 'A lost job', value: { reason: 'The provider lost the job.' } } },
      },
      handle: async (call) => {
        const { reason } = checkInput(FAIL, ['task'], call.input);
        const stores = { ...store, trail: call.trail };
        const task = await failTask(stores, { clock, logger, settings }, paramOf(call, 'id'), reason);
        return view(await showTask(store, task.id, null), call);
      },
    }),
  ];
}

/** Members of the account also see a preview of the first result. */
function listed(task: Task, requester: Requester | null, means: ViewMeans) {
  const own = ownedBy(requester, task.accountId) && { preview: taskPreview(task, means) };
  return { object: 'task' as const, ...taskSummaryView(task), ...taskChargeView(task), ...own };
}

/** Members of the account see the results, operators the execution. Nobody else is admitted. */
function viewed(shown: ShownTask, requester: Requester | null, means: ViewMeans) {
  const { task } = shown;
  const object = 'task' as const;
  if (requester?.isOperator !== true) return { object, ...taskSummaryView(task), ...ownTaskView(task, means) };
  const own = ownedBy(requester, task.accountId) && ownTaskView(task, means);
  return { object, ...shownTaskView(shown), ...own };
}
