import { Failure } from '../../domain/failure/failure.ts';
import type { Envelope } from '../../formats/wire.ts';
import type { Target } from '../directory/target.ts';
import type { PingSettings } from '../ports/pings.ts';
import type { AnswerMemory, HeldBytes } from './answer-memory.ts';
import { answerHeaders, callHeaders, internalError, recordFailure } from './answered-call.ts';
import type { StreamAnswer, WholeAnswer } from './attempt.ts';
import type { LoopAnswer } from './attempt-loop.ts';
import { ClientStream, type OutboundStream } from './client-stream.ts';
import type { AnswerStream, LaneAnswer } from './lane.ts';
import { LateStream } from './late-stream.ts';
import type { Answered, KnownAnswer } from './operation.ts';
import { chargeFailure, type Outcome, type RecordPorts } from './outcome.ts';
import { Pings } from './pings.ts';
import type { Call, Routed } from './running-call.ts';

const utf8 = new TextEncoder();

export interface AnsweringPorts extends RecordPorts {
  /** What answers under way hold. */
  readonly answers: AnswerMemory;
  readonly pings: PingSettings;
}

/** What goes to the client. */
export type Outbound =
  | {
      readonly kind: 'whole';
      readonly status: number;
      readonly headers: Record<string, string>;
      readonly body: Uint8Array<ArrayBuffer> | string;
    }
  | { readonly kind: 'stream'; readonly headers: Record<string, string>; readonly stream: OutboundStream };

/** How a call ends: its answer is charged, kept where it has to be, sent and recorded, whole or piece by piece. */
export class Answering {
  private readonly streams = new Set<ClientStream>();
  private readonly pings: Pings;

  constructor(private readonly ports: AnsweringPorts) {
    this.pings = new Pings(ports.pings);
  }

  /** Whether clients of silent streams hear something now and then. */
  get pingsStreams(): boolean {
    return this.pings.isOn;
  }

  /** Streams whose clients have not been told their end. */
  get openStreams(): number {
    return this.streams.size;
  }

  /** Ends the streams that are open, also those whose clients take nothing more (shutdown). */
  cutOff(failure: Failure): void {
    for (const stream of [...this.streams]) stream.cutOff(failure);
  }

  /** Ends streams whose clients do not read, and pings those whose upstream says nothing. To be called once a second. */
  look(): void {
    this.ports.answers.look();
    this.pings.look();
  }

  /** What the answer of a call will hold of the memory. */
  held<T extends Target, S extends AnswerStream>({ principal, outcome }: Call<T, S>): HeldBytes {
    return this.ports.answers.open(principal.account.id, (release) => outcome.whenOver(release));
  }

  /** The answer, or `null` once it has been waited for as long as a client may hear nothing. */
  within<Answer>(answering: Promise<Answer>): Promise<Answer | null> {
    return this.pings.isOn ? this.pings.within(answering) : answering;
  }

  // ---- whole answers

  /** A whole answer goes out once it is charged, and kept where it has to be. */
  async whole<T extends Target, S extends AnswerStream>(
    call: Routed<T, S>,
    answer: WholeAnswer,
    answered: LoopAnswer<T, S>,
  ): Promise<Outbound> {
    const { outcome, job, inbound } = call;
    answered.running.answered();
    // Its failure is looked at only after the keeping, and must not count as unhandled until then.
    const charging = this.charge(call, answer.answer)?.then(
      () => null,
      (error: unknown) => error ?? 'unknown',
    );
    if (job.keep) await job.keep(answer.answer.body, answered);
    const problem = charging === undefined ? null : await charging;
    if (problem === null) return this.sent(call, answer.answer, answer);
    outcome.notCharged(problem);
    return this.failed(inbound.envelope, outcome, chargeFailure());
  }

  /** An answer for which no upstream was asked: it costs nothing. */
  async known<T extends Target, S extends AnswerStream>(call: Routed<T, S>, known: KnownAnswer<T>): Promise<Outbound> {
    const { outcome, job } = call;
    const { answer, target, routing } = known;
    outcome.namesTarget(target);
    if (job.keep) await job.keep(answer.body, { target, isRelayed: false });
    return this.recorded(call, answer, { routing, losses: [] });
  }

  private charge<T extends Target, S extends AnswerStream>(
    { outcome, job }: Call<T, S>,
    answer: LaneAnswer,
  ): undefined | Promise<void> {
    outcome.servedAs(answer.served);
    if (answer.billable !== null) return outcome.charge(answer.billable);
    if (!outcome.dependsOnUsage) return undefined;
    return job.count?.(answer).then((billable) => outcome.charge(billable));
  }

