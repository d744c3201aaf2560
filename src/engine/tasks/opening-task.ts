import { Failure, storageUnavailable } from '../../domain/failure/failure.ts';
import type { AskedWork, JobReport, Submission } from '../../domain/tasks/job.ts';
import type { Task, TaskChanges } from '../../domain/tasks/task.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import type { Target } from '../directory/target.ts';
import type { BillableRequest } from '../ports/billing.ts';
import { endingOf, endTask, untold } from './end-task.ts';
import type { TaskPorts } from './task-ports.ts';

/** Takes a task over when the request that made it has ended. */
export interface TaskKeeper {
  /** `report` is set if the upstream's first answer already ended the job. */
  adopt(task: Task, unsaved: TaskChanges | null, report: JobReport | null): void;
}

export type NewTask = Pick<
  Task,
  | 'id'
  | 'requestId'
  | 'clientIds'
  | 'accountId'
  | 'keyId'
  | 'kind'
  | 'modelId'
  | 'createdAtMs'
  | 'tags'
  | 'request'
  | 'guards'
>;

/**
 * A task while its request is in flight. Its row is written before the money is reserved, and names the target before the request is
 * sent, so that a crash always leaves a row that shows what may have been done.
 */
export class OpeningTask {
  private task: Task;
  /** Changes that the store failed to write. */
  private unsaved: TaskChanges | null = null;
  private ended: JobReport | null = null;
  /** Whether the client has the task's id. */
  private isTold = false;
  private state: 'new' | 'open' | 'unknown' | 'taken' | 'over' = 'new';

  constructor(
    private readonly ports: TaskPorts,
    private readonly keeper: TaskKeeper,
    facts: NewTask,
  ) {
    const deadlineMs = facts.createdAtMs + ports.settings.deadlineMs[facts.kind];
    this.task = { ...UNBEGUN, ...facts, deadlineMs, owner: ports.owner };
  }

  get current(): Task {
    return this.task;
  }

  /** Whether it is unknown if an upstream has accepted the job. */
  get isUnknown(): boolean {
    return this.state === 'unknown';
  }

  /** Writes the row and reserves the money. Resolves to why the upstream must not be asked, or to `null`. */
  async begin(request: BillableRequest): Promise<Failure | null> {
    const { settings, tasks, billing } = this.ports;
    try {
      if ((await tasks.countOpen(this.task.accountId)) >= settings.maxOpenPerAccount) return tooManyOpen(settings);
      // From here on there may be a row, since a write that fails may still have been executed.
      this.state = 'open';
      await tasks.create(this.task);
    } catch (error) {
      return this.notWritten(error);
    }
    const held = await billing.hold(request, this.task.deadlineMs);
    if (!(held instanceof Failure)) return null;
    await this.fails(held);
    return held;
  }

  /** Records that this target is asked now. Resolves to a failure if that could not be written, and then the target must not be asked. */
  async asks(target: Target, asked: AskedWork): Promise<Failure | null> {
    const keyId = target.channel.upstreamKey?.id;
    const changes: TaskChanges = {
      stage: 'submitting',
      target: {
        channelId: target.channel.id,
        ...(keyId != null && { keyId }),
        provider: target.channel.provider,
        upstreamModel: target.upstreamModel,
        wire: target.wire.name,
        isPrivate: target.isPrivate,
        asked,
      },
    };
    try {
      if (await this.ports.tasks.change(this.task.id, this.task.claim, changes)) {
        this.task = { ...this.task, ...changes };
        return null;
      }
      this.state = 'over';
      await this.releaseUnsent();
      return new Failure('upstream_error', { message: 'An admin marked the task as failed.', retry: 'never' });
    } catch (error) {
      return this.notWritten(error);
    }
  }

