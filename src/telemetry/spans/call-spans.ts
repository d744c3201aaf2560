import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { amountOf, type Billable, completionTokensOf, promptTokensOf, type Unit } from '../../domain/money/quantity.ts';
import { genAiOperation, genAiProvider } from '../../domain/trace/gen-ai-values.ts';
import { attemptSpanIdOf, operationSpanIdOf, stepSpanIdOf } from '../../domain/trace/span-ids.ts';
import type { StepName, TracedAttempt, TracedCall, TracedStep } from '../../engine/ports/tracing.ts';
import { CHANNEL, ERROR_TYPE, GEN_AI, HTTP, REQUEST, SESSION, STEP, USAGE } from '../names.ts';
import type { Attributes, AttributeValue, Span, SpanKind, SpanRef } from './span.ts';

/** The operator's settings for spans. */
export interface SpanOptions {
  readonly tags: boolean;
  /** The address of the dashboard's page about a request, to which the request's id is added; `null` if it is unknown. */
  readonly requestPage: string | null;
  /** Returns the attributes with the content of a call; `null` without content. */
  readonly contentOf: (call: TracedCall) => Attributes | null;
}

const CLIENT_GONE = 'client_closed_request';

/** The output types of the conventions, and ours, by format; all other formats answer with text, or with no content. */
const OUTPUT_TYPES: Readonly<Record<string, string>> = {
  'openai-images': 'image',
  'openai-image-edits': 'image',
  'openai-speech': 'speech',
  'video-task': 'video',
  'music-task': 'music',
  '3d-task': '3d',
};

const STEP_NAMES: Readonly<Record<StepName, string>> = {
  read: 'read request',
  route: 'find channels',
  cache: 'look up cache',
  reserve: 'reserve',
  queue: 'wait for channel',
  encode: 'translate request',
  decode: 'translate response',
  media: 'fetch media',
};

/** Returns the spans of a finished call: the server span first, its descendants in the order in which they began. */
export function callSpans(call: TracedCall, options: SpanOptions): Span[] {
  const maker = new SpanMaker(call);
  const operation = operationOf(call);
  const { times } = call.record;
  const inner = operation === null ? maker.server : maker.ref(operationSpanIdOf(call.context.spanId));
  const spans = [maker.make(serverSpan(call, options))];
  if (times?.admittedMs != null) spans.push(maker.step('admit', 0, times.admittedMs, maker.server));
  const steps = call.steps.map((step) => maker.noted(step, parentOf(step, maker, inner)));
  const attempts = call.attempts.map((attempt) => maker.make(attemptSpan(call, attempt, inner)));
  if (times?.answeredMs != null && times.chargedMs !== null)
    steps.push(maker.step('settle', times.answeredMs, times.chargedMs, inner));
  if (operation !== null) spans.push(maker.make(operationSpan(call, operation, options)));
  return [...spans, ...[...steps, ...attempts].sort((one, other) => one.fromMs - other.fromMs)];
}

/** Returns an upper bound of the number of spans, for the bound of the queue. */
export function spanCountOf({ steps, attempts }: TracedCall): number {
  return steps.length + attempts.length + 4;
}

/** A span with times since the call arrived. */
interface Made {
  readonly spanId: string;
  readonly parent: SpanRef | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly fromMs: number;
  readonly toMs: number;
  readonly attributes: Attributes;
  readonly isError?: boolean;
  readonly links?: readonly SpanRef[];
}

class SpanMaker {
  private places = 0;

  constructor(private readonly call: TracedCall) {}

  get server(): SpanRef {
    return this.ref(this.call.context.spanId);
  }

  ref(spanId: string): SpanRef {
    return { traceId: this.call.context.traceId, spanId, isRemote: false, state: null };
  }

  make({ fromMs, toMs, isError = false, ...made }: Made): Span {
    const { context, record } = this.call;
    const state = made.spanId === context.spanId ? context.state : null;
    const at = { fromMs: record.atMs + fromMs, toMs: record.atMs + Math.max(fromMs, toMs) };
    return { traceId: context.traceId, state, isError, ...made, ...at };
  }

  step(name: string, fromMs: number, toMs: number, parent: SpanRef): Span {
    const spanId = stepSpanIdOf(this.call.context.spanId, this.places++);
    return this.make({ spanId, parent, name, kind: 'internal', fromMs, toMs, attributes: {} });
  }

