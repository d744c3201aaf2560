import { Failure } from '../../domain/failure/failure.ts';
import { isFinal, type Task, type TaskTarget } from '../../domain/tasks/task.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import type { JobCancel, PollRequest } from '../../formats/shared/tasks/wire.ts';
import type { WireAnswer } from '../../formats/wire.ts';
import type { Target } from '../directory/target.ts';
import { askUpstream, idsOfTask } from './ask-upstream.ts';
import {
  cancelUnknown,
  cannotCancel,
  hasBegun,
  hasFinished,
  isOver,
  notStored,
  notSubmitted,
  refusedByProvider,
  taskNotFound,
  tooManyCancels,
} from './cancel-failures.ts';
import { CANCELLED, isCancelled } from './cancelled.ts';
import { type PolledJobs, polledJobs } from './pollable-jobs.ts';
import { takeAndEnd } from './take-and-end.ts';
import type { TaskPorts } from './task-ports.ts';

/** After this time an account may ask the upstream again about a task that it was asked to cancel. */
const AGAIN_AFTER_MS = 60_000;
/** Cancellations that this process asks upstreams for at a time, of one account and of all. */
const MOST_OF_ACCOUNT = 4;
const MOST = 64;
/** A running gateway may claim the task between two steps, and does so at most every two seconds. */
const MOST_TRIES = 20;
const TRY_AGAIN_MS = 100;

/** The road to the job of a task that can be cancelled. */
interface Way {
  readonly place: TaskTarget;
  readonly wire: PolledJobs;
  readonly cancel: JobCancel;
  readonly request: PollRequest;
  readonly target: Target;
}

/**
 * Cancels tasks at their upstreams. The intention is stored before the upstream is asked, so that after a crash the task still ends as
 * cancelled if the upstream has ended its job. Money is released by the usual end of a task; a result that comes first is charged as usual.
 */
export class TaskCanceller {
  /** The running cancellations, by task. */
  private readonly running = new Map<string, Promise<Task | Failure>>();
  private readonly countOf = new Map<string, number>();

  constructor(private readonly ports: TaskPorts) {}

  /**
   * Resolves to the task as it is afterwards: ended as cancelled, or still open while the upstream has not yet said what becomes of its job.
   * A failure says why the task goes on or is over. A task that is cancelled already is no failure.
   *
   * @param accountId the account that must own the task; any account if `null`
   */
  async cancel(id: string, accountId: string | null): Promise<Task | Failure> {
    const task = await this.ports.tasks.find(id);
    if (task === null || task.deletedAtMs !== null) return taskNotFound();
    if (accountId !== null && task.accountId !== accountId) return taskNotFound();
    const own = this.countOf.get(task.accountId) ?? 0;
    const same = this.running.get(id);
    if (same !== undefined) return await same;
    const way = this.wayTo(task);
    if (way instanceof Failure) return isCancelled(task) ? task : way;
    if (own >= MOST_OF_ACCOUNT || this.running.size >= MOST) return tooManyCancels();
    this.countOf.set(task.accountId, own + 1);
    const work = this.ask(task, way)
      .catch((error: unknown) => {
        this.ports.logger.error({ taskId: id, ...describeError(error) }, 'a task could not be cancelled');
        return notStored();
      })
      .finally(() => this.isOver(task));
    this.running.set(id, work);
    return await work;
  }

  private isOver({ id, accountId }: Task): void {
    this.running.delete(id);
    const left = (this.countOf.get(accountId) ?? 1) - 1;
    if (left > 0) this.countOf.set(accountId, left);
    else this.countOf.delete(accountId);
  }

  private wayTo(task: Task): Way | Failure {
    if (isFinal(task.stage) || task.stage === 'closing') return isOver(task);
    const { target: place, ticket } = task;
    if (task.stage !== 'submitted' || place === null || ticket === null) return notSubmitted();
    const wire = polledJobs(place.wire);
    const { cancel } = wire ?? {};
    const target = this.ports.directory().jobWay(place, task.modelId);
    const request = target === null ? null : (cancel?.request(ticket, target) ?? null);
    if (wire === null || cancel === undefined || target === null || request === null)
      return cannotCancel(place.provider);
    return { place, wire, cancel, request, target };
  }

