import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import { healthEffectOf } from '../../domain/routing/health-effect.ts';
import type { Passage } from '../../domain/routing/shared-breaker.ts';
import { entryOf } from '../../formats/shared/json/record.ts';
import type { ChannelLimiters } from '../channel-limits/channel-limiters.ts';
import { noteStatedLimits, type TargetPermit } from '../channel-limits/target-permit.ts';
import type { AskedTarget } from '../directory/target.ts';
import type { ModelHealth } from '../health/channel-health.ts';
import type { Clock } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';

/**
 * The cooldown of a channel if the upstream does not give one. An exhausted budget is refilled more slowly than a per-minute rate limit.
 */
const DEFAULT_REST_MS: Readonly<Record<string, number>> = { upstream_quota: 60_000 };

export interface AttemptPorts {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** The limits of channels. Absent for requests to which they do not apply, such as tests of a channel. */
  readonly channelLimits?: ChannelLimiters;
  /** Called when the provider seems to reject the channel's credentials. Tests the channel, and blocks it if they are rejected. */
  readonly suspectChannel: (target: AskedTarget, failure: Failure) => void;
  /** Called when the requests of one account fail. Sends the gateway's own test request, to find out whether all accounts are affected. */
  readonly probeChannel: (target: AskedTarget, stream: boolean) => void;
}

/** One attempt at a channel, from sending the request until the answer has ended. Reports to the channel's health. */
export class RunningAttempt {
  private readonly startedMs: number;
  private firstByteMs: number | null = null;
  private isOver = false;

  private constructor(
    private readonly ports: AttemptPorts,
    private readonly target: AskedTarget,
    private readonly health: ModelHealth,
    private readonly passage: Passage,
    private readonly stream: boolean,
    nowMs: number,
    private readonly permit: TargetPermit | null,
  ) {
    this.startedMs = nowMs;
    health.inFlight++;
    health.channel.inFlight++;
  }

  /**
   * Begins an attempt. Returns `null` if the channel does not admit a request of this account now.
   *
   * @param permit the permission of the channel's limits, which ends with the attempt; `null` if it has none
   */
  static begin(
    ports: AttemptPorts,
    target: AskedTarget,
    accountId: string,
    stream: boolean,
    permit: TargetPermit | null = null,
  ): RunningAttempt | null {
    const { health } = target;
    const nowMs = ports.clock.monotonicMs();
    if (health.channel.block !== null || nowMs < health.channel.cappedUntilMs) return null;
    const passage = health.breaker.begin(accountId, nowMs);
    return passage === null ? null : new RunningAttempt(ports, target, health, passage, stream, nowMs, permit);
  }

  /** Notes the rate limits that the upstream states in the headers of its answer. */
  heard({ headers }: { readonly headers: AnswerHeaders }): void {
    const { limitSpelling = null } = this.target;
    if (limitSpelling !== null) noteStatedLimits(this.target, limitSpelling, headers, this.permit, this.ports.clock);
  }

  /**
   * Counts a further request of the attempt, of about this many tokens, against the limits of the channel. Returns 0, or the milliseconds
   * after which there may be room for it.
   */
  further(tokens: number): number | Promise<number> {
    const { target, permit, health } = this;
    const nowMs = this.ports.clock.monotonicMs();
    const expected = { input: tokens, output: 0 };
    const { limitSpelling = null } = target;
    const stated = limitSpelling === null ? null : health.stated;
    const waitMs = stated?.waitMs(expected, nowMs) ?? 0;
    if (waitMs > 0) return waitMs;
    const sent = (afterMs: number) => {
      if (afterMs === 0) stated?.sends(expected, nowMs);
      return afterMs;
    };
    const counting = permit?.further(tokens) ?? 0;
    return counting instanceof Promise ? counting.then(sent) : sent(counting);
  }

  /** Records that the upstream has begun to answer. */
  answering(): void {
    if (this.firstByteMs !== null) return;
    const nowMs = this.ports.clock.monotonicMs();
    this.firstByteMs = nowMs - this.startedMs;
    this.health.firstByteMs[this.stream ? 'stream' : 'whole'].add(this.firstByteMs, nowMs);
    this.passage.answering();
  }

  /** Records that the answer is complete. */
  answered(): void {
    if (!this.end()) return;
    const nowMs = this.ports.clock.monotonicMs();
    this.health.answeredAtMs = nowMs;
    this.passage.succeeded(nowMs, this.firstByteMs !== null);
    this.report('answered', null);
  }

  /** Records that the client or the gateway ended the attempt, which says nothing about the upstream's health. */
  abandoned(): void {
    if (!this.end()) return;
    this.passage.abandoned(this.firstByteMs !== null);
    this.report('abandoned', null);
  }

  /** Records that the attempt failed before or during its answer. Retries of the same target count only once for its health. */
  failed(failure: Failure, isRepeated = false): void {
    if (!this.end()) return;
    const nowMs = this.ports.clock.monotonicMs();
    const effect = healthEffectOf(failure);
    const hadAnswered = this.firstByteMs !== null;
    const counts = effect !== 'none' && effect !== 'rest' && !isRepeated;
    if (counts && this.passage.failed(nowMs, hadAnswered)) this.ports.probeChannel(this.target, this.stream);
    if (!counts) this.passage.abandoned(hadAnswered);
    if (effect === 'rest') this.passage.rested(failure, nowMs, restMs(failure));
    if (effect === 'suspicion' || effect === 'refusal') this.ports.suspectChannel(this.target, failure);
    if (effect === 'none') this.report(wasAnswer(failure) ? 'answered' : 'abandoned', null);
    else {
      this.health.failures++;
      this.health.lastFailure = { kind: failure.kind, atMs: this.ports.clock.nowMs() };
      this.report('failed', failure.kind);
    }
  }

  get latencyMs(): number {
    return this.ports.clock.monotonicMs() - this.startedMs;
  }

  private end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    const { health } = this;
    health.inFlight--;
    health.channel.inFlight--;
    health.requests++;
    health.isNews = true;
    this.permit?.leave();
    return true;
  }

  private report(outcome: 'answered' | 'failed' | 'abandoned', kind: string | null): void {
    const { channelId } = this.health.channel;
    this.ports.metrics.attemptFinished({ channelId, outcome, kind, firstByteMs: this.firstByteMs });
  }
}

function restMs({ kind, details }: Failure): number {
  return details.retryAfterMs ?? entryOf(DEFAULT_REST_MS, kind) ?? 1_000;
}

/** Returns whether the upstream answered: it did if it rejected the request as invalid, but not if the client interrupted it. */
function wasAnswer({ side, code }: Failure): boolean {
  return side === 'client' && code !== 'client_closed_request';
}
