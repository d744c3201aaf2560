import type { Principal } from '../../domain/access/principal.ts';
import { Bag } from '../../domain/concurrency/bag.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Envelope } from '../../formats/wire.ts';
import type { Directory } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { PingSettings } from '../settings/settings.ts';
import { endedBody, type StreamResult, type WholeResult } from './attempt.ts';
import type { EndingAttempt, LoopResult, SharedBounds } from './attempt-loop.ts';
import { batchPrices } from './batched-call.ts';
import { ClientStream, type OutboundStream } from './client-stream.ts';
import { answerHeaders, callHeaders, chargeFailure, internalError, recordFailure } from './end-of-call.ts';
import type { KnownStream, ResponseStream, WholeResponse } from './lane.ts';
import { LateStream } from './late-stream.ts';
import type { Inbound, Job, KnownResponse, RespondingTarget } from './operation.ts';
import type { Outcome } from './outcome.ts';
import { Pings } from './pings.ts';
import type { RecordPorts } from './record-ports.ts';
import { type BufferedBytes, type ResponseMemory, UnproductiveBytes } from './response-memory.ts';
import { hasPlace, tellInHeaders, toldCost, withCost } from './told-cost.ts';

const utf8 = new TextEncoder();

export interface ResponderPorts extends RecordPorts {
  /** Memory held by answers in progress. */
  readonly answers: ResponseMemory;
  readonly pings: PingSettings;
}

/** The response that the transport sends to the client. */
export type Outbound =
  | {
      readonly kind: 'whole';
      readonly status: number;
      readonly headers: Record<string, string>;
      readonly body: Uint8Array<ArrayBuffer> | string;
      /** Resolves when the request's memory can be released; set if work continues after this response. */
      readonly stillHolds?: Promise<void>;
    }
  | { readonly kind: 'stream'; readonly headers: Record<string, string>; readonly stream: OutboundStream };

/**
 * The last steps of a call: the answer is charged, kept if a later request needs it, sent and recorded. Handles whole answers and streams.
 */
export class Responder {
  private readonly streams = new Bag<ClientStream>();
  private readonly pings: Pings;

  constructor(private readonly ports: ResponderPorts) {
    this.pings = new Pings(ports.pings);
  }

  /** Whether a client receives pings while its stream is silent. */
  get pingsStreams(): boolean {
    return this.pings.isOn;
  }

  /** The number of streams that have not ended yet. */
  get openStreams(): number {
    return this.streams.size;
  }

  /** Ends all open streams at shutdown, including those whose clients do not read. */
  cutOff(failure: Failure): void {
    for (const stream of this.streams) stream.cutOff(failure);
  }

  /** Ends streams whose clients do not read, and pings clients whose upstream is silent. Call it once a second. */
  look(): void {
    this.ports.answers.look();
    this.pings.look();
  }

  /** Starts to count the memory that the answer of this call holds. It is released when the call ends. */
  buffered({ principal, outcome }: Pick<Call<Target, ResponseStream>, 'principal' | 'outcome'>): BufferedBytes {
    return this.ports.answers.open(principal.account.id, (release) => outcome.whenOver(release));
  }

  /** Resolves to the answer, or to `null` if it did not arrive within the ping interval of a stream that can be pinged. */
  within<Answer>(job: Pick<Job, 'stream' | 'streaming'>, answering: Promise<Answer>): Promise<Answer | null> {
    const isPinged = job.stream && this.pings.isOn && typeof job.streaming?.ping === 'string';
    return isPinged ? this.pings.within(answering) : answering;
  }

  // ---- whole answers

  /** Sends a whole answer after it is charged and, if a later request needs it, kept. */
  whole<T extends Target, S extends ResponseStream>(
    call: Routed<T, S>,
    answer: WholeResult,
    answered: LoopResult<T, S>,
  ): Outbound | Promise<Outbound> {
    answered.running.answered();
    call.outcome.loses(answer.losses);
    return this.settled(call, answer.answer, answer, answered);
  }

  /** Returns synchronously if there is nothing to wait for. */
  private settled<T extends Target, S extends ResponseStream>(
    call: Routed<T, S>,
    answer: WholeResponse,
    facts: Pick<WholeResult, 'routing' | 'losses'>,
    answered: RespondingTarget<T>,
  ): Outbound | Promise<Outbound> {
    if (answer.billable === null && call.job.count !== undefined) {
      return call.job.count(answer).then((counted) => this.settled(call, counted, facts, answered));
    }
    const charging = this.charge(call, answer);
    if (charging !== undefined || call.job.keep) return this.kept(call, answer, facts, answered, charging);
    call.job.completed?.(answered);
    return this.recorded(call, answer, facts);
  }

