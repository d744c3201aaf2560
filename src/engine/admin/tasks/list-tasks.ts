import type { Hold } from '../../../domain/ledger/hold.ts';
import type { Task } from '../../../domain/tasks/task.ts';
import { TASK_KINDS, type TaskKind } from '../../../domain/tasks/task-kind.ts';
import { isFinal, TASK_STAGES, type TaskStage } from '../../../domain/tasks/task-stage.ts';
import type { Holds } from '../../ports/holds.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { AdminError } from '../admin-error.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { existingTask } from './existing-task.ts';

export interface WantedTasks extends PageRequest {
  readonly account?: string | undefined;
  readonly kind?: string | undefined;
  readonly stage?: string | undefined;
  /** Lists only tasks that are not final; cannot be combined with a stage. */
  readonly isOpen?: boolean | undefined;
  /** The channel that was asked last. */
  readonly channel?: string | undefined;
}

/** Resolves to a page of the tasks, newest first. Throws `AdminError`. */
export async function listTasks(
  { tasks }: { readonly tasks: Pick<TaskStore, 'list'> },
  { account, kind, stage, isOpen = false, channel, ...page }: WantedTasks,
): Promise<Page<Task>> {
  const limit = limitOf(page);
  const [createdAt, id] = placeAfter(page, 2) ?? [];
  if (isOpen && stage !== undefined) throw new AdminError('invalid_value', 'stage', 'cannot be combined with "open"');
  const query = {
    ...(account !== undefined && { accountId: account }),
    ...(kind !== undefined && { kind: oneOf<TaskKind>('kind', TASK_KINDS, kind) }),
    ...(stage !== undefined && { stages: [oneOf<TaskStage>('stage', TASK_STAGES, stage)] }),
    ...(isOpen && { stages: TASK_STAGES.filter((known) => !isFinal(known)) }),
    ...(channel !== undefined && { channelId: channel }),
    ...(id !== undefined && { before: { createdAtMs: Number(createdAt), id } }),
  };
  const found = await tasks.list(query, limit + 1);
  return pageOf(found, limit, (task) => [String(task.createdAtMs), task.id]);
}

export interface ShownTask {
  readonly task: Task;
  /** The reservation for the task; `null` for none. */
  readonly hold: Hold | null;
}

/** Resolves to a task of this account, or of any account if it is `null`. Throws `AdminError`. */
export async function showTask(
  stores: { readonly tasks: Pick<TaskStore, 'find'>; readonly holds: Pick<Holds, 'find'> },
  id: string,
  accountId: string | null,
): Promise<ShownTask> {
  const task = await existingTask(stores, id, accountId);
  return { task, hold: await stores.holds.find(task.requestId) };
}

function oneOf<Name extends string>(field: string, names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  throw new AdminError('invalid_value', field, `must be one of ${names.join(', ')}`);
}
