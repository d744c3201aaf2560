import type { CallTimeouts } from '../../domain/catalog/channel.ts';
import type { RoutingFacts, ToldSteps } from '../../domain/exchange/routing-info.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { healthEffectOf } from '../../domain/routing/health-effect.ts';
import { backoffMs } from '../../domain/routing/retry.ts';
import { type ChannelLimiters, isLimited } from '../channel-limits/channel-limiters.ts';
import type { Target } from '../directory/target.ts';
import type { LowPriority } from '../ports/low-priority.ts';
import type { WaitingClient } from '../ports/upstream.ts';
import type { RoutingSettings } from '../settings/settings.ts';
import type { AttemptTools } from './answer-parts.ts';
import { type AttemptInput, answerOf, ask, type StreamResult, type WholeResult } from './attempt.ts';
import { FullTargets } from './full-targets.ts';
import type { Lane, LaneRequest, ResponseStream } from './lane.ts';
import type { BatchableRequest, LineRelay } from './line-relay.ts';
import { type NoResponse, saysUnable } from './no-channel.ts';
import type { Job, RespondingTarget } from './operation.ts';
import type { Candidate, OtherWires } from './other-wires.ts';
import type { Outcome } from './outcome.ts';
import type { BufferedBytes } from './response-memory.ts';
import { type AttemptPorts, RunningAttempt } from './running-attempt.ts';

/** The default number of retries of the only usable channel after a transient failure. */
const USUAL_REPEATS = 2;

/** The events that the loop reports. The record of the call listens to them; a channel test can listen instead. */
export type AttemptEvents = Pick<Outcome, 'attemptBegan' | 'heard' | 'attemptFailed' | 'withExtras'> &
  Partial<Pick<Outcome, 'trace' | 'idsFor' | 'waited' | 'releaseReservation' | 'guard'>> & {
    readonly batch?: (LowPriority & { readonly relay?: LineRelay | null }) | null;
  };

/** The part of the bounds on attempts that the models before this one have used, and that those after it need. */
export interface SharedBounds {
  /** When the first model was asked, on the monotonic clock. */
  readonly startedMs: number;
  readonly askedBefore: number;
  /** The number of models that may still follow. Each keeps one attempt. */
  readonly modelsAfter: number;
}

export interface LoopPorts extends AttemptPorts, AttemptTools {
  readonly random: () => number;
  readonly routing: Pick<RoutingSettings, 'strategy' | 'maxAttempts' | 'deadlineMs'>;
}

export interface LoopInput<T extends Target, S extends ResponseStream> {
  readonly job: Pick<Job<T, S>, 'stream' | 'lane' | 'missingObject' | 'repeats' | 'judge'> &
    Partial<Pick<Job<T, S>, 'bounds' | 'ways'>>;
  readonly outcome: AttemptEvents;
  readonly accountId: string;
  readonly client: WaitingClient;
  readonly buffered: BufferedBytes;
  /** The targets that may be tried, best first. */
  readonly targets: readonly T[];
  readonly otherWires: OtherWires;
  /** The changes of the model, for `_routing`; absent or `null` for none. */
  readonly told?: ToldSteps | null;
  /** Absent if the request has only one model. */
  readonly bounds?: SharedBounds | null;
}

/** The ends of an attempt. */
export type EndingAttempt = Pick<RunningAttempt, 'answered' | 'failed' | 'abandoned'>;

/** An upstream's answer and the lane that it took. The attempt is still running: the consumer has to end it with the answer. */
export interface LoopResult<T extends Target, S extends ResponseStream> extends RespondingTarget<T> {
  readonly answer: WholeResult | StreamResult<S>;
  readonly running: EndingAttempt;
}

interface Begun<S extends ResponseStream> extends AttemptInput<S> {
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
export class AttemptLoop<T extends Target, S extends ResponseStream> {
  private readonly queue: Queued<T>[] = [];
  private readonly startedMs: number;
  private readonly maxAttempts: number;
  /** The kinds of targets (`kindOf`) that lose something of this request. */
  private lossyKinds: Set<string> | null = null;
  private failure: Failure | null = null;
  /** The attempts of the request so far, over all of its models. */
  private asked = 0;
  private lastAsked: Queued<T> | null = null;
  private sameRetries = 0;
  /** The targets at their limits; `null` if none was found to be. */
  private full: FullTargets<Queued<T>> | null = null;

