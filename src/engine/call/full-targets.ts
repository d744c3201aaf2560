import { Failure } from '../../domain/failure/failure.ts';
import type { LargestSize } from '../../domain/routing/token-forecast.ts';
import {
  type ChannelLimiters,
  type FullTarget,
  retryAfterOf,
  type WaitEnd,
} from '../channel-limits/channel-limiters.ts';
import { TargetPermit } from '../channel-limits/target-permit.ts';
import type { Full } from '../channel-limits/target-quota.ts';
import type { Target } from '../directory/target.ts';
import type { Clock } from '../ports/clock.ts';
import type { LowPriority } from '../ports/low-priority.ts';
import type { WaitingClient } from '../ports/upstream.ts';
import { lookInMs } from './batched-call.ts';
import type { Outcome } from './outcome.ts';

/** A line of a batch waits this long with its reservation; then it is run again later. */
const LONGEST_BATCH_WAIT_MS = 60_000;

export interface FullTargetsInput {
  readonly limiters: ChannelLimiters;
  readonly clock: Clock;
  readonly client: WaitingClient;
  readonly accountId: string;
  /** The largest size of the request; `null` if it has no tokens. */
  readonly size: LargestSize | null;
  readonly outcome: Partial<Pick<Outcome, 'waited'>> & { readonly batch?: LowPriority | null };
}

/** The targets of one call that are at their limits, and the permit for the one that is tried next. Most calls never have one. */
export class FullTargets<Tried extends { readonly target: Target }> {
  private readonly full: { readonly tried: Tried; readonly why: Full }[] = [];
  private held: { readonly target: Target; readonly permit: TargetPermit } | null = null;
  private ended: WaitEnd | null = null;
  private waitedMs = 0;

  constructor(private readonly input: FullTargetsInput) {}

  /** Takes a permit for the target, or remembers that it is full. Synchronous if the counters are in this process. */
  admits(tried: Tried): boolean | Promise<boolean> {
    const { target } = tried;
    if (this.holds(target)) return true;
    this.drop();
    const { limiters, size, outcome } = this.input;
    const taking = limiters.take(target, size, outcome.batch?.sharePercent);
    return taking instanceof Promise ? taking.then((taken) => this.took(tried, taken)) : this.took(tried, taking);
  }

  private took(tried: Tried, taken: TargetPermit | Full): boolean {
    const isAdmitted = taken instanceof TargetPermit;
    if (isAdmitted) this.held = { target: tried.target, permit: taken };
    else this.note(tried, taken);
    return isAdmitted;
  }

  /** A target that is retried may be full more than once, and is waited for only once. */
  private note(tried: Tried, why: Full): void {
    const known = this.full.findIndex((one) => isSame(one.tried.target, tried.target));
    this.full.splice(known < 0 ? this.full.length : known, 1, { tried, why });
  }

  /** A permit for one format of a channel holds for its other formats, too. */
  private holds(target: Target): boolean {
    return this.held !== null && isSame(this.held.target, target);
  }

  /** Waits until one of the full targets takes the request. Resolves to `null` if none does within the bounds. */
  async next(mostMs: number): Promise<Tried | null> {
    // A target that could not carry the request must not keep others waiting for its place.
    this.drop();
    const { limiters, clock, client, accountId, size, outcome } = this.input;
    if (this.full.length === 0 || this.ended !== null) return null;
    const full = this.full.map(({ tried: { target }, why }): FullTarget<Target> => ({ target, ...why }));
    const beganMs = clock.monotonicMs();
    const { signal } = client;
    if (outcome.batch != null) return this.nextForBatch(outcome.batch, mostMs);
    const result = await limiters.wait({ accountId, size, full, signal, mostMs, waitedMs: this.waitedMs });
    const ms = clock.monotonicMs() - beganMs;
    this.waitedMs += ms;
    if (result !== 'refused') outcome.waited?.(ms);
    if (typeof result === 'string') {
      this.ended = result;
      return null;
    }
    this.held = result;
    const index = this.full.findIndex(({ tried }) => tried.target === result.target);
    return this.full.splice(index, 1)[0]?.tried ?? null;
  }

  /** Asks the full targets again from time to time. A line of a batch joins no queue, where others would have to wait behind it. */
  private async nextForBatch(batch: LowPriority, mostMs: number): Promise<Tried | null> {
    const { clock, outcome } = this.input;
    const untilMs = clock.monotonicMs() + Math.min(mostMs, LONGEST_BATCH_WAIT_MS);
    const full = this.full.splice(0);
    while (clock.monotonicMs() < untilMs && !batch.signal.aborted) {
      const beganMs = clock.monotonicMs();
      if (!(await batch.wait(lookInMs(retryAfterOf(full.map(({ why }) => why)))))) break;
      outcome.waited?.(clock.monotonicMs() - beganMs);
      for (const [index, { tried }] of full.entries()) {
        if (!(await this.admits(tried))) continue;
        this.full.push(...full.toSpliced(index, 1));
        return tried;
      }
    }
    for (const { tried, why } of full) this.note(tried, why);
    this.ended = 'timeout';
    return null;
  }

  /** Hands over the permit for the target, which its attempt ends; `null` if there is none. */
  permitFor(target: Target): TargetPermit | null {
    if (!this.holds(target)) this.drop();
    const permit = this.held?.permit ?? null;
    this.held = null;
    return permit;
  }

  /** Gives back a permit that no attempt has used. */
  drop(): void {
    this.held?.permit.leave();
    this.held = null;
  }

  /** Why each of the targets refused; `null` if none did. */
  get refusals(): readonly Full[] | null {
    return this.full.length === 0 ? null : this.full.map(({ why }) => why);
  }

  /** The failure of the call if a wait was ended from outside; `null` if not. */
  get failure(): Failure | null {
    if (this.ended === 'left') {
      return new Failure('client_closed_request', { message: 'The client closed the connection.' });
    }
    if (this.ended !== 'stopped') return null;
    const message = 'The gateway is shutting down. Send the request again.';
    return new Failure('shutting_down', { message, retryAfterMs: 1_000 });
  }
}

/** Returns whether the same limits hold for both targets. */
function isSame(one: Target, other: Target): boolean {
  return one.place === other.place && one.publicModel === other.publicModel;
}