  noted({ name, fromMs, toMs, failureKind, bytes }: TracedStep, parent: SpanRef): Span {
    const span = this.step(STEP_NAMES[name], fromMs, toMs, parent);
    const attributes: Attributes = {};
    if (bytes !== undefined) attributes[STEP.mediaBytes] = bytes;
    if (failureKind !== null) attributes[ERROR_TYPE] = failureKind;
    if (name === 'cache') attributes[REQUEST.cacheMatch] = this.call.record.cacheMatch ?? 'none';
    return { ...span, attributes, kind: name === 'media' ? 'client' : 'internal', isError: failureKind !== null };
  }
}

function parentOf({ name, attempt }: TracedStep, maker: SpanMaker, inner: SpanRef): SpanRef {
  if (attempt !== null) return maker.ref(attemptSpanIdOf(maker.server.spanId, attempt));
  return name === 'read' || name === 'route' ? maker.server : inner;
}

// ---- the request of the client

function serverSpan(call: TracedCall, options: SpanOptions): Made {
  const { context, parent, record, line, clientAddress, session, messages } = call;
  const attributes: Attributes = {};
  set(attributes, HTTP.method, line?.method);
  set(attributes, HTTP.route, line?.route);
  set(attributes, HTTP.path, line?.path);
  set(attributes, HTTP.clientAddress, clientAddress);
  if (record.status > 0) attributes[HTTP.status] = record.status;
  identify(attributes, call, options);
  set(attributes, REQUEST.clientId, record.clientRequestId);
  set(attributes, REQUEST.key, record.keyId);
  set(attributes, REQUEST.format, record.format);
  if (record.clientGone) attributes[REQUEST.clientGone] = true;
  set(attributes, SESSION.fromClient, messages?.fromClient);
  set(attributes, SESSION.fromUpstream, messages?.fromUpstream);
  // A client's mistake is no error of the server (OpenTelemetry's conventions for HTTP).
  const isError = record.status >= 500 || (call.failureSide !== null && call.failureSide !== 'client');
  if (isError) attributes[ERROR_TYPE] = record.errorCode ?? String(record.status);
  return {
    ...{ spanId: context.spanId, parent: parent && remote(parent), kind: 'server', attributes, isError },
    name: line === null ? `message ${record.format}` : `${line.method} ${line.route}`,
    ...{ fromMs: 0, toMs: record.latencyMs },
    ...(session !== undefined && { links: [{ ...remote(session), isRemote: false }] }),
  };
}

function remote({ traceId, spanId, state }: NonNullable<TracedCall['parent']>): SpanRef {
  return { traceId, spanId, state, isRemote: true };
}

/** The attributes by which people look for a call, on its server span and its operation. */
function identify(attributes: Attributes, { record }: TracedCall, options: SpanOptions): void {
  attributes[REQUEST.id] = record.requestId;
  if (options.requestPage !== null) attributes[REQUEST.url] = options.requestPage + record.requestId;
  set(attributes, REQUEST.account, record.accountId);
  if (options.tags && record.tags !== undefined) attributes[REQUEST.tags] = record.tags;
  if (record.costNanoUsd !== null) attributes[REQUEST.cost] = formatNanoUsd(record.costNanoUsd);
}

// ---- the operation

interface Operation {
  readonly name: string;
  readonly model: string | null;
  readonly fromMs: number;
}

/** Returns the operation that the call asked for; `null` if it failed before its model was found. */
function operationOf({ record, attempts, steps, line }: TracedCall): Operation | null {
  const { modelId, format, times } = record;
  if (modelId === null && attempts.length === 0) return null;
  const before = steps.findLast(({ name }) => name === 'read' || name === 'route');
  const fromMs = before?.toMs ?? times?.admittedMs ?? attempts[0]?.fromMs ?? 0;
  if (modelId !== null) return { name: `${genAiOperation(format)} ${modelId}`, model: modelId, fromMs };
  return { name: `relay ${line?.route ?? format}`, model: null, fromMs };
}