  /** Records that the upstream has accepted the job. Changes that cannot be written now are kept in memory and written later. */
  async taken({ ticket, report }: Submission): Promise<void> {
    const changes: TaskChanges = {
      stage: 'submitted',
      ...{ ticket, submittedAtMs: this.ports.clock.nowMs() },
      ...(report.state === 'working' && { isProcessing: report.status === 'processing', progress: report.progress }),
    };
    const { id, claim } = this.task;
    this.state = 'taken';
    this.ended = report.state === 'working' ? null : report;
    this.task = { ...this.task, ...changes };
    try {
      if (await this.ports.tasks.change(id, claim, changes)) return;
      this.ports.logger.error(
        { taskId: id },
        'a task was ended while its job was being submitted: the job continues at the provider',
      );
      this.state = 'over';
    } catch (error) {
      this.ports.logger.error({ taskId: id, ...describeError(error) }, 'a submitted task could not be stored yet');
      this.unsaved = changes;
    }
  }

  /** Forbids a retry, at any target, of a failed submission that the upstream may have received. */
  judge(failure: Failure): Failure {
    if (!isUnknownOutcome(failure)) return failure;
    this.state = 'unknown';
    const { code, details, ...rest } = failure;
    const { kind, side, status } = rest;
    return new Failure(code, { ...details, kind, side, status, retry: 'never' });
  }

  /** Records that the client gets the task before an upstream has answered. */
  told(): void {
    this.isTold = true;
  }

  /** Ends the task because no upstream has accepted it. */
  async fails(failure: Failure): Promise<void> {
    if (this.state === 'over') return;
    const ports = this.isTold ? this.ports : untold(this.ports);
    const ended = await endTask(ports, this.task, endingOf(failure));
    if (ended !== 'later') this.state = 'over';
  }

  /** Hands the task over to the poller when the request has ended in any way. */
  over(): void {
    if (this.state === 'new' || this.state === 'over') return;
    this.state = 'over';
    this.keeper.adopt(this.task, this.unsaved, this.ended);
  }

  /**
   * Releases a hold that was made too late to be seen by the process that ended the task. The hold of a task that was sent is older than
   * its ending, and is left to that process.
   */
  private async releaseUnsent(): Promise<void> {
    if (this.task.stage === 'created') await (await this.ports.billing.resume(this.task.requestId))?.release();
  }

  private notWritten(error: unknown): Failure {
    this.ports.logger.error({ taskId: this.task.id, ...describeError(error) }, 'a task could not be stored');
    return storageUnavailable();
  }
}

const UNBEGUN = {
  stage: 'created',
  isProcessing: false,
  progress: null,
  target: null,
  ticket: null,
  submittedAtMs: null,
  pollErrors: 0,
  lastPollError: null,
  ending: null,
  kept: {},
  costNanoUsd: null,
  endedAtMs: null,
  expiresAtMs: null,
  cancelAskedAtMs: null,
  deletedAtMs: null,
  claim: 1,
} as const satisfies Partial<Task>;

const OPEN_RETRY_MS = 10_000;

function tooManyOpen({ maxOpenPerAccount }: { readonly maxOpenPerAccount: number }): Failure {
  return new Failure('rate_limit_exceeded', {
    message: `The account has ${maxOpenPerAccount} unfinished tasks, which is its limit.`,
    kind: 'too_many_tasks',
    side: 'client',
    retry: 'never',
    retryAfterMs: OPEN_RETRY_MS,
    hint: 'Wait until some of them have finished, then send the request again.',
  });
}

/** Failures that can occur after an upstream may have received the whole request. */
const UNKNOWN_KINDS: ReadonlySet<string> = new Set([
  'reset',
  'transport',
  'garbage',
  'first_byte_timeout',
  'idle_timeout',
  'total_timeout',
  'answer_too_large',
  'answer_memory_full',
  'client_closed_request',
  'shutting_down',
  // A proxy in front of the provider has given up, and the provider may have accepted the job.
  'http_408',
  'http_499',
  'http_502',
  'http_504',
  'http_520',
  'http_522',
  'http_524',
]);

/**
 * Returns whether a failed submission may still have reached the upstream, so that a retry could generate, and cost, everything twice. An
 * upstream that answers with its own error has rejected the job; a connection that was never made carried nothing.
 */
function isUnknownOutcome({ kind }: Pick<Failure, 'kind'>): boolean {
  return UNKNOWN_KINDS.has(kind);
}
