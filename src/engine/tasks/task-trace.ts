import { ERROR_CODES } from '../../domain/failure/error-codes.ts';
import type { Task } from '../../domain/tasks/task.ts';
import type { RequestRecord } from '../ports/request-log.ts';
import type { TaskTracing, TracedTask } from '../ports/tracing.ts';
import type { PollHistory } from './poll-history.ts';

/** Facts about the end of a task that only its trace shows. */
export interface TracedFacts extends Pick<TracedTask, 'settling'> {
  /** `null` if this process has not polled, or does not trace. */
  readonly polls: PollHistory | null;
}

/** The trace of a task that has ended and is exported. */
export class TaskTrace {
  private constructor(
    private readonly tracing: TaskTracing,
    private readonly task: Task,
    private readonly facts: Pick<TracedTask, 'creator' | 'failureSide'>,
  ) {}

  /**
   * Returns `null` if the trace is not exported. It is if that of the request that created the task is, or if the task failed on the side of
   * an upstream or the gateway and such failures always are. A task that takes long is no exception, because all do.
   */
  static of(tracing: TaskTracing | null | undefined, task: Task): TaskTrace | null {
    if (!tracing) return null;
    const { requestId, clientIds, ending } = task;
    const creator = tracing.begin({ requestId, ...clientIds });
    const failureSide = ending?.kind === 'failed' ? ERROR_CODES[ending.code].side : null;
    const isExported = tracing.isExported({ context: creator, failureSide, latencyMs: 0 });
    return isExported ? new TaskTrace(tracing, task, { creator, failureSide }) : null;
  }

  get traceId(): string {
    return this.facts.creator.traceId;
  }

  export(record: RequestRecord, { polls, settling }: TracedFacts): void {
    const { task, facts } = this;
    this.tracing.exportTask({
      ...{ ...facts, task, record, settling, polls: polls?.kept ?? [] },
      ...{ pollCount: polls?.count ?? 0, failedPollCount: polls?.failedCount ?? 0 },
    });
  }
}
