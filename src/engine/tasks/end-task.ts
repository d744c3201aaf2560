import { otherModel } from '../../domain/exchange/served-as.ts';
import { ERROR_CODES } from '../../domain/failure/error-codes.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AppliedPrices } from '../../domain/money/applied-prices.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { upstreamCostOf } from '../../domain/money/upstream-cost.ts';
import { isFinal, type Task, type TaskEnding } from '../../domain/tasks/task.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import { recordedIds } from '../../domain/trace/call-identity.ts';
import type { Writable } from '../../domain/writable.ts';
import { toldMessage } from '../call/told-failure.ts';
import type { RequestRecord } from '../ports/request-log.ts';
import { isCancelled } from './cancelled.ts';
import type { PollHistory } from './poll-history.ts';
import type { EndingPorts } from './task-ports.ts';
import { TaskTrace, type TracedFacts } from './task-trace.ts';

/** How long operators can see a task whose client never received its id. */
const UNTOLD_MS = 3_600_000;

/** `ended`: the task is final now. `lost`: another process has taken it over or ended it. `later`: the store could not be written. */
export type Ended = 'ended' | 'lost' | 'later';

export function endingOf({ code, kind, message }: Failure): TaskEnding {
  return { kind: 'failed', code, failureKind: kind, message };
}

/**
 * Ends a task in three steps: its ending is written, which is decisive; its money is settled or released; then it becomes final. A process
 * that takes the task over after a crash may repeat each step: the first ending counts, and so does the first settlement. Never throws.
 */
export async function endTask(
  ports: EndingPorts,
  task: Task,
  ending: TaskEnding,
  polls: PollHistory | null = null,
): Promise<Ended> {
  try {
    const decided = await ports.tasks.change(task.id, task.claim, { stage: 'closing', ending, kept: task.kept });
    if (decided) return await finishTask(ports, { ...task, stage: 'closing', ending }, polls);
    const known = await ownTask(ports, task);
    // An earlier attempt was written although it seemed to have failed; its ending counts.
    return known?.stage === 'closing' ? await finishTask(ports, known, polls) : endedBefore(ports, known, polls);
  } catch (error) {
    return notWritten(ports, task, error);
  }
}

/** Does the same for a task whose ending is written. Never throws. */
export async function finishTask(ports: EndingPorts, task: Task, polls: PollHistory | null = null): Promise<Ended> {
  const { ending } = task;
  if (ending === null) throw new Error(`The task ${task.id} is closing without an ending.`);
  try {
    const beganAtMs = ports.clock.nowMs();
    const { costNanoUsd, applied } = await settled(ports, task, ending);
    const endedAtMs = ports.clock.nowMs();
    const isWritten = await ports.tasks.change(task.id, task.claim, {
      stage: ending.kind === 'made' ? 'completed' : 'failed',
      ...(ending.kind === 'made' && { progress: 100 }),
      ...{ costNanoUsd, endedAtMs, expiresAtMs: endedAtMs + ports.settings.keepMs },
    });
    if (!isWritten) return endedBefore(ports, await ownTask(ports, task), polls);
    const ended = { ...task, endedAtMs, costNanoUsd };
    recordEnd(ports, ended, ending, { applied, polls, settling: { beganAtMs, endedAtMs } });
    return 'ended';
  } catch (error) {
    return notWritten(ports, task, error);
  }
}

/** Resolves to the stored task if this process still has the claim, else to `null`. */
async function ownTask({ tasks }: EndingPorts, { id, claim }: Task): Promise<Task | null> {
  const known = await tasks.find(id);
  return known?.claim === claim ? known : null;
}

/**
 * Reports an ending that this process wrote in an attempt that seemed to have failed: a final stage under the same claim has not been
 * reported yet.
 */
function endedBefore(ports: EndingPorts, known: Task | null, polls: PollHistory | null): Ended {
  if (known === null || known.ending === null || !isFinal(known.stage)) return 'lost';
  recordEnd(ports, known, known.ending, { applied: null, polls, settling: null });
  return 'ended';
}

