import { expect } from 'bun:test';
import fc from 'fast-check';
import type { BreakerSettings } from '../breaker-settings.ts';
import { CircuitBreaker } from '../circuit-breaker.ts';

/** The events of a breaker's history; `pick` chooses among the requests in flight. */
export type BreakerEvent =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'begin' }
  | { readonly kind: 'answer' | 'succeed' | 'fail' | 'abandon'; readonly pick: number }
  | { readonly kind: 'rest'; readonly ms: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'restart' };

const picked = (kind: 'answer' | 'succeed' | 'fail' | 'abandon') =>
  fc.record({ kind: fc.constant(kind), pick: fc.nat({ max: 99 }) });

export const breakerHistories: fc.Arbitrary<BreakerEvent[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 3_000 }) }) },
    { weight: 8, arbitrary: fc.constant({ kind: 'begin' as const }) },
    { weight: 3, arbitrary: picked('answer') },
    { weight: 2, arbitrary: picked('succeed') },
    { weight: 5, arbitrary: picked('fail') },
    { weight: 2, arbitrary: picked('abandon') },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('rest' as const), ms: fc.nat({ max: 20_000 }) }) },
    { weight: 1, arbitrary: fc.constantFrom({ kind: 'reset' as const }, { kind: 'restart' as const }) },
  ),
  { minLength: 1, maxLength: 120, size: 'max' },
);

interface Request {
  readonly epoch: number;
  /** The number of visible state changes when the request began. */
  readonly era: number;
  readonly isProbe: boolean;
  hadAnswered: boolean;
}

/** Drives a breaker through a history and checks the invariants after each event. */
export class BreakerHistory {
  readonly #settings: BreakerSettings;
  breaker: CircuitBreaker;
  nowMs = 0;
  #era = 0;
  #requests: Request[] = [];

  constructor(settings: BreakerSettings) {
    this.#settings = settings;
    this.breaker = new CircuitBreaker(settings);
  }

  play(event: BreakerEvent): void {
    const stateBefore = this.breaker.stateAt(this.nowMs);
    this.#apply(event);
    const isChange = ['rest', 'reset', 'restart'].includes(event.kind);
    if (isChange || this.breaker.stateAt(this.nowMs) !== stateBefore) this.#era++;
    const availableAtMs = this.breaker.availableAtMs(this.nowMs);
    expect(availableAtMs === this.nowMs).toBe(this.breaker.admits(this.nowMs));
    expect(availableAtMs - this.nowMs).toBeLessThanOrEqual(Math.max(1_000, this.#settings.maxCooldownMs));
  }

  #apply(event: BreakerEvent): void {
    if (event.kind === 'wait') this.nowMs += event.ms;
    else if (event.kind === 'begin') this.#begin();
    else if (event.kind === 'rest') this.#rest(event.ms);
    else if (event.kind === 'reset') this.breaker.reset();
    else if (event.kind === 'restart') this.#restart();
    else this.#end(event.kind, event.pick);
  }

  #begin(): void {
    const state = this.breaker.stateAt(this.nowMs);
    const isAdmitted = this.breaker.admits(this.nowMs);
    const epoch = this.breaker.begin(this.nowMs);
    expect(epoch !== CircuitBreaker.REFUSED).toBe(isAdmitted);
    if (state === 'closed') expect(isAdmitted).toBe(true);
    if (state === 'open') expect(isAdmitted).toBe(false);
    const isProbe = state === 'half-open';
    if (isAdmitted) this.#requests.push({ epoch, era: this.#era, isProbe, hadAnswered: false });
    if (!isProbe) return;
    const waiting = this.#requests.filter((request) => request.era === this.#era && !request.hadAnswered).length;
    // At most as many as there are slots; and one is refused only if each slot is taken by a probe that is actually
    // waiting.
    if (isAdmitted) expect(waiting).toBeLessThanOrEqual(this.#settings.probes);
    else expect(waiting).toBe(this.#settings.probes);
  }

  #end(kind: 'answer' | 'succeed' | 'fail' | 'abandon', pick: number): void {
    const at = this.#requests.length === 0 ? 0 : pick % this.#requests.length;
    const request = this.#requests[at];
    if (request === undefined || (kind === 'answer' && request.hadAnswered)) return;
    const before = this.#seen();
    this.#report(kind, request);
    if (kind === 'answer') request.hadAnswered = true;
    else this.#requests.splice(at, 1);
    if (request.era !== this.#era) expect(this.#seen()).toEqual(before);
    else if (request.isProbe) this.#expectProbeResult(kind, before.openings);
  }

  #report(kind: 'answer' | 'succeed' | 'fail' | 'abandon', { epoch, hadAnswered }: Request): void {
    if (kind === 'answer') this.breaker.answering(epoch);
    else if (kind === 'succeed') this.breaker.succeeded(epoch, this.nowMs, hadAnswered);
    else if (kind === 'fail') this.breaker.failed(epoch, this.nowMs, hadAnswered);
    else this.breaker.abandoned(epoch, hadAnswered);
  }

  #expectProbeResult(kind: 'answer' | 'succeed' | 'fail' | 'abandon', openingsBefore: number): void {
    const { cooldownMs, maxCooldownMs } = this.#settings;
    const { state, openings, availableAtMs } = this.#seen();
    if (kind === 'succeed') expect({ state, openings }).toEqual({ state: 'closed', openings: 0 });
    else if (kind === 'fail') {
      expect({ state, openings }).toEqual({ state: 'open', openings: openingsBefore + 1 });
      expect(availableAtMs - this.nowMs).toBe(Math.min(cooldownMs * 2 ** openingsBefore, maxCooldownMs));
    } else expect({ state, openings }).toEqual({ state: 'half-open', openings: openingsBefore });
  }

  #rest(forMs: number): void {
    const before = this.#seen();
    this.breaker.rest(this.nowMs, forMs);
    const untilMs = this.nowMs + Math.min(forMs, this.#settings.maxCooldownMs);
    const expectedMs = before.state === 'open' ? Math.max(before.availableAtMs, untilMs) : untilMs;
    expect(this.#seen()).toMatchObject({ openings: before.openings, availableAtMs: expectedMs });
  }

  #restart(): void {
    const before = this.#seen();
    const memory = this.breaker.remember(this.nowMs);
    this.breaker = new CircuitBreaker(this.#settings);
    this.breaker.restore(memory, this.nowMs);
    this.#requests = [];
    expect(this.#seen()).toMatchObject({ state: before.state, openings: before.openings });
    if (before.state === 'open') expect(this.#seen()).toEqual(before);
  }

  #seen() {
    const { breaker, nowMs } = this;
    return {
      state: breaker.stateAt(nowMs),
      openings: breaker.openings,
      availableAtMs: breaker.availableAtMs(nowMs),
      isAdmitting: breaker.admits(nowMs),
    };
  }
}
