import type { Failure } from '../../domain/failure/failure.ts';
import type { JobReport, JobTicket } from '../../domain/tasks/job.ts';
import type { Task, TaskChanges, TaskEnding } from '../../domain/tasks/task.ts';
import { PollHistory } from './poll-history.ts';
import type { Due } from './poll-schedule.ts';

const LONGEST_ERROR = 500;

/** A task that this process follows, with its changes that have not been written yet. */
export class PolledTask implements Due {
  dueAtMs = 0;
  /** Whether another process has it, or it is final. */
  isDropped = false;
  /** Whether it is polled separately, because an answer about several jobs did not name it. */
  isAskedAlone = false;
  /** The upstream's answer to the submission if that already ended the job: there may be no URL to poll. */
  firstReport: JobReport | null = null;
  /** The ending, until it has been written. */
  ending: TaskEnding | null = null;
  /** The time of the monotonic clock when its channel was first missing. */
  private withoutChannelSinceMs: number | null = null;
  /** The number of failed attempts to copy its public files. */
  failedCopies = 0;
  /** The polls so far; `null` if no trace shows them. */
  polls: PollHistory | null = null;
  /** When the running poll began, in milliseconds since 1970; `null` if none runs. */
  private polledAtMs: number | null = null;

  constructor(
    public task: Task,
    private unsaved: TaskChanges | null,
  ) {}

  pollBegan(nowMs: number): void {
    this.polledAtMs = nowMs;
  }

  /** Notes the end of the running poll for the trace of the task. */
  pollEnded(report: JobReport | Failure, nowMs: number): void {
    if (this.polledAtMs === null) return;
    this.polls ??= new PollHistory();
    this.polls.note(report, this.polledAtMs, nowMs);
    this.polledAtMs = null;
  }

  /** Notes that its channel is missing. Returns for how many milliseconds it has been missing. */
  withoutChannelForMs(nowMs: number): number {
    this.withoutChannelSinceMs ??= nowMs;
    return nowMs - this.withoutChannelSinceMs;
  }

  hasChannel(): void {
    this.withoutChannelSinceMs = null;
  }

  get isAlone(): boolean {
    return this.isAskedAlone || this.firstReport !== null;
  }

  get changes(): TaskChanges | null {
    return this.unsaved;
  }

  takeChanges(): TaskChanges {
    const changes = this.unsaved ?? {};
    this.unsaved = null;
    return changes;
  }

  /** Restores changes that could not be written; newer values win. */
  putBack(changes: TaskChanges): void {
    this.unsaved = { ...changes, ...this.unsaved };
  }

  works({ status, progress, ticket }: Extract<JobReport, { state: 'working' }>): void {
    const { task } = this;
    // Upstreams answer out of order: progress never decreases, and a job in progress never becomes pending again.
    const isProcessing = task.isProcessing || status === 'processing';
    const further = progress !== null && progress > (task.progress ?? -1) ? Math.min(99, progress) : task.progress;
    this.change({
      ...(isProcessing !== task.isProcessing && { isProcessing }),
      ...(further !== task.progress && { progress: further }),
      // Some wires repeat the ticket in every answer, and unchanged tickets are not written.
      ...(ticket !== undefined && !isSameTicket(ticket, task.ticket) && { ticket }),
      ...(task.pollErrors > 0 && { pollErrors: 0, lastPollError: null }),
    });
  }

  couldNotBeAsked(why: string): void {
    const lastPollError = why.slice(0, LONGEST_ERROR);
    this.change({ pollErrors: this.task.pollErrors + 1, lastPollError });
  }

  /** Changes the task in memory. The change is written a little later, in one batch with others. */
  change(changes: TaskChanges): void {
    if (Object.keys(changes).length === 0) return;
    this.task = { ...this.task, ...changes };
    this.unsaved = { ...this.unsaved, ...changes };
  }
}

function isSameTicket(one: JobTicket, other: JobTicket | null): boolean {
  const names = Object.keys(one);
  return (
    other !== null && names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  );
}
