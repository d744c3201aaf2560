import type { CallTimeouts } from '../../domain/catalog/channel.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { backoffMs } from '../../domain/routing/retry.ts';
import type { Target } from '../directory/target.ts';
import type { Logger } from '../ports/logger.ts';
import type { Upstream, WaitingClient } from '../ports/upstream.ts';
import type { RoutingSettings } from '../settings/routing-settings.ts';
import type { HeldBytes } from './answer-memory.ts';
import { attempt, type StreamAnswer, type WholeAnswer } from './attempt.ts';
import type { Lane, LaneRequest } from './lane.ts';
import type { Candidate, OtherFormats } from './other-formats.ts';
import type { Outcome } from './outcome.ts';
import { type AttemptPorts, RunningAttempt } from './running-attempt.ts';
import { upstreamRequestIdOf } from './upstream-request-id.ts';

/** How often the one usable channel is asked again after a failure of the kind that passes by itself. */
const SAME_CHANNEL_RETRIES = 2;

export interface LoopPorts extends AttemptPorts {
  readonly upstream: Upstream;
  readonly logger: Logger;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly routing: RoutingSettings;
}

export interface LoopInput {
  readonly outcome: Outcome;
  readonly accountId: string;
  readonly client: WaitingClient;
  readonly held: HeldBytes;
  readonly stream: boolean;
  /** Those that may be tried, best first. */
  readonly targets: readonly Target[];
  readonly otherFormats: OtherFormats;
  /** Whether this may go to the target, by what the target would make of it; more money may have to be put aside for that. */
  readonly admit: (target: Target, prepared: LaneRequest) => null | Failure | Promise<null | Failure>;
  /** What is answered where the upstream does not find what the request names; `null` where it names nothing there. */
  readonly missingObject: Failure | null;
  readonly laneFor: (target: Target, retryCount: number) => { readonly lane: Lane; readonly routing: RoutingFacts };
}

/** An upstream's answer, and the attempt that it belongs to, which the end of a stream has yet to end. */
export interface LoopAnswer {
  readonly answer: WholeAnswer | StreamAnswer;
  readonly running: RunningAttempt;
  readonly target: Target;
}

/** Why there is no answer. */
export interface NoAnswer {
  /** The latest failure that says something to the client; `null` where nothing was tried. */
  readonly failure: Failure | null;
  /** The bound on attempts or on time ended it, with targets left. */
  readonly wasCutShort: boolean;
}

interface Queued extends Candidate {
  /** It was found to lose something of the request, and waits until those that do not have had their turn. */
  readonly isLossy?: true;
}

/** Tries one target after the other until one answers, the failure says that no other could, or the bounds are reached. */
export class AttemptLoop {
  private readonly queue: Queued[];
  private readonly startedMs: number;
  /** Kinds of targets that lose something of this request. */
  private readonly lossyKinds = new Set<string>();
  private failure: Failure | null = null;
  private asked = 0;
  private lastAsked: Queued | null = null;
  private sameRetries = 0;

  constructor(
    private readonly ports: LoopPorts,
    private readonly input: LoopInput,
  ) {
    this.queue = input.targets.map((target) => input.otherFormats.candidate(target, input.accountId));
    this.startedMs = ports.clock.monotonicMs();
  }

  async run(): Promise<LoopAnswer | NoAnswer> {
    for (;;) {
      const candidate = this.queue.shift() ?? (await this.again());
      if (!candidate) return { failure: this.failure, wasCutShort: false };
      if (this.isOutOfBounds()) return { failure: this.failure, wasCutShort: true };
      const result = await this.tryOne(candidate);
      if (result === null) continue;
      if (!(result instanceof Failure)) return result;
      if (result.retry === 'never') return { failure: this.failure, wasCutShort: false };
    }
  }

  /** `null` where the target was not asked: it admits nothing now, or others come before it. */
  private async tryOne(candidate: Queued): Promise<LoopAnswer | Failure | null> {
    const { input, ports } = this;
    const { target } = candidate;
    if (this.shouldWait(candidate)) return null;
    const { lane, routing } = input.laneFor(target, this.asked);
    let prepared = lane.request();
    if (prepared instanceof Promise) prepared = await prepared;
    if (prepared instanceof Failure) return this.couldNotPrepare(candidate, prepared);
    if (this.isBetterLater(candidate, prepared)) return null;
    let refusal = input.admit(target, prepared);
    if (refusal instanceof Promise) refusal = await refusal;
    if (refusal !== null) return this.couldNotPrepare(candidate, refusal);
    const running = RunningAttempt.begin(ports, target, input.accountId, input.stream);
    if (running === null) return null;
    this.lastAsked = candidate;
    const { outcome, client, stream, held } = input;
    outcome.target = target;
    outcome.retryCount = this.asked++;
    const timeouts = this.timeoutsFor(target);
    const answering = () => running.answering();
    outcome.upstreamRequestId = null;
    const heard = (headers: Headers) => {
      outcome.upstreamRequestId = upstreamRequestIdOf(headers);
    };
    let answer: WholeAnswer | StreamAnswer | Failure;
    try {
      const isLast = this.queue.length === 0 || this.isOutOfBounds();
      const all = { lane, prepared, stream, target, timeouts, isLast, client, held, routing, heard, answering };
      answer = await attempt(ports.upstream, all);
    } catch (error) {
      running.abandoned();
      throw error;
    }
    if (answer instanceof Failure) {
      return this.failed(candidate, running, this.missing(answer) ?? target.secrets.cleaned(answer));
    }
    input.otherFormats.answered(candidate, this.failure, input.accountId);
    return { answer, running, target };
  }