function notWritten({ logger }: EndingPorts, { id }: Task, error: unknown): Ended {
  logger.error({ taskId: id, ...describeError(error) }, 'the end of a task could not be stored');
  return 'later';
}

interface Settled {
  /** The charge; zero for a failed task, `null` if no price was known. */
  readonly costNanoUsd: bigint | null;
  readonly applied: AppliedPrices | null;
}

async function settled({ billing }: EndingPorts, task: Task, ending: TaskEnding): Promise<Settled> {
  const reservation = await billing.resume(task.requestId);
  // The process stopped before it had reserved anything, or the balance was too low.
  if (reservation === null) return { costNanoUsd: 0n, applied: null };
  if (ending.kind === 'made' && task.target !== null) {
    const costNanoUsd = await reservation.settle(ending.billable, task.target);
    return { costNanoUsd, applied: reservation.applied };
  }
  await reservation.release();
  return { costNanoUsd: 0n, applied: null };
}

/**
 * Returns ports for a task whose client never received its id, because the request that made it failed: the log entry of that request
 * suffices, and no client will poll the task.
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
      error: (fields, message) => logger.error(fields, message),
      debug: () => undefined,
    },
    settings: { keepMs: Math.min(UNTOLD_MS, settings.keepMs) },
  };
}

/** Returns what the provider charges the operator; `null` if unknown. Failed tasks cost nothing. */
function upstreamCost(
  { directory }: EndingPorts,
  { target, modelId, createdAtMs }: Task,
  ending: TaskEnding,
  applied: AppliedPrices | null,
): bigint | null {
  if (ending.kind !== 'made' || target === null || target.isPrivate) return 0n;
  const way = directory?.().jobWay(target, modelId) ?? null;
  const { billable } = ending;
  return way === null ? null : upstreamCostOf(way.channel.costs, { modelId, billable, atMs: createdAtMs, applied });
}

interface EndFacts extends TracedFacts {
  readonly applied: AppliedPrices | null;
}

/** Writes one request log entry, one metrics event and one trace for the whole task, as for other requests. */
function recordEnd(ports: EndingPorts, task: Task, ending: TaskEnding, { applied, polls, settling }: EndFacts): void {
  const { target } = task;
  const isMade = ending.kind === 'made';
  const record: Writable<RequestRecord> = {
    requestId: task.requestId,
    ...recordedIds(task.clientIds),
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
    ...(!isMade && { told: toldMessage(ending.message) }),
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
    ...(task.guards !== undefined && { guards: task.guards }),
    ...(applied !== null && { applied }),
  };
  const upstreamCostNanoUsd = upstreamCost(ports, task, ending, applied);
  const keyName = target === null ? null : ports.directory?.().keyNameAt(target);
  if (keyName != null) record.upstreamKey = keyName;
  if (isMade && target !== null) ports.spent?.(task, target, { billable: ending.billable, applied });
  if (upstreamCostNanoUsd !== null) record.upstreamCostNanoUsd = upstreamCostNanoUsd;
  const trace = TaskTrace.of(ports.tracing, task);
  if (trace !== null) record.traceId = trace.traceId;
  ports.log.append(record);
  ports.metrics.taskEnded({ kind: task.kind, provider: record.provider }, record);
  trace?.export(record, { polls, settling });
  const { requestId, accountId, modelId, channelId, status, failureKind } = record;
  const { clientRequestId, traceId, provider, latencyMs, costNanoUsd } = record;
  const ids = { taskId: task.id, requestId, clientRequestId, traceId, accountId, modelId, channelId, provider };
  const fields = { ...ids, status, latencyMs, costUsd: costNanoUsd === null ? null : formatNanoUsd(costNanoUsd) };
  if (isMade) ports.logger.info(fields, 'task completed');
  else if (isCancelled({ ending })) ports.logger.info(fields, 'task cancelled');
  else ports.logger.warn({ ...fields, errorCode: ending.code, failureKind }, 'task failed');
}

/** Returns the name of the format in the request log. */
export function taskFormat({ kind }: Pick<Task, 'kind'>): string {
  return `${kind}-task`;
}
