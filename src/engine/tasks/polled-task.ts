import type { JobReport, JobTicket } from '../../domain/tasks/job.ts';
import type { Task, TaskChanges, TaskEnding } from '../../domain/tasks/task.ts';
import type { Due } from './poll-schedule.ts';

const LONGEST_ERROR = 500;

/** A task that this process looks after, as it knows it, and what of that is not written yet. */
export class PolledTask implements Due {
  dueAtMs = 0;
  /** Another process has it, or it is final. */
  isDropped = false;
  /** An answer about several jobs did not name it. */
  isAskedAlone = false;
  /** What the upstream has said at the submission, where that was the end already: there may be nowhere to ask for it again. */
  firstReport: JobReport | null = null;
  /** How it ends, where that could not be written yet. */
  ending: TaskEnding | null = null;
  /** When its channel was first found missing, by the monotonic clock. */
  private withoutChannelSinceMs: number | null = null;
  /** How often its public files could not be copied. */
  failedCopies = 0;

  constructor(
    public task: Task,
    private unsaved: TaskChanges | null,
  ) {}

  /** Its channel is not there now. Returns for how long that has been so. */
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

  /** What could not be written; newer values win. */
  putBack(changes: TaskChanges): void {
    this.unsaved = { ...changes, ...this.unsaved };
  }

  works({ status, progress, ticket }: Extract<JobReport, { state: 'working' }>): void {
    const { task } = this;
    // Progress never goes back, and a job that is worked on does not wait again: upstreams answer out of order.
    const isProcessing = task.isProcessing || status === 'processing';
    const further = progress !== null && progress > (task.progress ?? -1) ? Math.min(99, progress) : task.progress;
    this.change({
      ...(isProcessing !== task.isProcessing && { isProcessing }),
      ...(further !== task.progress && { progress: further }),
      // Some wires tell the same ticket with every answer; what has not changed is not written.
      ...(ticket !== undefined && !isSameTicket(ticket, task.ticket) && { ticket }),
      ...(task.pollErrors > 0 && { pollErrors: 0, lastPollError: null }),
    });
  }

  couldNotBeAsked(why: string): void {
    const lastPollError = why.slice(0, LONGEST_ERROR);
    this.change({ pollErrors: this.task.pollErrors + 1, lastPollError });
  }

  /** Changes what this process knows; it is written a little later, together with others. */
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