  constructor(
    private readonly ports: LoopPorts,
    private readonly input: LoopInput<T, S>,
  ) {
    for (const target of input.targets) this.queue.push(input.otherWires.candidate(target, input.accountId));
    const { bounds = null } = input;
    this.startedMs = bounds === null ? ports.clock.monotonicMs() : bounds.startedMs;
    this.maxAttempts = ports.routing.maxAttempts;
    if (bounds !== null) {
      this.asked = bounds.askedBefore;
      this.maxAttempts = Math.max(this.asked + 1, this.maxAttempts - bounds.modelsAfter);
    }
  }

  /** One async function for the whole loop: each further one would allocate six objects per request while it waits for the upstream. */
  async run(): Promise<LoopResult<T, S> | NoResponse> {
    const { input, ports } = this;
    const relay = input.outcome.batch?.relay ?? null;
    try {
      for (;;) {
        const candidate = this.queue.shift() ?? (await this.again()) ?? (await this.fullOne());
        if (!candidate) return this.noResponse(false);
        if (this.isOutOfBounds()) return this.noResponse(true);
        if (this.shouldWait(candidate)) continue;
        const isHandedOver = relay?.wants(candidate.target) === true;
        if (ports.channelLimits !== undefined && isLimited(candidate.target) && !isHandedOver) {
          const admitting = this.fullTargets(ports.channelLimits).admits(candidate);
          if (!(admitting instanceof Promise ? await admitting : admitting)) continue;
        }
        const lane = input.job.lane(candidate.target, this.routingOf(candidate));
        const { trace } = input.outcome;
        trace?.mark();
        const preparing = lane.request();
        const prepared = preparing instanceof Promise ? await preparing : preparing;
        if (!lane.isRelayed) trace?.passed('encode', prepared);
        if (prepared instanceof Failure) {
          if (this.couldNotPrepare(candidate, prepared)) return this.noResponse(false);
          continue;
        }
        if (this.isBetterLater(candidate, prepared)) continue;
        const { extras } = prepared;
        const checking = extras instanceof Failure ? extras : input.outcome.withExtras(extras);
        const refusal = checking instanceof Promise ? await checking : checking;
        if (refusal !== null) {
          if (this.couldNotPrepare(candidate, refusal)) return this.noResponse(false);
          continue;
        }
        if (relay !== null && isHandedOver) {
          const taken = await this.handOver(relay, { target: candidate.target, lane, prepared });
          if (taken !== null) return taken;
          if (!(await this.hasRoom(candidate))) continue;
        }
        const begun = this.begin(candidate, lane, prepared);
        if (begun === null) continue;
        let answer: WholeResult | StreamResult<S> | Failure;
        try {
          const heard = await ask(ports, begun);
          if (!(heard instanceof Failure)) begun.running.heard(heard);
          const reading = heard instanceof Failure ? heard : answerOf(ports, begun, heard);
          answer = reading instanceof Promise ? await reading : reading;
        } catch (error) {
          begun.running.abandoned();
          throw error;
        }
        if (!(answer instanceof Failure)) return this.answered(candidate, begun, answer);
        if (this.failed(candidate, begun, answer)) return this.noResponse(false);
      }
    } finally {
      this.full?.drop();
    }
  }

  /** Hands the request to a batch of its provider. Resolves to `null` if it has to be sent as usual. */
  private async handOver(
    relay: LineRelay,
    request: Pick<BatchableRequest, 'target' | 'lane' | 'prepared'>,
  ): Promise<NoResponse | null> {
    const { job, outcome } = this.input;
    const failure = await relay.take({ ...request, stream: job.stream, verdicts: outcome.guard?.heard ?? [] }, () =>
      outcome.releaseReservation?.(),
    );
    return failure === null ? null : { failure, wasCutShort: false, asked: 0 };
  }

  /** Takes a place within the limits of a channel for a line that is sent as usual after all. */
  private async hasRoom(candidate: Queued<T>): Promise<boolean> {
    const { channelLimits } = this.ports;
    if (channelLimits === undefined || !isLimited(candidate.target)) return true;
    return this.fullTargets(channelLimits).admits(candidate);
  }

