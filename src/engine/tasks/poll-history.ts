import { Failure } from '../../domain/failure/failure.ts';
import type { JobReport } from '../../domain/tasks/job.ts';
import type { TracedPoll } from '../ports/tracing.ts';

const MOST_FAILED = 8;

/**
 * The polls about a task that its trace shows: the first, the last, and the first ones that failed. A task may be polled thousands of
 * times, so the others are only counted.
 */
export class PollHistory {
  count = 0;
  failedCount = 0;
  private first: TracedPoll | null = null;
  private last: TracedPoll | null = null;
  private readonly failed: TracedPoll[] = [];

  note(report: JobReport | Failure, beganAtMs: number, endedAtMs: number): void {
    const isUnanswered = report instanceof Failure;
    const outcome = isUnanswered ? 'unanswered' : report.state;
    const failure = isUnanswered ? report : report.state === 'failed' ? report.failure : null;
    const poll = { number: ++this.count, beganAtMs, endedAtMs, outcome, failureKind: failure?.kind ?? null } as const;
    this.first ??= poll;
    this.last = poll;
    if (!isUnanswered) return;
    this.failedCount++;
    if (this.failed.length < MOST_FAILED) this.failed.push(poll);
  }

  /** Returns at most ten polls, in their order. */
  get kept(): readonly TracedPoll[] {
    const polls = [this.first, ...this.failed, this.last].filter((poll) => poll !== null);
    return [...new Set(polls)].sort((one, other) => one.number - other.number);
  }
}
