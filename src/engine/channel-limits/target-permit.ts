import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import { type Billable, completionTokensOf, promptTokensOf } from '../../domain/money/quantity.ts';
import { ProviderLimits, type SentMark } from '../../domain/routing/provider-limits.ts';
import type { LargestSize, TokenForecast } from '../../domain/routing/token-forecast.ts';
import { type LimitSpelling, statedLimits } from '../../formats/shared/rate-limits/stated-limits.ts';
import type { Target } from '../directory/target.ts';
import type { Clock } from '../ports/clock.ts';
import type { CountersAway, Places, RateCounters, RateWindow, Taken } from '../ports/rate-counters.ts';

/** The facts of a target by which requests to it are limited. */
export type LimitedTarget = Pick<Target, 'channel' | 'publicModel' | 'health' | 'place' | 'limitSpelling'>;

/** A place among the concurrent requests, which the counters have assigned. */
export interface HeldPlace {
  readonly places: Places;
  readonly place: string;
}

/** The counters that a permit has changed. */
export interface PermitFacts {
  readonly held: readonly HeldPlace[];
  /** The windows that counted the request. */
  readonly requests: readonly RateWindow[];
  /** The windows that counted the forecast tokens. */
  readonly tokens: readonly RateWindow[];
  readonly size: LargestSize | null;
  readonly forecast: TokenForecast | null;
  /** The mark of the provider's limits; `null` if none are known. */
  readonly mark: SentMark | null;
}

export interface PermitPorts {
  readonly counters: RateCounters;
  /** Called when a request has ended, and when the provider has stated its limits anew: waiting requests may have room then. */
  readonly left: () => void;
  readonly heard: () => void;
}

/** The permission to send one request to a target. `leave` must be called when the request has ended. */
export class TargetPermit {
  #isHeld = true;
  #isCounted = false;
  /** The tokens of further requests that are counted already. */
  #further = 0;

  constructor(
    private readonly ports: PermitPorts,
    private readonly facts: PermitFacts,
  ) {}

  get mark(): SentMark | null {
    return this.facts.mark;
  }

  /** Frees the place among the concurrent requests. Calls after the first have no effect. */
  leave(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    for (const { places, place } of this.facts.held) this.ports.counters.leave(places, place);
    this.ports.left();
  }

  /**
   * Counts the tokens that the request used beyond the forecast. Fewer tokens are not given back, since they would leave the window later
   * than the forecast, and the limit could be exceeded then.
   */
  used(billable: Billable | null): void {
    if (this.#isCounted || billable === null) return;
    this.#isCounted = true;
    const used = { input: promptTokensOf(billable), output: completionTokensOf(billable) };
    const { size, forecast, tokens } = this.facts;
    // The sum of several requests says nothing about the next one.
    if (size !== null && this.#further === 0) forecast?.learn(size, used);
    for (const window of tokens) {
      const beyond = used.input + used.output - window.amount - this.#further;
      if (beyond > 0) this.ports.counters.add(window, beyond);
    }
  }

  /**
   * Counts a further request of about this many tokens, which keeps the place of the first. Returns 0, or the milliseconds after which there
   * may be room for it.
   */
  further(tokens: number): number | Promise<number> {
    const { requests, tokens: counted } = this.facts;
    const limited = counted.map((window) => ({ ...window, amount: Math.max(1, Math.min(tokens, window.limit)) }));
    const windows = [...requests, ...limited];
    const taking = windows.length === 0 ? null : this.ports.counters.take({ windows, places: null });
    const answer = (taken: Taken | CountersAway | null): number => {
      if (taken !== null && !('decisions' in taken)) return Math.max(1, taken.retryAfterMs);
      if (taken !== null && !taken.isAdmitted) return Math.max(1, ...taken.decisions.map((one) => one.retryAfterMs));
      this.#further += tokens;
      return 0;
    };
    return taking instanceof Promise ? taking.then(answer) : answer(taking);
  }

  /** Called when the provider has stated its limits anew. */
  heard(): void {
    this.ports.heard();
  }
}

/** Notes the limits that an upstream states in its answer, for the next requests to the target. */
export function noteStatedLimits(
  { health, channel }: Pick<LimitedTarget, 'health' | 'channel'>,
  spelling: LimitSpelling,
  headers: AnswerHeaders,
  permit: TargetPermit | null,
  clock: Clock,
): void {
  const stated = statedLimits(spelling, headers, clock);
  if (stated === null) return;
  health.stated ??= new ProviderLimits();
  health.stated.states(stated, permit?.mark ?? null, clock.monotonicMs(), channel.breaker.maxCooldownMs);
  permit?.heard();
}