  private noResponse(wasCutShort: boolean): NoResponse {
    const { full } = this;
    const asked = this.asked - (this.input.bounds?.askedBefore ?? 0);
    const noResponse = { failure: full?.failure ?? this.failure, wasCutShort, asked };
    const refusals = full?.refusals ?? null;
    return refusals === null ? noResponse : { ...noResponse, full: refusals };
  }

  private fullTargets(limiters: ChannelLimiters): FullTargets<Queued<T>> {
    if (this.full === null) {
      const { client, accountId, job, outcome } = this.input;
      const size = job.ways === undefined ? null : (job.bounds?.(job.ways.model)?.certain() ?? null);
      this.full = new FullTargets({ limiters, clock: this.ports.clock, client, accountId, size, outcome });
    }
    return this.full;
  }

  private routingOf({ target }: Queued<T>): RoutingFacts {
    return target.routing.withRetries(this.asked).withSteps(this.input.told ?? null);
  }

  /** Begins an attempt. Returns `null` if the target admits no request now. */
  private begin(candidate: Queued<T>, lane: Lane<S>, prepared: LaneRequest): Begun<S> | null {
    const { input, ports } = this;
    const { target } = candidate;
    const { outcome, client, buffered, accountId } = input;
    const { stream } = input.job;
    const permit = this.full?.permitFor(target) ?? null;
    const running = RunningAttempt.begin(ports, target, accountId, stream, permit);
    if (running === null) {
      permit?.leave();
      return null;
    }
    const routing = this.routingOf(candidate);
    this.lastAsked = candidate;
    const ids = outcome.idsFor?.(target, this.asked) ?? null;
    outcome.attemptBegan(target, this.asked++, permit);
    outcome.trace?.takesLane(lane.isRelayed);
    const timeouts = this.timeoutsFor(target, stream && lane.stream !== undefined);
    return {
      lane,
      prepared,
      stream,
      target,
      ids,
      timeouts,
      deadlineMs: ports.clock.monotonicMs() + timeouts.totalMs,
      isLast: this.isLast,
      client,
      buffered,
      routing,
      outcome,
      running,
    };
  }

  private answered(
    candidate: Queued<T>,
    { lane, running }: Begun<S>,
    answer: WholeResult | StreamResult<S>,
  ): LoopResult<T, S> {
    const { otherWires, accountId } = this.input;
    otherWires.answered(candidate, this.failure, accountId);
    return { answer, running, target: candidate.target, isRelayed: lane.isRelayed };
  }

  /**
   * Replaces a missing object (HTTP 404), which says nothing about the channel's health, with the operation's own failure. The upstream's
   * details are kept if it gave any.
   */
  private missing({ kind, details }: Failure): Failure | null {
    const { missingObject = null } = this.input.job;
    if (kind !== 'http_404' || missingObject === null) return null;
    const { upstreamDetails = missingObject.details.upstreamDetails } = details;
    return new Failure(missingObject.code, { ...missingObject.details, ...(upstreamDetails && { upstreamDetails }) });
  }

  /** Records the failed attempt. Returns whether no other target could answer either. */
  private failed(candidate: Queued<T>, { running, target }: Begun<S>, told: Failure): boolean {
    const { job, otherWires, outcome } = this.input;
    const own = this.missing(told) ?? target.secrets.cleaned(told);
    const failure = job.judge?.(own) ?? own;
    const others = otherWires.after(candidate, failure);
    this.queue.unshift(...others);
    this.note(failure);
    const { latencyMs } = running;
    // An address that does not serve this wire is not unhealthy, so its health is left unchanged.
    if (others.length > 0) running.abandoned();
    else running.failed(failure, this.sameRetries > 0);
    outcome.attemptFailed(failure, latencyMs);
    if (target.channel.upstreamKey !== undefined) this.otherKeysLast(target, failure);
    if (failure.code === 'context_length_exceeded') return !this.leaveLargerContexts(target);
    return failure.retry === 'never';
  }

