import { Failure } from '../../domain/failure/failure.ts';
import type { JobReport } from '../../domain/tasks/job.ts';
import type { Task, TaskChanges, TaskTarget } from '../../domain/tasks/task.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import type { BatchedPolls } from '../../formats/shared/tasks/wire.ts';
import type { WireAnswer } from '../../formats/wire.ts';
import type { Target } from '../directory/target.ts';
import { askUpstream, idsOfTask, type UpstreamQuestion } from './ask-upstream.ts';
import { findJob } from './find-job.ts';
import type { TaskKeeper } from './opening-task.ts';
import { OwnedTasks } from './owned-tasks.ts';
import {
  channelRemoved,
  interrupted,
  isAboutQuestion,
  jobLost,
  nothingSaid,
  resultLost,
  tooLate,
  unreadable,
} from './poll-failures.ts';
import { PollQuota } from './poll-quota.ts';
import { firstWaitMs, USUAL_INTERVALS, waitMs } from './poll-schedule.ts';
import { type PolledJobs, polledJobs } from './pollable-jobs.ts';
import { PolledTask } from './polled-task.ts';
import { TaskFinisher } from './task-finisher.ts';
import type { TaskPorts } from './task-ports.ts';

const TICK_MS = 50;
const SAVE_MS = 250;
const CLAIM_MS = 2_000;
const OWN_MS = 10_000;
/** The delay if this version of the gateway does not know the wire; another version may take the task over. */
const NO_WAY_MS = 30_000;
/** How long a channel must be missing before its tasks end: this process may not have read the latest configuration yet. */
const REMOVED_FOR_MS = 5_000;
/** A job is lost after this many unsuccessful polls: at first, not all of a provider's servers may know it. */
const MOST_UNKNOWN = 10;
/** Far fewer suffice for a job that was to be cancelled. */
const MOST_UNKNOWN_CANCELLED = 2;
const UNKNOWN_FOR_MS = 120_000;
/** A result that cannot be copied for about eight minutes is abandoned. */
const COPIES_UNTIL_LOST = 8;
/** The delay after an error in the gateway itself. */
const BROKEN_MS = 5_000;
const GONE: ReadonlySet<string> = new Set(['http_404', 'http_410']);

/** One poll about one job, or about several of one channel. */
interface Question {
  readonly tasks: PolledTask[];
  readonly wire: PolledJobs;
  readonly target: Target;
}

/**
 * Follows the tasks of this process: polls upstreams about their jobs, writes changes, and ends the tasks. Takes over tasks whose process
 * has ended. A failed poll does not fail a task.
 */