  private async kept<T extends Target, S extends ResponseStream>(
    call: Routed<T, S>,
    answer: WholeResponse,
    facts: Pick<WholeResult, 'routing' | 'losses'>,
    answered: RespondingTarget<T>,
    charging: Promise<void> | undefined,
  ): Promise<Outbound> {
    const { outcome, job, inbound } = call;
    let problem: unknown = null;
    if (job.keep) {
      // The charge runs while the answer is kept. The rejection is turned into a value here, because a rejected promise
      // that nobody awaits yet is reported as unhandled.
      const charged = charging?.then(noProblem, problemOf);
      await job.keep(answer.body, answered);
      problem = charged === undefined ? null : await charged;
    } else {
      try {
        await charging;
      } catch (error) {
        problem = problemOf(error);
      }
    }
    if (problem === null) {
      job.completed?.(answered);
      return this.recorded(call, answer, facts);
    }
    outcome.notCharged(problem);
    return this.failed(inbound.envelope, outcome, chargeFailure());
  }

  /**
   * Sends an answer that needed no upstream request. It is free unless a cache hit has a price; for a cache hit, the upstream cost that it
   * saved is recorded.
   */
  known<T extends Target, S extends ResponseStream>(
    call: Routed<T, S>,
    known: KnownResponse<T, S>,
  ): Outbound | Promise<Outbound> {
    const { answer, target, routing } = known;
    const { job } = call;
    this.names(call, known);
    if ('relay' in answer) return this.stream(call, this.streamOf(call, answer, routing), knownTo(target));
    const facts = { routing, losses: [] };
    if (known.hit !== undefined) return this.settled(call, answer, facts, knownTo(target));
    if (!job.keep) return this.recorded(call, answer, facts);
    return job.keep(answer.body, knownTo(target)).then(() => this.recorded(call, answer, facts));
  }

  private names<T extends Target, S extends ResponseStream>(
    { outcome, job }: Call<T, S>,
    { target, routing, hit }: KnownResponse<T, S>,
  ): void {
    outcome.namesTarget(target, routing.retryCount);
    if (hit !== undefined) outcome.foundInCache(hit, batchPrices(outcome.batch, job.ways.model, job.ways.prices));
  }

  private charge<T extends Target, S extends ResponseStream>(
    { outcome }: Call<T, S>,
    answer: WholeResponse,
  ): undefined | Promise<void> {
    outcome.servedAs(answer.served);
    if (outcome.batch !== null) outcome.batch.answers(answer, outcome.guard !== null);
    return answer.billable === null ? undefined : outcome.charge(answer.billable);
  }

  private recorded<T extends Target, S extends ResponseStream>(
    call: Call<T, S>,
    answer: WholeResponse,
    facts: Pick<WholeResult, 'routing' | 'losses'>,
  ): Outbound {
    const outbound = this.outbound(call, answer, facts);
    call.outcome.record();
    return outbound;
  }

  private outbound<T extends Target, S extends ResponseStream>(
    { outcome, inbound }: Call<T, S>,
    { body, status = 200, contentType = 'application/json' }: WholeResponse,
    facts: Pick<WholeResult, 'routing' | 'losses'>,
  ): Outbound {
    outcome.answers(status);
    outcome.firstByteSent();
    const headers = answerHeaders(inbound.envelope, outcome, facts);
    headers['content-type'] = contentType;
    const told = toldCost(outcome);
    const sent = told === null ? body : tellCost(headers, body, facts.routing, told, outcome.wantsUsageCost);
    const { stillHolds } = outcome;
    return stillHolds === null
      ? { kind: 'whole', status, headers, body: sent }
      : { kind: 'whole', status, headers, body: sent, stillHolds };
  }

  // ---- streams

  stream<T extends Target, S extends ResponseStream>(
    call: Routed<T, S>,
    answer: StreamResult<S>,
    answered: StreamSource<T>,
  ): Outbound {
    call.outcome.answers(200);
    const stream = this.open(call, answer, answered);
    return { kind: 'stream', headers: streamHeaders(call, answer), stream };
  }

  /**
   * Sends the response headers before there is an answer, so that no proxy cuts the silent connection. The result of the attempts, even a
   * failure, follows in the stream.
   */
  late<T extends Target, S extends ResponseStream>(
    call: Call<T, S>,
    answering: Promise<LateAnswer<T, S> | Failure>,
  ): Outbound {
    const { outcome } = call;
    const streaming = streamingOf(call);
    outcome.answers(200);
    const told = (failure: Failure) => {
      outcome.failed(failure);
      outcome.record();
      const frame = streaming.encodeFailure(failure, { isFirst: true, requestId: outcome.requestId });
      return utf8.encode(frame ?? '');
    };
    const opening = answering
      .then((late) => {
        if (late instanceof Failure) return told(late);
        const { call: by, answer } = late;
        if ('running' in answer && answer.answer.kind === 'stream') return this.open(by, answer.answer, answer);
        if (!('running' in answer) && 'relay' in answer.answer) {
          this.names(by, answer);
          return this.open(by, this.streamOf(by, answer.answer, answer.routing), knownTo(answer.target));
        }
        throw new Error('received a whole response to a streaming request');
      })
      .catch((error) => told(internalError(this.ports.logger, outcome.requestId, error)))
      .finally(() => this.pings.unwatch(pinged));
    const stream = new LateStream(opening, utf8.encode(streaming.ping ?? ''));
    const pinged = this.pings.watch(stream);
    return { kind: 'stream', headers: streamHeaders(call, null), stream };
  }