  /**
   * Keeps only targets with a known context larger than the one that was too small for the prompt, and returns whether any are left. A
   * self-hosted server may have loaded its model with an unknown context size.
   */
  private leaveLargerContexts({ capabilities }: Target): boolean {
    const tried = capabilities?.contextTokens ?? 0;
    const larger = this.queue.filter(({ target }) => (target.capabilities?.contextTokens ?? 0) > tried);
    this.queue.splice(0, this.queue.length, ...larger);
    return larger.length > 0;
  }

  /** Moves the other keys of the channel behind all other channels, unless the failure may concern only the one key. */
  private otherKeysLast({ channel: { id }, place }: Target, failure: Failure): void {
    if (healthEffectOf(failure) !== 'failure') return;
    // Other formats of the same key stay first.
    const isOtherKey = ({ target }: Queued<T>) => target.channel.id === id && target.place !== place;
    this.queue.sort((one, other) => Number(isOtherKey(one)) - Number(isOtherKey(other)));
  }

  /** Returns whether no other target could carry the request either. */
  private couldNotPrepare(candidate: Queued<T>, failure: Failure): boolean {
    this.queue.unshift(...this.input.otherWires.after(candidate, failure));
    this.note(failure);
    return failure.retry === 'never';
  }

  /** A channel that lacks the requested ability must not hide the failure of one that has it. */
  private note(failure: Failure): void {
    if (this.failure === null || !saysUnable(failure)) this.failure = failure;
  }

  // ---- lossy channels come last

  private shouldWait(candidate: Queued<T>): boolean {
    if (this.lossyKinds === null || candidate.isLossy || !this.lossyKinds.has(kindOf(candidate))) return false;
    if (!this.hasOthersFirst(this.lossyKinds)) return false;
    this.queue.push({ ...candidate, isLossy: true });
    return true;
  }

  private isBetterLater(candidate: Queued<T>, { losses }: LaneRequest): boolean {
    if (losses.length === 0 || candidate.isLossy) return false;
    this.lossyKinds ??= new Set();
    this.lossyKinds.add(kindOf(candidate));
    if (!this.hasOthersFirst(this.lossyKinds)) return false;
    this.queue.push({ ...candidate, isLossy: true });
    return true;
  }

  /**
   * Returns whether other targets come first: those that may lose nothing, and lossy ones that already wait. The lossy ones thus keep their
   * own order.
   */
  private hasOthersFirst(lossyKinds: ReadonlySet<string>): boolean {
    return this.queue.some((other) => other.isLossy || !lossyKinds.has(kindOf(other)));
  }

  // ---- bounds

  private leftMs(): number {
    return this.startedMs + this.ports.routing.deadlineMs - this.ports.clock.monotonicMs();
  }

  private get mayAskAnotherModel(): boolean {
    return (this.input.bounds?.modelsAfter ?? 0) > 0;
  }

  /** Whether no other target or model can be asked after this one. A full target may have room by then. */
  private get isLast(): boolean {
    if (this.mayAskAnotherModel) return false;
    return this.isOutOfBounds() || (this.queue.length === 0 && (this.full === null || this.full.refusals === null));
  }

  /** Waits for a full channel. A request does not wait if another model may answer at once. */
  private fullOne(): Promise<Queued<T> | null> | null {
    return this.full === null || this.mayAskAnotherModel ? null : this.full.next(this.leftMs());
  }

  private isOutOfBounds(): boolean {
    const { routing, clock } = this.ports;
    if (this.asked === 0) return false;
    return this.asked >= this.maxAttempts || clock.monotonicMs() - this.startedMs >= routing.deadlineMs;
  }

  /** Returns the channel's own timeouts for the first attempt. Later attempts must deliver the first byte before the request's deadline. */
  private timeoutsFor(target: Target, isStreamed: boolean): CallTimeouts {
    const timeouts = target.timeouts[isStreamed ? 'stream' : 'whole'];
    if (this.asked === 1) return timeouts;
    const leftMs = Math.max(1, this.leftMs());
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

/** Returns the key of targets that encode a request in the same way, and so have the same losses. */
function kindOf({ target: { wire, channel, upstreamModel } }: Candidate): string {
  return `${wire.name} ${channel.provider} ${upstreamModel}`;
}