  /**
   * That the channel does not have what the request names says nothing of its health; the client gets the upstream's details where
   * it gives some.
   */
  private missing({ kind, details }: Failure): Failure | null {
    const { missingObject } = this.input;
    if (kind !== 'http_404' || missingObject === null) return null;
    const { upstreamDetails = missingObject.details.upstreamDetails } = details;
    return new Failure(missingObject.code, { ...missingObject.details, ...(upstreamDetails && { upstreamDetails }) });
  }

  private failed(candidate: Queued, running: RunningAttempt, failure: Failure): Failure {
    const { outcome } = this.input;
    const { channel } = candidate.target;
    const others = this.input.otherFormats.after(candidate, failure);
    this.queue.unshift(...others);
    this.failure = failure;
    const { latencyMs } = running;
    // An address that lacks a format is not ill.
    if (others.length > 0) running.abandoned();
    else running.failed(failure, this.sameRetries > 0);
    // The client's own mistake, or its leaving, says nothing about the channel.
    if (failure.side === 'client') return failure;
    outcome.failedAttempts.push({ channelId: channel.id, kind: failure.kind, latencyMs });
    logFailedAttempt(this.ports.logger, outcome, channel.id, failure);
    return failure;
  }

  private couldNotPrepare(candidate: Queued, failure: Failure): Failure {
    this.queue.unshift(...this.input.otherFormats.after(candidate, failure));
    // What another channel could not carry is no reason to hide what this one's upstream said.
    if (this.failure === null || failure.kind !== 'loss_refused') this.failure = failure;
    return failure;
  }

  // ---- channels that lose something come after those that do not

  private shouldWait(candidate: Queued): boolean {
    if (candidate.isLossy || !this.lossyKinds.has(kindOf(candidate)) || !this.hasOthersFirst()) return false;
    this.queue.push({ ...candidate, isLossy: true });
    return true;
  }

  private isBetterLater(candidate: Queued, { losses }: LaneRequest): boolean {
    if (losses.length === 0 || candidate.isLossy) return false;
    this.lossyKinds.add(kindOf(candidate));
    if (!this.hasOthersFirst()) return false;
    this.queue.push({ ...candidate, isLossy: true });
    return true;
  }

  /** Those that may lose nothing, and those that wait already: all that lose something are tried in their own order. */
  private hasOthersFirst(): boolean {
    return this.queue.some((other) => other.isLossy || !this.lossyKinds.has(kindOf(other)));
  }

  // ---- bounds

  private isOutOfBounds(): boolean {
    const { routing, clock } = this.ports;
    if (this.asked === 0) return false;
    return this.asked >= routing.maxAttempts || clock.monotonicMs() - this.startedMs >= routing.deadlineMs;
  }

  /** The first attempt has the channel's own time; what comes after it has what is left of the request's. */
  private timeoutsFor(target: Target): CallTimeouts {
    const timeouts = target.timeouts[this.input.stream ? 'stream' : 'whole'];
    if (this.asked === 1) return timeouts;
    const leftMs = Math.max(1, this.startedMs + this.ports.routing.deadlineMs - this.ports.clock.monotonicMs());
    return leftMs >= timeouts.firstByteMs ? timeouts : { ...timeouts, firstByteMs: Math.ceil(leftMs) };
  }

  /** The same target again, after a pause, where there is no other and the failure may have passed. */
  private async again(): Promise<Queued | null> {
    const { lastAsked, failure, ports, input } = this;
    if (lastAsked === null || failure?.retry !== 'same-target') return null;
    if (input.targets.length > 1 || this.sameRetries >= SAME_CHANNEL_RETRIES) return null;
    this.sameRetries++;
    await ports.sleep(backoffMs(this.sameRetries, ports.random), input.client.signal);
    if (!input.client.signal.aborted) return lastAsked;
    this.failure = new Failure('client_closed_request', { message: 'The client closed the connection.' });
    return null;
  }
}

/** Targets of one kind make the same of a request. */
function kindOf({ target: { upstream, channel, upstreamModel } }: Candidate): string {
  return `${upstream.name} ${channel.provider} ${upstreamModel}`;
}

export function logFailedAttempt(
  logger: Logger,
  { requestId, upstreamRequestId }: Pick<Outcome, 'requestId' | 'upstreamRequestId'>,
  channelId: string,
  failure: Failure,
): void {
  const { kind, side, message } = failure;
  // An upstream's words may repeat the prompt, which no log may hold; what it says about its own key or account does not.
  const aboutAccess = kind.startsWith('upstream_auth') || kind === 'upstream_quota';
  const reason = aboutAccess ? message : undefined;
  const theirs = upstreamRequestId ?? undefined;
  logger.warn({ requestId, channelId, kind, side, reason, upstreamRequestId: theirs }, 'attempt failed');
}