  /** Wraps a known stream as if an upstream had sent all of it at once. */
  private streamOf<T extends Target, S extends ResponseStream>(
    { buffered }: Routed<T, S>,
    { relay, bytes: first }: KnownStream<S>,
    routing: RoutingFacts,
  ): StreamResult<S> {
    const quiet = new UnproductiveBytes(buffered);
    return { kind: 'stream', relay, body: endedBody, first, running: null, quiet, routing, losses: [] };
  }

  private open<T extends Target, S extends ResponseStream>(
    call: Routed<T, S>,
    answer: StreamResult<S>,
    answered: StreamSource<T>,
  ): ClientStream<S> {
    const { outcome, job, buffered } = call;
    const { running, target } = answered;
    outcome.loses(answer.losses);
    const keep = job.keep ? (answerJson: string) => job.keep?.(answerJson, answered) ?? Promise.resolve() : null;
    const onOver = (failure: Failure | null) => {
      this.streams.delete(stream);
      this.ports.answers.unwatch(watch);
      if (pinged !== null) this.pings.unwatch(pinged);
      if (failure === null) {
        running?.answered();
        job.completed?.(answered);
      } else running?.failed(failure);
    };
    const stream = new ClientStream(answer, streamingOf(call), outcome, target.secrets, keep, onOver);
    this.streams.add(stream);
    const watch = this.ports.answers.watch(stream, buffered);
    const pinged = streamingOf(call).ping === null ? null : this.pings.watch(stream);
    return stream;
  }

  // ---- failures

  failed(envelope: Envelope, outcome: Outcome, failure: Failure): Outbound {
    const rendered = recordFailure(envelope, outcome, failure);
    const headers: Record<string, string> = { ...rendered.headers, ...callHeaders(envelope, outcome) };
    const { routing } = outcome;
    if (routing !== null) headers['x-routing'] = routing.json;
    return { kind: 'whole', status: rendered.status, headers, body: rendered.body };
  }

  /** Answers with `internal_error`, because the gateway itself threw an error. */
  broken(envelope: Envelope, outcome: Outcome, error: unknown): Outbound {
    return this.failed(envelope, outcome, internalError(this.ports.logger, outcome.requestId, error));
  }
}

/** Adds the cost to the headers and, if it has a place for it, to the body. */
function tellCost(
  headers: Record<string, string>,
  body: WholeResponse['body'],
  routing: RoutingFacts,
  told: string,
  wantsUsageCost: boolean,
): WholeResponse['body'] {
  tellInHeaders(headers, routing, told);
  return hasPlace(headers['content-type']) ? withCost(body, routing, told, wantsUsageCost) : body;
}

function noProblem(): null {
  return null;
}

function problemOf(error: unknown): unknown {
  return error ?? 'unknown';
}

/** The target whose answer a stream carries, with the attempt that it belongs to; `null` if no upstream was asked. */
interface StreamSource<T extends Target> extends RespondingTarget<T> {
  readonly running: EndingAttempt | null;
}

function knownTo<T extends Target>(target: T): StreamSource<T> {
  return { target, isRelayed: false, running: null };
}

function streamingOf<T extends Target, S extends ResponseStream>({ job }: Call<T, S>) {
  if (job.streaming === undefined) throw new Error('the operation does not support streams');
  return job.streaming;
}

/** Builds the response headers of a stream. `answer` is `null` if the headers are sent before an upstream has answered. */
function streamHeaders<T extends Target, S extends ResponseStream>(
  call: Call<T, S>,
  answer: Pick<StreamResult<S>, 'relay' | 'routing' | 'losses'> | null,
): Record<string, string> {
  const { outcome, inbound } = call;
  return {
    'content-type': answer?.relay.contentType ?? streamingOf(call).contentType(),
    'cache-control': 'no-cache',
    // Tells nginx and similar proxies in front of the gateway not to buffer the stream.
    'x-accel-buffering': 'no',
    ...(answer === null ? callHeaders(inbound.envelope, outcome) : answerHeaders(inbound.envelope, outcome, answer)),
  };
}

/** An answer that comes after the response headers, with the model that gives it: that of the call, or a fallback. */
export interface LateAnswer<T extends Target, S extends ResponseStream> {
  readonly call: Routed<T, S>;
  readonly answer: LoopResult<T, S> | KnownResponse<T, S>;
}

/** A call whose caller is authenticated and whose operation has found the targets that could answer. */
export interface Call<T extends Target, S extends ResponseStream> {
  readonly inbound: Inbound;
  readonly outcome: Outcome;
  readonly principal: Principal;
  readonly directory: Directory;
  readonly job: Job<T, S>;
}

export interface Routed<T extends Target, S extends ResponseStream> extends Call<T, S> {
  /** The targets that may be tried now, best first. */
  readonly targets: readonly T[];
  /** The memory that the answer holds. */
  readonly buffered: BufferedBytes;
  /** Absent if the request has only one model. */
  readonly bounds?: SharedBounds;
}