  private async ask(task: Task, way: Way): Promise<Task | Failure> {
    const problem = await this.problemWith(task, way);
    if (problem !== null) return problem;
    const { tasks, clock } = this.ports;
    const askedAtMs = Math.floor(clock.nowMs());
    if (!(await tasks.askToCancel(task.id, askedAtMs, AGAIN_AFTER_MS))) return await this.current(task);
    const said = await this.answerOf(task, way, way.request, (answer) => way.cancel.decode(answer));
    if (said === 'ended') return await this.end(task);
    if (said instanceof Failure && isRefusal(said)) {
      await tasks.cancelRefused(task.id, askedAtMs);
      return refusedByProvider(said);
    }
    // The next process that claims the task polls its job soon, and knows that it was to be cancelled.
    await tasks.takeBack(task.id);
    return said instanceof Failure && !isGone(said) ? cancelUnknown(said) : await this.current(task);
  }

  /** Asks for the state of the job first, since some upstreams delete the result of a finished job instead of refusing to cancel it. */
  private async problemWith(task: Task, way: Way): Promise<Failure | null> {
    const { wire, cancel, target, place } = way;
    const ticket = task.ticket ?? {};
    const poll = wire.poll(ticket, target);
    const report = await this.answerOf(task, way, poll, (answer) => wire.decodePoll(answer, ticket, target));
    if (report instanceof Failure) return cancelUnknown(report);
    if (report.state !== 'working') return hasFinished();
    if (report.status === 'pending') return null;
    if (cancel.endsBegun === undefined) return hasBegun(place.provider, 'ends only jobs that are queued');
    // The operator would pay for the work that was done.
    return target.isPrivate || cancel.endsBegun === 'free'
      ? null
      : hasBegun(place.provider, 'may bill what it has done');
  }

  private async answerOf<Said>(
    task: Task,
    { wire, target }: Way,
    poll: PollRequest,
    read: (answer: WireAnswer) => Said | Failure,
  ): Promise<Said | Failure> {
    const answer = await askUpstream(this.ports.upstream, target, {
      accountId: task.accountId,
      poll,
      ids: idsOfTask(this.ports, task, target),
      holdsFiles: wire.holdsFiles === true,
    });
    if (answer instanceof Failure) return answer;
    try {
      return read(answer);
    } catch (error) {
      const { error: message } = describeError(error);
      return new Failure('upstream_error', { kind: 'garbage', message: `The answer could not be read. ${message}` });
    }
  }

  private async end(task: Task): Promise<Task | Failure> {
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      if ((await takeAndEnd(this.ports, task.id, CANCELLED)) !== 'lost') break;
      const known = await this.ports.tasks.find(task.id);
      if (known === null || known.stage !== 'submitted') break;
      await Bun.sleep(TRY_AGAIN_MS * this.ports.random());
    }
    return await this.current(task);
  }

  /** Returns the task as it is now, or why it cannot be cancelled any more. */
  private async current({ id }: Task): Promise<Task | Failure> {
    const known = await this.ports.tasks.find(id);
    if (known === null || known.deletedAtMs !== null) return taskNotFound();
    const isEnded = isFinal(known.stage) || known.stage === 'closing';
    return isEnded && !isCancelled(known) ? isOver(known) : known;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['http_400', 'http_403', 'http_405', 'http_409', 'http_422']);

/** Returns whether the upstream has answered that the job goes on. */
function isRefusal({ kind, side }: Failure): boolean {
  return REFUSALS.has(kind) || (side === 'client' && !isGone({ kind }));
}

function isGone({ kind }: Pick<Failure, 'kind'>): boolean {
  return kind === 'http_404' || kind === 'http_410';
}
