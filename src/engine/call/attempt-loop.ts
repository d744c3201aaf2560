import type { CallTimeouts } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { backoffMs } from '../../domain/routing/retry.ts';
import type { Target } from '../directory/target.ts';
import type { UpstreamAnswer, WaitingClient } from '../ports/upstream.ts';
import type { RoutingSettings } from '../settings/routing-settings.ts';
import type { HeldBytes } from './answer-memory.ts';
import type { AttemptTools } from './answer-parts.ts';
import { attempt, type StreamAnswer, type WholeAnswer } from './attempt.ts';
import type { AnswerStream, LaneRequest } from './lane.ts';
import type { NoAnswer } from './no-channel.ts';
import type { Answered, Job } from './operation.ts';
import type { Candidate, OtherWires } from './other-wires.ts';
import type { Outcome } from './outcome.ts';
import { type AttemptPorts, RunningAttempt } from './running-attempt.ts';

/** The default number of retries of the only usable channel after a transient failure. */
const USUAL_REPEATS = 2;

/** The events that the loop reports. The record of the call listens to them; a channel test can listen instead. */
export type AttemptEvents = Pick<Outcome, 'attemptBegan' | 'heard' | 'attemptFailed' | 'withExtras'>;

export interface LoopPorts extends AttemptPorts, AttemptTools {
  readonly random: () => number;
  readonly routing: RoutingSettings;
}

export interface LoopInput<T extends Target, S extends AnswerStream> {
  readonly job: Pick<Job<T, S>, 'stream' | 'lane' | 'missingObject' | 'repeats' | 'judge'>;
  readonly outcome: AttemptEvents;
  readonly accountId: string;
  readonly client: WaitingClient;
  readonly held: HeldBytes;
  /** The targets that may be tried, best first. */
  readonly targets: readonly T[];
  readonly otherWires: OtherWires;
}

/** An upstream's answer and the lane that it took. The attempt is still running: the end of the answer has to end it. */
export interface LoopAnswer<T extends Target, S extends AnswerStream> extends Answered<T> {
  readonly answer: WholeAnswer | StreamAnswer<S>;
  readonly running: RunningAttempt;
}

interface Queued<T extends Target> extends Candidate<T> {
  /** The target loses something of the request, so it waits until all targets that lose nothing have been tried. */
  readonly isLossy?: true;
}

/**
 * Tries one target after the other until one answers, a failure says that no other target could answer, or a bound is
 * reached.
 */
export class AttemptLoop<T extends Target, S extends AnswerStream> {
  private readonly queue: Queued<T>[];
  private readonly startedMs: number;
  /** The kinds of targets (`kindOf`) that lose something of this request. */
  private readonly lossyKinds = new Set<string>();
  private failure: Failure | null = null;
  private asked = 0;
  private lastAsked: Queued<T> | null = null;
  private sameRetries = 0;

  constructor(
    private readonly ports: LoopPorts,
    private readonly input: LoopInput<T, S>,
  ) {
    this.queue = input.targets.map((target) => input.otherWires.candidate(target, input.accountId));
    this.startedMs = ports.clock.monotonicMs();
  }

  async run(): Promise<LoopAnswer<T, S> | NoAnswer> {
    for (;;) {
      const candidate = this.queue.shift() ?? (await this.again());
      if (!candidate) return { failure: this.failure, wasCutShort: false, asked: this.asked };
      if (this.isOutOfBounds()) return { failure: this.failure, wasCutShort: true, asked: this.asked };
      const result = await this.tryOne(candidate);
      if (result === null) continue;
      if (!(result instanceof Failure)) return result;
      if (result.retry === 'never') return { failure: this.failure, wasCutShort: false, asked: this.asked };
    }
  }

  /** `null` if the target was not asked: it admits no request now, or targets that lose nothing come first. */
  private async tryOne(candidate: Queued<T>): Promise<LoopAnswer<T, S> | Failure | null> {
    const { input, ports } = this;
    const { target } = candidate;
    if (this.shouldWait(candidate)) return null;
    const routing = target.routing.withRetries(this.asked);
    const lane = input.job.lane(target, routing);
    let prepared = lane.request();
    if (prepared instanceof Promise) prepared = await prepared;
    if (prepared instanceof Failure) return this.couldNotPrepare(candidate, prepared);
    if (this.isBetterLater(candidate, prepared)) return null;
    let refusal = prepared.extras instanceof Failure ? prepared.extras : input.outcome.withExtras(prepared.extras);
    if (refusal instanceof Promise) refusal = await refusal;
    if (refusal !== null) return this.couldNotPrepare(candidate, refusal);
    const { job, outcome, client, held } = input;
    const { stream } = job;
    const running = RunningAttempt.begin(ports, target, input.accountId, stream);
    if (running === null) return null;
    this.lastAsked = candidate;
    outcome.attemptBegan(target, this.asked++);
    const timeouts = this.timeoutsFor(target, stream && lane.stream !== undefined);
    const answering = () => running.answering();
    const heard = (head: UpstreamAnswer) => outcome.heard(head);
    let answer: WholeAnswer | StreamAnswer<S> | Failure;
    try {
      const isLast = this.queue.length === 0 || this.isOutOfBounds();
      const deadlineMs = ports.clock.monotonicMs() + timeouts.totalMs;
      const all = {
        lane,
        prepared,
        stream,
        target,
        timeouts,
        deadlineMs,
        isLast,
        client,
        held,
        routing,
        heard,
        answering,
      };
      answer = await attempt(ports, all);
    } catch (error) {
      running.abandoned();
      throw error;
    }
    if (answer instanceof Failure) {
      const failure = this.missing(answer) ?? target.secrets.cleaned(answer);
      return this.failed(candidate, running, job.judge?.(failure) ?? failure);
    }
    input.otherWires.answered(candidate, this.failure, input.accountId);
    return { answer, running, target, isRelayed: lane.isRelayed };
  }

