import { Failure } from '../../domain/failure/failure.ts';
import type { JobReport } from '../../domain/tasks/job.ts';
import type { TaskChanges } from '../../domain/tasks/task.ts';
import type { Target } from '../directory/target.ts';
import { askUpstream, idsOfTask } from './ask-upstream.ts';
import type { PolledJobs } from './pollable-jobs.ts';
import type { PolledTask } from './polled-task.ts';
import type { TaskPorts } from './task-ports.ts';

/** A job may appear with a delay after it was accepted. */
const MOST_SEARCHES = 5;
const NOT_FOUND: ReadonlySet<string> = new Set(['http_404', 'http_410']);

/**
 * Asks the upstream whether it has accepted a job whose submission has an unknown outcome. `none`: it has not, or cannot be asked; `later`:
 * it is not known yet; `lost`: the task belongs to another process. Otherwise resolves to the job's report, and the task is `submitted`.
 */
export async function findJob(
  ports: TaskPorts,
  polled: PolledTask,
  wire: PolledJobs,
  target: Target,
): Promise<JobReport | 'none' | 'later' | 'lost'> {
  const { task } = polled;
  const { address } = task.target?.asked ?? {};
  const context = { reference: task.id, ...(address !== undefined && { address }) };
  if (wire.find === undefined || wire.decodeFound === undefined) return 'none';
  const answer = await askUpstream(ports.upstream, target, {
    accountId: task.accountId,
    poll: wire.find(context, target),
    ids: idsOfTask(ports, task, target),
    holdsFiles: wire.holdsFiles === true,
  });
  const read = answer instanceof Failure ? answer : wire.decodeFound(answer, context, target);
  const found = read instanceof Failure && NOT_FOUND.has(read.kind) ? null : read;
  if (found === null || found instanceof Failure) {
    polled.couldNotBeAsked(found === null ? 'The provider does not have this job.' : found.message);
    return found === null && polled.task.pollErrors >= MOST_SEARCHES ? 'none' : 'later';
  }
  const changes: TaskChanges = {
    ...{ stage: 'submitted', ticket: found.ticket, submittedAtMs: ports.clock.nowMs() },
    ...{ pollErrors: 0, lastPollError: null },
  };
  if (!(await ports.tasks.change(task.id, task.claim, changes))) return 'lost';
  polled.task = { ...polled.task, ...changes };
  return found.report;
}
