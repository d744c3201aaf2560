import { isFinal, type Task, type TaskEnding } from '../../../domain/tasks/task.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Holds } from '../../ports/holds.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RequestLog } from '../../ports/request-log.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { TaskSettings } from '../../settings/settings.ts';
import { type TakingPorts, takeAndEnd } from '../../tasks/take-and-end.ts';
import { AdminError } from '../admin-error.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { existingTask } from './read-tasks.ts';

interface Stores {
  readonly tasks: Pick<TaskStore, 'find' | 'change' | 'takeBack'>;
  readonly holds: Pick<Holds, 'find' | 'release'>;
  readonly requestLog: Pick<RequestLog, 'append'>;
  readonly trail: AuditTrail;
}

interface Means {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
  readonly settings: Pick<TaskSettings, 'keepMs'>;
}

const LONGEST_REASON = 500;
const KIND = 'ended_by_operator';
/** A running gateway may claim the task again between two steps, and does so at most every two seconds. */
const MOST_TRIES = 20;
const TRY_AGAIN_MS = 100;

/**
 * Ends a task as failed, and releases the amount reserved for it. The upstream is not asked, so the job may continue there. A process that
 * has claimed the task loses it first. Throws `AdminError`.
 *
 * @param reason a sentence that the client receives as the task's `error`
 */
export async function failTask(stores: Stores, means: Means, id: string, reason: string): Promise<Task> {
  const ending = endingBy(reason);
  const before = { stage: (await existingTask(stores, id)).stage };
  for (let tries = 1; ; tries++) {
    const task = await existingTask(stores, id);
    const isOurs = task.ending?.kind === 'failed' && task.ending.failureKind === KIND && tries > 1;
    if (isFinal(task.stage) && isOurs) {
      const { accountId } = task;
      await stores.trail.note({ action: 'task.fail', accountId, objectId: task.id, before, after: { reason } });
      return task;
    }
    if (!isOurs) refuseEnded(task);
    if (tries > MOST_TRIES) throw new AdminError('conflict', 'task', `"${task.id}" could not be claimed; try again`);
    // The ending is written, and another process is about to carry it out.
    if (isOurs) await Bun.sleep(TRY_AGAIN_MS);
    else await tryToEnd(stores, means, task.id, ending);
  }
}

async function tryToEnd(stores: Stores, means: Means, id: string, ending: TaskEnding): Promise<void> {
  const ended = await takeAndEnd(endingPorts(stores, means), id, ending);
  if (ended === 'later') throw new Error('the end of the task was not fully stored; run the command again');
}

function refuseEnded({ id, stage, ending }: Task): void {
  if (isFinal(stage)) throw new AdminError('conflict', 'task', `"${id}" is ${stage}, which is final`);
  if (ending === null) return;
  const known = ending.kind === 'made' ? 'the provider has completed it' : 'it has failed';
  const rest = 'only its charge and files are pending ("switchyard tasks retry-poll" retries them now)';
  throw new AdminError('conflict', 'task', `the outcome of "${id}" is already decided: ${known}, and ${rest}`);
}

/** Returns an ending that names neither the model nor the provider, so that it does not count in success rates. */
function endingBy(reason: string): TaskEnding {
  const message = reason.trim();
  if (message === '' || message.length > LONGEST_REASON || /\p{Cc}/u.test(message)) {
    const problem = `must be a message for the client: 1 to ${LONGEST_REASON} characters, on one line`;
    throw new AdminError('invalid_value', 'reason', problem);
  }
  return { kind: 'failed', code: 'client_closed_request', failureKind: KIND, message };
}

/** Returns ports that end tasks with only a store, since no gateway runs in this process. */
function endingPorts({ tasks, holds, requestLog }: Stores, { clock, logger, settings }: Means): TakingPorts {
  return {
    ...{ tasks, clock, logger, settings, log: requestLog },
    metrics: { taskEnded() {} },
    billing: {
      async resume(id) {
        if ((await holds.find(id)) === null) return null;
        return {
          ...{ id, applied: null },
          settle: () => Promise.reject(new Error('A task that an operator ends cannot have a charge.')),
          release: async () => void (await holds.release(id, clock.nowMs())),
        };
      },
    },
  };
}

/**
 * Takes a task from the process that has claimed it, so that the next process that claims tasks (possibly the same one) polls its job at
 * once, without the backoff of failed polls. A task whose job is just being submitted is left alone, since the upstream's answer would be
 * lost. Throws `AdminError`.
 */
export async function retryPoll(
  stores: { readonly tasks: Pick<TaskStore, 'find' | 'takeBack'>; readonly trail: AuditTrail },
  id: string,
): Promise<Task> {
  const task = await existingTask(stores, id);
  const { stage } = task;
  const named = `"${task.id}"`;
  if (stage === 'created' || stage === 'submitting') {
    const problem = `${named} is ${stage}: the provider has not accepted the job yet, so there is nothing to poll`;
    throw new AdminError('conflict', 'task', problem);
  }
  const wasOpen = (stage === 'submitted' || stage === 'closing') && (await stores.tasks.takeBack(task.id));
  if (wasOpen) {
    const { accountId } = task;
    await stores.trail.note({ action: 'task.retry_poll', accountId, objectId: task.id, before: { stage } });
    return task;
  }
  const { stage: last } = await existingTask(stores, id);
  throw new AdminError('conflict', 'task', `${named} is ${last}, which is final: it is no longer polled`);
}
