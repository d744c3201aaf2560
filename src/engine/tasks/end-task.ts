import { otherModel } from '../../domain/exchange/served-as.ts';
import { ERROR_CODES } from '../../domain/failure/error-codes.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AppliedPrices } from '../../domain/money/applied-prices.ts';
import type { Task, TaskEnding } from '../../domain/tasks/task.ts';
import { isFinal } from '../../domain/tasks/task-stage.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import type { RequestRecord } from '../ports/request-log.ts';
import type { EndingPorts } from './task-ports.ts';

/** How long an operator can see a task that no client has heard of. */
const UNTOLD_MS = 3_600_000;

/** `ended`: the task is final now. `lost`: another process has it, or has ended it. `later`: the store could not be written. */
export type Ended = 'ended' | 'lost' | 'later';

export function endingOf({ code, kind, message }: Failure): TaskEnding {
  return { kind: 'failed', code, failureKind: kind, message };
}

/**
 * Ends a task: how it ends is written first and decides once and for all, then its money is settled or released, and then it is
 * final. Each step may be repeated by whoever takes the task up after a crash: the first ending counts, and so does the first
 * settlement. Never throws.
 */
export async function endTask(ports: EndingPorts, task: Task, ending: TaskEnding): Promise<Ended> {
  try {
    const decided = await ports.tasks.change(task.id, task.claim, { stage: 'closing', ending, kept: task.kept });
    if (decided) return await finishTask(ports, { ...task, stage: 'closing', ending });
    const known = await ownTask(ports, task);
    // An earlier try was written although it seemed to have failed; its ending counts.
    return known?.stage === 'closing' ? await finishTask(ports, known) : endedBefore(ports, known);
  } catch (error) {
    return notWritten(ports, task, error);
  }
}

/** The same for a task whose ending is written. Never throws. */
export async function finishTask(ports: EndingPorts, task: Task): Promise<Ended> {
  const { ending } = task;
  if (ending === null) throw new Error(`The task ${task.id} is closing without an ending.`);
  try {
    const { costNanoUsd, applied } = await settled(ports, task, ending);
    const endedAtMs = ports.clock.nowMs();
    const isWritten = await ports.tasks.change(task.id, task.claim, {
      stage: ending.kind === 'made' ? 'completed' : 'failed',
      ...(ending.kind === 'made' && { progress: 100 }),
      ...{ costNanoUsd, endedAtMs, expiresAtMs: endedAtMs + ports.settings.keepMs },
    });
    if (!isWritten) return endedBefore(ports, await ownTask(ports, task));
    recordEnd(ports, { ...task, endedAtMs, costNanoUsd }, ending, applied);
    return 'ended';
  } catch (error) {
    return notWritten(ports, task, error);
  }
}

/** The task as it is stored, if it is still this process's. */
async function ownTask({ tasks }: EndingPorts, { id, claim }: Task): Promise<Task | null> {
  const known = await tasks.find(id);
  return known?.claim === claim ? known : null;
}

/** A final stage under the same claim was written by this process, in a try that seemed to have failed: nothing has told of it yet. */
function endedBefore(ports: EndingPorts, known: Task | null): Ended {
  if (known === null || known.ending === null || !isFinal(known.stage)) return 'lost';
  recordEnd(ports, known, known.ending, null);
  return 'ended';
}

function notWritten({ logger }: EndingPorts, { id }: Task, error: unknown): Ended {
  logger.error({ taskId: id, ...describeError(error) }, 'the end of a task could not be written');
  return 'later';
}

interface Settled {
  /** What is charged; zero for a task that has failed, `null` where no price was known. */
  readonly costNanoUsd: bigint | null;
  readonly applied: AppliedPrices | null;
}

async function settled({ billing }: EndingPorts, task: Task, ending: TaskEnding): Promise<Settled> {
  const reservation = await billing.resume(task.requestId);
  // The process stopped before it had put anything aside, or there was too little.
  if (reservation === null) return { costNanoUsd: 0n, applied: null };
  if (ending.kind === 'made' && task.target !== null) {
    const costNanoUsd = await reservation.settle(ending.billable, task.target);
    return { costNanoUsd, applied: reservation.applied };
  }
  await reservation.release();
  return { costNanoUsd: 0n, applied: null };
}

/**
 * For a task that no client has heard of, because the request that made it has failed: that request's own line of the log says it all,
 * and nobody will ask for the task.
 */
export function untold(ports: EndingPorts): EndingPorts {
  const { tasks, billing, clock, logger, settings } = ports;
  return {
    ...{ tasks, billing, clock },
    log: { append: () => undefined },
    metrics: { taskEnded: () => undefined },
    logger: {
      info: () => undefined,
      warn: () => undefined,
      error: (...of) => logger.error(...of),
      debug: () => undefined,
    },
    settings: { keepMs: Math.min(UNTOLD_MS, settings.keepMs) },
  };
}

/** One line of the request log and one event of the metrics for the whole task, as other requests have. */
function recordEnd(ports: EndingPorts, task: Task, ending: TaskEnding, applied: AppliedPrices | null): void {
  const { target } = task;
  const isMade = ending.kind === 'made';
  const record: RequestRecord = {
    requestId: task.requestId,
    atMs: task.createdAtMs,
    accountId: task.accountId,
    keyId: task.keyId,
    format: taskFormat(task),
    modelId: task.modelId,
    channelId: target?.channelId ?? null,
    provider: target?.provider ?? null,
    upstreamModel: target?.upstreamModel ?? null,
    answerModel: isMade ? otherModel(ending.result.model, target?.upstreamModel) : null,
    stream: false,
    status: isMade ? 200 : ERROR_CODES[ending.code].status,
    errorCode: isMade ? null : ending.code,
    failureKind: isMade ? null : ending.failureKind,
    clientGone: false,
    isPrivate: target?.isPrivate ?? false,
    retryCount: 0,
    failedAttempts: [],
    latencyMs: (task.endedAtMs ?? task.createdAtMs) - task.createdAtMs,
    firstByteMs: null,
    billable: isMade ? ending.billable : null,
    costNanoUsd: task.costNanoUsd,
    upstreamRequestId: null,
    cacheMatch: null,
    cacheEntryId: null,
    ...(task.tags.given.length > 0 && { tags: task.tags.given, summedTags: task.tags.summed }),
    ...(applied !== null && { applied }),
  };
  ports.log.append(record);
  ports.metrics.taskEnded({ kind: task.kind, provider: record.provider }, record);
  const { requestId, accountId, modelId, channelId, status, failureKind: kind } = record;
  const fields = { taskId: task.id, requestId, accountId, modelId, channelId, status, latencyMs: record.latencyMs };
  if (isMade) ports.logger.info(fields, 'task completed');
  else ports.logger.warn({ ...fields, code: ending.code, kind }, 'task failed');
}

/** As the request log names it. */
export function taskFormat({ kind }: Pick<Task, 'kind'>): string {
  return `${kind}-task`;
}