  /**
   * An object that the channel does not have (an HTTP 404) says nothing about the channel's health. The client gets the
   * operation's own failure, with the upstream's details if it gave any.
   */
  private missing({ kind, details }: Failure): Failure | null {
    const { missingObject = null } = this.input.job;
    if (kind !== 'http_404' || missingObject === null) return null;
    const { upstreamDetails = missingObject.details.upstreamDetails } = details;
    return new Failure(missingObject.code, { ...missingObject.details, ...(upstreamDetails && { upstreamDetails }) });
  }

  private failed(candidate: Queued<T>, running: RunningAttempt, failure: Failure): Failure {
    const others = this.input.otherWires.after(candidate, failure);
    this.queue.unshift(...others);
    this.failure = failure;
    const { latencyMs } = running;
    // An address that does not serve this wire is not a failing address: its health stays as it is.
    if (others.length > 0) running.abandoned();
    else running.failed(failure, this.sameRetries > 0);
    this.input.outcome.attemptFailed(failure, latencyMs);
    return failure;
  }

  private couldNotPrepare(candidate: Queued<T>, failure: Failure): Failure {
    this.queue.unshift(...this.input.otherWires.after(candidate, failure));
    // Another channel's inability to carry the request must not hide the failure that an upstream reported.
    if (this.failure === null || failure.kind !== 'loss_refused') this.failure = failure;
    return failure;
  }

  // ---- lossy channels come last

  private shouldWait(candidate: Queued<T>): boolean {
    if (candidate.isLossy || !this.lossyKinds.has(kindOf(candidate)) || !this.hasOthersFirst()) return false;
    this.queue.push({ ...candidate, isLossy: true });
    return true;
  }

  private isBetterLater(candidate: Queued<T>, { losses }: LaneRequest): boolean {
    if (losses.length === 0 || candidate.isLossy) return false;
    this.lossyKinds.add(kindOf(candidate));
    if (!this.hasOthersFirst()) return false;
    this.queue.push({ ...candidate, isLossy: true });
    return true;
  }

  /**
   * Whether other targets come before this one: those that may lose nothing, and lossy ones that already wait. The
   * lossy ones thus keep their own order.
   */
  private hasOthersFirst(): boolean {
    return this.queue.some((other) => other.isLossy || !this.lossyKinds.has(kindOf(other)));
  }

  // ---- bounds

  private isOutOfBounds(): boolean {
    const { routing, clock } = this.ports;
    if (this.asked === 0) return false;
    return this.asked >= routing.maxAttempts || clock.monotonicMs() - this.startedMs >= routing.deadlineMs;
  }

  /**
   * The first attempt has the channel's own timeouts. Later attempts must deliver the first byte in the time that is
   * left of the request's deadline.
   */
  private timeoutsFor(target: Target, isStreamed: boolean): CallTimeouts {
    const timeouts = target.timeouts[isStreamed ? 'stream' : 'whole'];
    if (this.asked === 1) return timeouts;
    const leftMs = Math.max(1, this.startedMs + this.ports.routing.deadlineMs - this.ports.clock.monotonicMs());
    return leftMs >= timeouts.firstByteMs ? timeouts : { ...timeouts, firstByteMs: Math.ceil(leftMs) };
  }

  /** Retries the same target after a backoff, if there is no other target and the failure is transient. */
  private async again(): Promise<Queued<T> | null> {
    const { lastAsked, failure, ports, input } = this;
    if (lastAsked === null || failure?.retry !== 'same-target') return null;
    if (input.targets.length > 1 || this.sameRetries >= (input.job.repeats ?? USUAL_REPEATS)) return null;
    this.sameRetries++;
    await ports.sleep(backoffMs(this.sameRetries, ports.random), input.client.signal);
    if (!input.client.signal.aborted) return lastAsked;
    this.failure = new Failure('client_closed_request', { message: 'The client closed the connection.' });
    return null;
  }
}

/** Targets of the same kind encode a request in the same way, and so have the same losses. */
function kindOf({ target: { wire, channel, upstreamModel } }: Candidate): string {
  return `${wire.name} ${channel.provider} ${upstreamModel}`;
}