export class TaskPoller implements TaskKeeper {
  private readonly owned: OwnedTasks;
  private readonly finisher: TaskFinisher;
  private readonly timers: (() => void)[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly quota: PollQuota;
  private isStopped = false;

  constructor(private readonly ports: TaskPorts) {
    this.quota = new PollQuota(ports.settings.pollsPerSecond, ports.clock.monotonicMs());
    this.owned = new OwnedTasks(ports);
    this.finisher = new TaskFinisher(ports);
  }

  /** The number of tasks that this process follows. */
  get size(): number {
    return this.owned.size;
  }

  async start(): Promise<void> {
    await this.owned.claim();
    const every = (ms: number, work: () => void) => this.timers.push(this.ports.every(ms, work));
    every(TICK_MS, () => this.tick());
    every(SAVE_MS, () => this.track(this.owned.save()));
    every(CLAIM_MS, () => this.track(this.owned.claim()));
    every(OWN_MS, () => this.track(this.owned.dropLost()));
  }

  /** Releases all tasks, so that another process takes them over at once. */
  async stop(graceMs = 5_000): Promise<void> {
    this.isStopped = true;
    this.owned.stop();
    for (const end of this.timers) end();
    await Promise.race([Promise.allSettled([...this.running]), Bun.sleep(graceMs)]);
    await this.owned.release();
  }

  adopt(task: Task, unsaved: TaskChanges | null, report: JobReport | null): void {
    const { clock, settings, random } = this.ports;
    const polled = new PolledTask(task, unsaved);
    polled.firstReport = report;
    const { intervals = USUAL_INTERVALS } = wireOf(task) ?? {};
    const isNew = task.stage === 'submitted' && task.submittedAtMs !== null && report === null;
    const wait = isNew ? firstWaitMs(intervals, settings.pollIntervalMs, random) : 0;
    this.owned.add(polled, clock.monotonicMs() + wait);
    // The upstream's report is stored nowhere else, and a stop waits only for work that has begun.
    if (report !== null) this.tick();
  }

  // ---- what is due

  private tick(): void {
    if (this.isStopped) return;
    const nowMs = this.ports.clock.monotonicMs();
    const questions = new Map<string, Question>();
    while (this.quota.isOpen(nowMs)) {
      const polled = this.owned.next(nowMs);
      if (polled === null) break;
      if (!polled.isDropped) this.beginSafely(polled, questions);
    }
    for (const question of questions.values()) this.askTogether(question);
  }

  /** Keeps an error with one task from blocking the others that are due. */
  private beginSafely(polled: PolledTask, questions: Map<string, Question>): void {
    try {
      this.begin(polled, questions);
    } catch (error) {
      this.look(polled, Promise.reject(error));
    }
  }

  private begin(polled: PolledTask, questions: Map<string, Question>): void {
    const { task } = polled;
    if (polled.ending !== null || task.stage === 'closing') this.look(polled, this.finish(polled));
    else if (task.target === null || task.stage === 'created') this.look(polled, this.interrupted(polled));
    else this.askAbout(polled, task.target, questions);
  }

  private askAbout(polled: PolledTask, place: TaskTarget, questions: Map<string, Question>): void {
    const { task } = polled;
    const wire = polledJobs(place.wire);
    const target = this.ports.directory().jobWay(place, task.modelId);
    const waitMs = this.quota.waitMs(task.accountId, place.channelId, { hasOthers: this.owned.accountCount > 1 });
    if (!this.ports.directory().hasPlace(place)) {
      this.withoutChannel(polled);
    } else if (wire === null || target === null) {
      this.withoutWay(polled);
    } else if (waitMs > 0) {
      this.postpone(polled, waitMs);
    } else if (task.stage === 'submitting') {
      this.look(polled, this.find(polled, wire, target));
    } else if (task.ticket === null) {
      this.look(polled, this.interrupted(polled));
    } else if (wire.batch === undefined || polled.isAlone || wire.batch.takes?.(task.ticket) === false) {
      this.look(polled, this.askAlone(polled, wire, target));
    } else {
      this.join(polled, { wire, target, most: wire.batch.most }, questions);
    }
  }

  /** Adds the task to a poll about several tasks of its channel. */
  private join(
    polled: PolledTask,
    { wire, target, most }: Pick<Question, 'wire' | 'target'> & { readonly most: number },
    questions: Map<string, Question>,
  ): void {
    const key = `${target.place} ${wire.name} ${target.upstreamModel}`;
    const question = questions.get(key);
    if (question !== undefined && question.tasks.length < most) {
      question.tasks.push(polled);
      return;
    }
    if (question !== undefined) this.askTogether(question);
    questions.set(key, { tasks: [polled], wire, target });
  }

  private track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.ports.logger.error(describeError(error), 'tasks could not be processed'))
      .finally(() => this.running.delete(tracked));
    this.running.add(tracked);
  }

  /** Retries errors here, such as a failed write, until the deadline, so that no task is forgotten. */
  private look(polled: PolledTask, work: Promise<void>): void {
    this.track(
      work.catch(async (error: unknown) => {
        const { task, ending } = polled;
        this.ports.logger.error({ taskId: task.id, ...describeError(error) }, 'a task could not be processed');
        if (ending === null && task.ending === null && this.isTooLate(task)) await this.end(polled, tooLate(task));
        else this.owned.put(polled, BROKEN_MS * (1 + this.ports.random()));
      }),
    );
  }

  private isTooLate({ deadlineMs }: Task): boolean {
    return this.ports.clock.nowMs() >= deadlineMs;
  }

  /** Polls a channel, within the quota. */
  private async asked(
    polled: PolledTask,
    target: Target,
    { poll, ids }: Pick<UpstreamQuestion, 'poll' | 'ids'>,
    read: (answer: WireAnswer) => void,
  ): Promise<Failure | null> {
    const { accountId } = polled.task;
    const channelId = target.channel.id;
    let release = (): void => undefined;
    const buffered = this.ports.answers.open(accountId, (over) => {
      release = over;
    });
    this.quota.begin(accountId, channelId);
    try {
      const holdsFiles = wireOf(polled.task)?.holdsFiles === true;
      const question = { accountId, poll, ids, take: buffered.takeWhole, holdsFiles };
      const answer = await askUpstream(this.ports.upstream, target, question);
      if (answer instanceof Failure) return answer;
      read(answer);
      return null;
    } finally {
      this.quota.end(accountId, channelId);
      release();
    }
  }

  // ---- questions

  private pollBegan(tasks: readonly PolledTask[]): void {
    if (!this.ports.tracing) return;
    const nowMs = this.ports.clock.nowMs();
    for (const polled of tasks) polled.pollBegan(nowMs);
  }

  private async askAlone(polled: PolledTask, wire: PolledJobs, target: Target): Promise<void> {
    if (polled.firstReport !== null) return await this.heard(polled, polled.firstReport, wire, target);
    const ticket = polled.task.ticket ?? {};
    this.pollBegan([polled]);
    if (wire.isAskable?.(ticket) === false) return await this.interrupted(polled);
    let report: JobReport | Failure = nothingSaid();
    try {
      const ids = idsOfTask(this.ports, polled.task, target);
      const failure = await this.asked(polled, target, { poll: wire.poll(ticket, target), ids }, (answer) => {
        report = wire.decodePoll(answer, ticket, target);
      });
      if (failure !== null) report = wire.decodeRefusal?.(failure, ticket) ?? failure;
    } catch (error) {
      report = unreadable(error);
    }
    polled.isAskedAlone = false;
    await this.heard(polled, report, wire, target);
  }

  private askTogether({ tasks, wire, target }: Question): void {
    const { batch } = wire;
    const [first, second] = tasks;
    if (first === undefined || batch === undefined) return;
    if (second === undefined) this.look(first, this.askAlone(first, wire, target));
    else this.track(this.askBatch(first, tasks, { wire, target, batch }));
  }

  private async askBatch(
    first: PolledTask,
    tasks: readonly PolledTask[],
    { wire, target, batch }: Pick<Question, 'wire' | 'target'> & { readonly batch: BatchedPolls },
  ): Promise<void> {
    const tickets = tasks.map(({ task }) => task.ticket ?? {});
    this.pollBegan(tasks);
    let reports: readonly (JobReport | null)[] | Failure = nothingSaid();
    try {
      // The poll belongs to several requests.
      const question = { poll: batch.poll(tickets, target), ids: null };
      const failure = await this.asked(first, target, question, (answer) => {
        reports = batch.decode(answer, tickets, target);
      });
      if (failure !== null) reports = failure;
    } catch (error) {
      reports = unreadable(error);
    }
    for (const [index, polled] of tasks.entries()) {
      const report = reports instanceof Failure ? reports : (reports[index] ?? null);
      if (reports instanceof Failure && isAboutQuestion(reports, polled.task)) polled.isAskedAlone = true;
      if (report !== null) this.look(polled, this.heard(polled, report, wire, target));
      else {
        polled.isAskedAlone = true;
        this.again(polled, 0, wire);
      }
    }
  }

  private async heard(
    polled: PolledTask,
    report: JobReport | Failure,
    wire: PolledJobs,
    target: Target,
  ): Promise<void> {
    if (polled.isDropped) return;
    polled.hasChannel();
    polled.pollEnded(report, this.ports.clock.nowMs());
    const kind = report instanceof Failure ? report.kind : null;
    this.ports.metrics.taskPolled({ provider: target.channel.provider, channelId: target.channel.id, kind });
    if (report instanceof Failure) return await this.pollFailed(polled, report, wire);
    if (report.state === 'failed') return await this.end(polled, report.failure);
    if (report.state === 'working') {
      polled.works(report);
      return await this.waits(polled, report.afterMs ?? null, wire);
    }
    const finished = await this.finisher.made(polled, report.result, target);
    if (finished === 'busy') this.again(polled, null, wire);
    else if (!(finished instanceof Failure)) this.over(polled, finished);
    else if (finished.kind === 'media_store_off' || polled.failedCopies >= COPIES_UNTIL_LOST) {
      await this.end(polled, resultLost(finished));
    } else await this.pollFailed(polled, finished, wire);
  }

  private async pollFailed(polled: PolledTask, failure: Failure, wire: PolledJobs): Promise<void> {
    polled.couldNotBeAsked(failure.message);
    const { task } = polled;
    const isOld = task.pollErrors >= MOST_UNKNOWN && this.ageMs(task) >= UNKNOWN_FOR_MS;
    const isCancelled = task.cancelAskedAtMs !== null && task.pollErrors >= MOST_UNKNOWN_CANCELLED;
    if (GONE.has(failure.kind) && (isOld || isCancelled)) return await this.end(polled, jobLost());
    await this.waits(polled, failure.details.retryAfterMs ?? null, wire);
  }

  /** Schedules the next poll, unless the deadline has passed. */
  private async waits(polled: PolledTask, afterMs: number | null, wire: PolledJobs): Promise<void> {
    if (this.isTooLate(polled.task)) return await this.end(polled, tooLate(polled.task));
    this.again(polled, afterMs, wire);
  }

  private again(
    polled: PolledTask,
    afterMs: number | null,
    { intervals = USUAL_INTERVALS }: Pick<PolledJobs, 'intervals'>,
  ) {
    const { settings, random, clock } = this.ports;
    const { task } = polled;
    const waiting = { ageMs: this.ageMs(task), errors: task.pollErrors, afterMs, fixedMs: settings.pollIntervalMs };
    const leftMs = task.deadlineMs - clock.nowMs();
    // A finished job whose result waits to be copied may have passed its deadline.
    this.owned.put(polled, Math.min(leftMs > 0 ? leftMs : Infinity, waitMs(intervals, waiting, random)));
  }

  private ageMs({ submittedAtMs, createdAtMs }: Task): number {
    return this.ports.clock.nowMs() - (submittedAtMs ?? createdAtMs);
  }

  /** Ends the task of a removed channel, whose key polling needs. One that is disabled or lacks the model is still polled. */
  private withoutChannel(polled: PolledTask): void {
    const leftMs = REMOVED_FOR_MS - polled.withoutChannelForMs(this.ports.clock.monotonicMs());
    if (leftMs > 0) this.owned.put(polled, leftMs);
    else this.look(polled, this.end(polled, channelRemoved()));
  }

  private withoutWay(polled: PolledTask): void {
    polled.couldNotBeAsked('This version of the gateway cannot poll this provider’s jobs.');
    const leftMs = Math.max(0, polled.task.deadlineMs - this.ports.clock.nowMs());
    this.postpone(polled, Math.min(NO_WAY_MS, leftMs));
  }

  /** Postpones a poll that cannot be sent now. At an unresponsive channel that may continue for hours. */
  private postpone(polled: PolledTask, waitMs: number): void {
    if (this.isTooLate(polled.task)) this.look(polled, this.end(polled, tooLate(polled.task)));
    else this.owned.put(polled, waitMs);
  }

  // ---- submissions with an unknown outcome

  private async find(polled: PolledTask, wire: PolledJobs, target: Target): Promise<void> {
    const { accountId } = polled.task;
    const channelId = target.channel.id;
    this.quota.begin(accountId, channelId);
    const found = await findJob(this.ports, polled, wire, target).finally(() => this.quota.end(accountId, channelId));
    if (found === 'none') await this.interrupted(polled);
    else if (found === 'lost') this.owned.drop(polled);
    else if (found === 'later') await this.waits(polled, null, wire);
    else await this.heard(polled, found, wire, target);
  }

  private interrupted(polled: PolledTask): Promise<void> {
    return this.end(polled, interrupted(polled.task));
  }

  // ---- ends

  private async end(polled: PolledTask, failure: Failure): Promise<void> {
    this.over(polled, await this.finisher.failed(polled, failure));
  }

  private async finish(polled: PolledTask): Promise<void> {
    this.over(polled, await this.finisher.finish(polled));
  }

  private over(polled: PolledTask, ended: 'ended' | 'lost' | 'later'): void {
    if (ended === 'later') this.owned.put(polled, 1_000 * (1 + this.ports.random()));
    else this.owned.drop(polled);
  }
}

function wireOf({ target }: Task): PolledJobs | null {
  return target === null ? null : polledJobs(target.wire);
}
