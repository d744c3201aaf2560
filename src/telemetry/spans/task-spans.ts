import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { genAiProvider } from '../../domain/trace/gen-ai-values.ts';
import { pollSpanIdOf, settlementSpanIdOf, taskSpanIdOf } from '../../domain/trace/span-ids.ts';
import type { TracedPoll, TracedTask } from '../../engine/ports/tracing.ts';
import { CHANNEL, ERROR_TYPE, GEN_AI, REQUEST, TASK } from '../names.ts';
import type { Attributes, Span, SpanRef } from './span.ts';

/**
 * Returns the spans of a task that has ended: its own, below the server span of the request that created it, and below it its polls and its
 * settlement in the order in which they began.
 */
export function taskSpans(traced: TracedTask): Span[] {
  const { creator, task, polls, settling } = traced;
  const { traceId } = creator;
  const request: SpanRef = { traceId, spanId: creator.spanId, isRemote: false, state: null };
  const own: SpanRef = { ...request, spanId: taskSpanIdOf(creator.spanId) };
  const common = { traceId, state: null };
  const life: Span = {
    ...{ ...common, spanId: own.spanId, parent: request, name: `task ${task.kind}`, kind: 'internal' },
    ...{ fromMs: task.createdAtMs, toMs: Math.max(task.createdAtMs, task.endedAtMs ?? task.createdAtMs) },
    ...{ attributes: lifeAttributes(traced), isError: traced.failureSide !== null },
  };
  const asked = polls.map((poll): Span => {
    const { number, beganAtMs: fromMs, endedAtMs, failureKind } = poll;
    return {
      ...{ ...common, spanId: pollSpanIdOf(creator.spanId, number), parent: own, name: 'poll task', kind: 'client' },
      ...{ fromMs, toMs: Math.max(fromMs, endedAtMs), attributes: pollAttributes(traced, poll) },
      ...{ isError: failureKind !== null, links: [request] },
    };
  });
  if (settling === null) return [life, ...asked];
  const { beganAtMs: fromMs, endedAtMs } = settling;
  const settlement: Span = {
    ...{ ...common, spanId: settlementSpanIdOf(creator.spanId), parent: own, name: 'settle', kind: 'internal' },
    ...{ fromMs, toMs: Math.max(fromMs, endedAtMs), attributes: costOf(traced), isError: false },
  };
  return [life, ...asked, settlement];
}

/** Returns the number of spans, for the bound of the queue. */
export function taskSpanCountOf({ polls }: TracedTask): number {
  return polls.length + 2;
}

function lifeAttributes(traced: TracedTask): Attributes {
  const { task, record, pollCount, failedPollCount } = traced;
  const { target, ending } = task;
  const attributes: Attributes = {
    ...{ [TASK.id]: task.id, [TASK.kind]: task.kind, [TASK.polls]: pollCount, [TASK.failedPolls]: failedPollCount },
    ...{ [REQUEST.id]: task.requestId, [REQUEST.account]: task.accountId, [GEN_AI.requestModel]: task.modelId },
    ...costOf(traced),
  };
  if (record.clientRequestId !== undefined) attributes[REQUEST.clientId] = record.clientRequestId;
  if (task.keyId !== null) attributes[REQUEST.key] = task.keyId;
  if (target !== null) Object.assign(attributes, channelOf(target));
  if (ending?.kind === 'failed') attributes[ERROR_TYPE] = ending.failureKind;
  return attributes;
}

function pollAttributes({ task }: TracedTask, { number, outcome, failureKind }: TracedPoll): Attributes {
  const attributes: Attributes = { [TASK.id]: task.id, [TASK.poll]: number, [TASK.pollOutcome]: outcome };
  if (task.target !== null) Object.assign(attributes, channelOf(task.target));
  if (failureKind !== null) attributes[ERROR_TYPE] = failureKind;
  return attributes;
}

function channelOf({ channelId, provider, upstreamModel }: NonNullable<TracedTask['task']['target']>): Attributes {
  return {
    [CHANNEL.id]: channelId,
    [CHANNEL.provider]: provider,
    [CHANNEL.upstreamModel]: upstreamModel,
    [GEN_AI.provider]: genAiProvider(provider),
  };
}

function costOf({ task: { costNanoUsd } }: TracedTask): Attributes {
  return costNanoUsd === null ? {} : { [REQUEST.cost]: formatNanoUsd(costNanoUsd) };
}