  private sent<T extends Target, S extends AnswerStream>(
    call: Call<T, S>,
    answer: LaneAnswer,
    facts: Pick<WholeAnswer, 'routing' | 'losses'>,
  ): Outbound {
    const { outcome, job } = call;
    if (answer.billable !== null || outcome.isCharged || job.count === undefined)
      return this.recorded(call, answer, facts);
    // An answer whose upstream says nothing of its usage goes out at once, and is counted after that.
    const outbound = this.outbound(call, answer, facts);
    outcome.over();
    job
      .count(answer)
      .then((billable) => outcome.charge(billable))
      .catch((error) => outcome.notCharged(error))
      .finally(() => outcome.record());
    return outbound;
  }

  private recorded<T extends Target, S extends AnswerStream>(
    call: Call<T, S>,
    answer: LaneAnswer,
    facts: Pick<WholeAnswer, 'routing' | 'losses'>,
  ): Outbound {
    const outbound = this.outbound(call, answer, facts);
    call.outcome.record();
    return outbound;
  }

  private outbound<T extends Target, S extends AnswerStream>(
    { outcome, inbound }: Call<T, S>,
    { body, status = 200, contentType = 'application/json' }: LaneAnswer,
    facts: Pick<WholeAnswer, 'routing' | 'losses'>,
  ): Outbound {
    outcome.answers(status);
    outcome.firstByteSent();
    const headers = answerHeaders(inbound.envelope, outcome, facts);
    headers['content-type'] = contentType;
    return { kind: 'whole', status, headers, body };
  }

  // ---- streams

  stream<T extends Target, S extends AnswerStream>(
    call: Routed<T, S>,
    answer: StreamAnswer<S>,
    answered: LoopAnswer<T, S>,
  ): Outbound {
    call.outcome.answers(200);
    const stream = this.open(call, answer, answered);
    return { kind: 'stream', headers: streamHeaders(call, answer), stream };
  }

  /** The head goes out now, so that no proxy cuts the connection; what comes of the attempts is told in the stream. */
  late<T extends Target, S extends AnswerStream>(
    call: Routed<T, S>,
    answering: Promise<LoopAnswer<T, S> | KnownAnswer<T> | Failure>,
  ): Outbound {
    const { outcome } = call;
    const streaming = streamingOf(call);
    outcome.answers(200);
    const told = (failure: Failure) => {
      outcome.failed(failure);
      outcome.record();
      return utf8.encode(streaming.encodeFailure(failure, { isFirst: true, requestId: outcome.requestId }));
    };
    const opening = answering
      .then((answer) => {
        if (answer instanceof Failure) return told(answer);
        if ('running' in answer && answer.answer.kind === 'stream') return this.open(call, answer.answer, answer);
        throw new Error('a whole answer to a request for a stream');
      })
      .catch((error) => told(internalError(this.ports.logger, outcome.requestId, error)))
      .finally(() => this.pings.unwatch(stream));
    const stream = new LateStream(opening, utf8.encode(streaming.ping));
    this.pings.watch(stream);
    return { kind: 'stream', headers: streamHeaders(call, null), stream };
  }

  private open<T extends Target, S extends AnswerStream>(
    call: Routed<T, S>,
    answer: StreamAnswer<S>,
    answered: Answered<T> & Pick<LoopAnswer<T, S>, 'running'>,
  ): ClientStream<S> {
    const { outcome, job, held } = call;
    const { running, target } = answered;
    const keep = job.keep ? (answerJson: string) => job.keep?.(answerJson, answered) ?? Promise.resolve() : null;
    const onOver = (failure: Failure | null) => {
      this.streams.delete(stream);
      this.ports.answers.unwatch(stream);
      this.pings.unwatch(stream);
      if (failure === null) running.answered();
      else running.failed(failure);
    };
    const stream = new ClientStream(answer, streamingOf(call), outcome, target.secrets, keep, onOver);
    this.streams.add(stream);
    this.ports.answers.watch(stream, held);
    this.pings.watch(stream);
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

  /** A bug of ours. */
  broken(envelope: Envelope, outcome: Outcome, error: unknown): Outbound {
    return this.failed(envelope, outcome, internalError(this.ports.logger, outcome.requestId, error));
  }
}

function streamingOf<T extends Target, S extends AnswerStream>({ job }: Call<T, S>) {
  if (job.streaming === undefined) throw new Error('a stream is asked for of an operation that has none');
  return job.streaming;
}

/** The head of a stream; without an answer where it goes out before there is one. */
function streamHeaders<T extends Target, S extends AnswerStream>(
  call: Call<T, S>,
  answer: Pick<StreamAnswer<S>, 'routing' | 'losses'> | null,
): Record<string, string> {
  const { outcome, inbound } = call;
  return {
    'content-type': streamingOf(call).contentType(),
    'cache-control': 'no-cache',
    // Tells nginx and its kin in front of us not to gather chunks.
    'x-accel-buffering': 'no',
    ...(answer === null ? callHeaders(inbound.envelope, outcome) : answerHeaders(inbound.envelope, outcome, answer)),
  };
}