function operationSpan(call: TracedCall, { name, model, fromMs }: Operation, options: SpanOptions): Made {
  const { context, record, parameters } = call;
  const attributes: Attributes = {};
  identify(attributes, call, options);
  if (model !== null) {
    attributes[GEN_AI.operation] = genAiOperation(record.format);
    attributes[GEN_AI.requestModel] = model;
    set(attributes, GEN_AI.outputType, OUTPUT_TYPES[record.format]);
    if (record.stream) attributes[GEN_AI.stream] = true;
    set(attributes, GEN_AI.maxTokens, parameters?.maxTokens);
    set(attributes, GEN_AI.temperature, parameters?.temperature);
    set(attributes, GEN_AI.topP, parameters?.topP);
    set(attributes, GEN_AI.responseModel, record.answerModel ?? record.upstreamModel);
    if (record.stream && record.firstByteMs !== null)
      attributes[GEN_AI.timeToFirstChunk] = seconds(record.firstByteMs - fromMs);
    if (record.billable !== null) useTokens(attributes, record.billable);
    const content = options.contentOf(call);
    if (content !== null) Object.assign(attributes, content);
  }
  if (record.provider !== null) attributes[GEN_AI.provider] = genAiProvider(record.provider);
  set(attributes, CHANNEL.id, record.channelId);
  if (record.billable !== null) usePieces(attributes, record.billable);
  set(attributes, REQUEST.cacheMatch, record.cacheMatch);
  set(attributes, REQUEST.cacheEntry, record.cacheEntryId);
  attributes[REQUEST.retries] = record.retryCount;
  if (record.modelSteps !== undefined) {
    attributes[REQUEST.modelSteps] = record.modelSteps.map(({ kind, from, to }) => `${kind}: ${from} → ${to}`);
  }
  if (record.losses !== undefined) attributes[REQUEST.losses] = record.losses.map(({ field }) => field);
  const isError = record.failureKind !== null && record.errorCode !== CLIENT_GONE;
  if (isError && record.failureKind !== null) attributes[ERROR_TYPE] = record.failureKind;
  return {
    ...{ spanId: operationSpanIdOf(context.spanId), parent: new SpanMaker(call).server, name, kind: 'client' },
    ...{ fromMs, toMs: record.latencyMs, attributes, isError },
  };
}

function useTokens(attributes: Attributes, billable: Billable): void {
  const counted = (name: string, ...units: readonly Unit[]) => {
    const amount = units.reduce((sum, unit) => sum + amountOf(billable, unit), 0);
    if (amount > 0) attributes[name] = amount;
  };
  const input = promptTokensOf(billable);
  const output = completionTokensOf(billable);
  if (input > 0) attributes[GEN_AI.inputTokens] = input;
  if (output > 0) attributes[GEN_AI.outputTokens] = output;
  counted(GEN_AI.cacheReadTokens, 'cached_input_token');
  counted(GEN_AI.cacheWriteTokens, 'cache_write_token', 'cache_write_1h_token');
  counted(GEN_AI.reasoningTokens, 'reasoning_token');
  counted(GEN_AI.audioInputTokens, 'audio_input_token');
  counted(GEN_AI.audioOutputTokens, 'audio_output_token');
  counted(GEN_AI.imageInputTokens, 'image_input_token');
  counted(GEN_AI.imageOutputTokens, 'image_output_token');
}

function usePieces(attributes: Attributes, billable: Billable): void {
  for (const unit of Object.keys(USAGE) as (keyof typeof USAGE)[]) {
    const amount = amountOf(billable, unit);
    if (amount > 0) attributes[USAGE[unit]] = unit === 'millisecond' ? seconds(amount) : amount;
  }
}

// ---- the attempts

function attemptSpan({ context, record }: TracedCall, attempt: TracedAttempt, parent: SpanRef): Made {
  const attributes: Attributes = {
    [CHANNEL.id]: attempt.channelId,
    [CHANNEL.provider]: attempt.provider,
    [CHANNEL.attempt]: attempt.retryCount + 1,
  };
  if (attempt.isPrivate) attributes[CHANNEL.isPrivate] = true;
  set(attributes, CHANNEL.upstreamModel, attempt.upstreamModel);
  set(attributes, CHANNEL.upstreamRequestId, attempt.upstreamRequestId);
  set(attributes, CHANNEL.isRelayed, attempt.isRelayed);
  set(attributes, HTTP.status, attempt.status);
  if (attempt.heardMs !== null) attributes[CHANNEL.timeToFirstByte] = seconds(attempt.heardMs - attempt.fromMs);
  // A stream that broke off has failed with the call.
  const failure = attempt.failure?.kind ?? (attempt.toMs === null ? record.failureKind : null);
  const isError = failure !== null && failure !== CLIENT_GONE;
  if (isError) attributes[ERROR_TYPE] = failure;
  return {
    ...{ spanId: attemptSpanIdOf(context.spanId, attempt.retryCount), parent, name: `attempt ${attempt.provider}` },
    ...{ kind: 'client', attributes, isError, fromMs: attempt.fromMs },
    toMs: attempt.toMs ?? record.times?.answeredMs ?? record.latencyMs,
  };
}

function seconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000_000;
}

function set(attributes: Attributes, name: string, value: AttributeValue | null | undefined): void {
  if (value !== null && value !== undefined) attributes[name] = value;
}
