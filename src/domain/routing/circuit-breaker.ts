import type { BreakerSettings } from './breaker-settings.ts';
import { SlidingWindow } from './sliding-window.ts';

export type BreakerState = 'closed' | 'open' | 'half-open';

/** The state that a restart may restore. */
export interface BreakerMemory {
  /** How often it has opened without closing in between. */
  readonly openings: number;
  /** How long it stays open from now on (0 while it is half-open); `null` while it is closed. */
  readonly availableInMs: number | null;
}

/** When to ask again while all probes are waiting for their first byte; it is unknown when one will be answered. */
const PROBES_OUT_MS = 1_000;

/** A probe without a result after this time is considered lost: no request may wait that long for its first byte. */
const PROBE_LEASE_MS = 600_000;

/** Keeps the doubling within the range of numbers; the longest cooldown is reached much earlier. */
const MAX_DOUBLINGS = 40;

/**
 * Decides whether one channel gets requests for one model. Closed, it counts results in a sliding window and opens when too many
 * of them failed. After the cooldown it is half-open: a few probes pass, the first success closes it and the first failure
 * reopens it for twice as long.
 *
 * `begin` returns the epoch of the request. Every change of state begins a new epoch, so that requests that began before the
 * change cannot undo it. All times are from one monotonic clock.
 */
export class CircuitBreaker {
  /** Returned by `begin` if the request must not be made. */
  static readonly REFUSED = -1;

  readonly #settings: BreakerSettings;
  readonly #window: SlidingWindow;
  /** Stays `open` after the cooldown; the next `begin` makes it `half-open`. */
  #state: BreakerState = 'closed';
  #epoch = 0;
  #openings = 0;
  #openUntilMs = 0;
  /** Probes of this epoch that are waiting for their first byte. */
  #waiting = 0;
  #latestProbeMs = 0;

  constructor(settings: BreakerSettings) {
    this.#settings = settings;
    this.#window = new SlidingWindow(settings.windowMs);
  }

  /** How often it has opened without closing in between; rests do not count. */
  get openings(): number {
    return this.#openings;
  }

  /** Changes with every change of state. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Returns the failures within the window, while it is closed. */
  failuresAt(nowMs: number): number {
    return this.#window.failuresAt(nowMs);
  }

  successesAt(nowMs: number): number {
    return this.#window.successesAt(nowMs);
  }

  stateAt(nowMs: number): BreakerState {
    return this.#state === 'open' && nowMs >= this.#openUntilMs ? 'half-open' : this.#state;
  }

  /** Returns whether a request may begin now; has no side effects. */
  admits(nowMs: number): boolean {
    if (this.#state === 'closed') return true;
    if (this.#state === 'open') return nowMs >= this.#openUntilMs;
    return this.#waiting < this.#settings.probes || this.#areProbesLost(nowMs);
  }

  /** Returns the earliest time at which `admits` can be true: `nowMs` itself if it is now. */
  availableAtMs(nowMs: number): number {
    if (this.admits(nowMs)) return nowMs;
    return this.#state === 'open' ? this.#openUntilMs : nowMs + PROBES_OUT_MS;
  }

  /** Returns the epoch (0 or more) to pass with the request's result, or `REFUSED`. Takes a probe slot while half-open. */
  begin(nowMs: number): number {
    if (this.#state === 'closed') return this.#epoch;
    if (!this.admits(nowMs)) return CircuitBreaker.REFUSED;
    if (this.#state === 'open' || this.#waiting >= this.#settings.probes) this.#become('half-open');
    this.#waiting++;
    this.#latestProbeMs = nowMs;
    return this.#epoch;
  }

  /** Notes that the first byte has arrived, which frees a probe's slot. To be called once per request. */
  answering(epoch: number): void {
    if (epoch === this.#epoch && this.#waiting > 0) this.#waiting--;
  }

  /** `hadAnswered`, here and below: whether `answering` was called for this request. */
  succeeded(epoch: number, nowMs: number, _hadAnswered: boolean): void {
    if (epoch !== this.#epoch) return;
    if (this.#state === 'closed') this.#window.countSuccess(nowMs);
    else this.#close();
  }

  failed(epoch: number, nowMs: number, _hadAnswered: boolean): void {
    if (epoch !== this.#epoch) return;
    if (this.#state === 'closed') {
      this.#window.countFailure(nowMs);
      if (!this.#failsTooOften(nowMs)) return;
    }
    this.trip(nowMs);
  }

  /** Opens it, whatever it has counted. */
  trip(nowMs: number): void {
    this.#openings++;
    this.#openUntilMs = nowMs + this.#cooldownMs();
    this.#become('open');
  }

  /** Notes that the request ended without a result for the upstream (because the client disconnected, for example). */
  abandoned(epoch: number, hadAnswered: boolean): void {
    if (!hadAnswered) this.answering(epoch);
  }

  /**
   * Opens the breaker for `forMs`, as an upstream asked: at most for the longest cooldown, and half-open afterwards. Never shortens a
   * longer cooldown, and does not count as an opening. The request then belongs to a past epoch, so its own result has no effect.
   */
  rest(nowMs: number, forMs: number): void {
    const untilMs = nowMs + (forMs > 0 ? Math.min(forMs, this.#settings.maxCooldownMs) : 0);
    this.#openUntilMs = Math.max(this.#openUntilMs, untilMs);
    this.#become('open');
  }

  /** Resets all state. */
  reset(): void {
    this.#openUntilMs = 0;
    this.#close();
  }

  remember(nowMs: number): BreakerMemory {
    if (this.#state === 'closed') return { openings: 0, availableInMs: null };
    const leftMs = this.#state === 'open' ? Math.max(0, this.#openUntilMs - nowMs) : 0;
    return { openings: this.#openings, availableInMs: leftMs };
  }

  restore(memory: BreakerMemory, nowMs: number): void {
    this.reset();
    if (memory.availableInMs === null) return;
    this.rest(nowMs, memory.availableInMs);
    this.#openings = memory.openings;
  }

  #close(): void {
    this.#window.clear();
    this.#openings = 0;
    this.#become('closed');
  }

  #become(state: BreakerState): void {
    this.#state = state;
    this.#epoch++;
    this.#waiting = 0;
  }

  #areProbesLost(nowMs: number): boolean {
    return nowMs - this.#latestProbeMs >= PROBE_LEASE_MS;
  }

  #failsTooOften(nowMs: number): boolean {
    const failures = this.#window.failuresAt(nowMs);
    const requests = failures + this.#window.successesAt(nowMs);
    return requests >= this.#settings.minimumRequests && failures >= this.#settings.failureRate * requests;
  }

  #cooldownMs(): number {
    const { cooldownMs, maxCooldownMs } = this.#settings;
    return Math.min(cooldownMs * 2 ** Math.min(this.#openings - 1, MAX_DOUBLINGS), maxCooldownMs);
  }
}
