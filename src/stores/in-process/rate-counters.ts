import type { Clock } from '../../engine/ports/clock.ts';
import type { Places, Quota, RateCounters, RateDecision, RateWindow, Taken } from '../../engine/ports/rate-counters.ts';
import { slotUs } from '../shared/rate-slots.ts';

/** All slots are alike here: they are only counted. */
const PLACE = '';

/** Rate counters of one process. Everything is synchronous, so its results are exact. */
export class MemoryRateCounters implements RateCounters {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #windows = new Map<string, SlidingWindow>();
  /** The number of running requests by scope; scopes without any are absent. */
  readonly #running = new Map<string, number>();
  #sweep = this.#windows.entries();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** The number of scopes in memory. */
  get scopeCount(): number {
    return this.#windows.size;
  }

  take(quota: Quota): Taken {
    return this.#answer(quota, true);
  }

  /** Returns what `take` would return, without counting. */
  ask(quota: Quota): Taken {
    return this.#answer(quota, false);
  }

  add(window: RateWindow, amount: number): void {
    const nowUs = this.#nowUs();
    const counted = this.#windowOf(window);
    counted.expire(nowUs);
    counted.add(nowUs, amount, slotUs(window));
  }

  /** The time on the clock that measures the entries' ages. */
  get nowUs(): number {
    return this.#nowUs();
  }

  /** Whether the window has an unexpired entry since `sinceUs`. */
  hasRecent({ scope }: Pick<RateWindow, 'scope'>, sinceUs: number): boolean {
    return this.#recentOf(scope)?.hasSince(sinceUs) === true;
  }

  /** Returns the unexpired entries of the window since `sinceUs`, oldest first. */
  recent(
    { scope }: Pick<RateWindow, 'scope'>,
    sinceUs: number,
  ): readonly { readonly ageUs: number; readonly amount: number }[] {
    return this.#recentOf(scope)?.since(sinceUs, this.#nowUs()) ?? [];
  }

  /** Yields all windows with unexpired entries. */
  *inUse(): Iterable<Pick<RateWindow, 'scope' | 'windowMs'>> {
    const nowUs = this.#nowUs();
    for (const [scope, window] of this.#windows) {
      window.expire(nowUs);
      if (!window.isEmpty) yield { scope, windowMs: window.windowMs };
    }
  }

  #recentOf(scope: string): SlidingWindow | undefined {
    const window = this.#windows.get(scope);
    window?.expire(this.#nowUs());
    return window;
  }

  /** Takes a slot even if none is free, for a request that was admitted elsewhere. */
  enter({ scope }: Places): void {
    this.#running.set(scope, (this.#running.get(scope) ?? 0) + 1);
  }

  leave({ scope }: Places, _place: string): void {
    const running = (this.#running.get(scope) ?? 0) - 1;
    if (running > 0) this.#running.set(scope, running);
    else this.#running.delete(scope);
  }

  #answer(quota: Quota, counts: boolean): Taken {
    const { windows, places } = quota;
    const nowUs = this.#nowUs();
    const hasFreePlace = places === null || (this.#running.get(places.scope) ?? 0) < places.limit;
    let isAdmitted = hasFreePlace;
    for (const window of windows) {
      const counted = this.#windowOf(window);
      counted.expire(nowUs);
      if (!counted.fits(window)) isAdmitted = false;
    }
    const decisions: RateDecision[] = [];
    for (const window of windows) {
      const counted = this.#windowOf(window);
      const fits = counted.fits(window);
      if (isAdmitted && counts && window.amount > 0) {
        counted.add(nowUs, window.amount, slotUs(window));
      }
      decisions.push(counted.decision(nowUs, window, fits));
    }
    if (isAdmitted && counts && places !== null) this.enter(places);
    this.#sweepSome(nowUs);
    return { isAdmitted, decisions, hasFreePlace, place: places === null ? null : PLACE };
  }

  /** Returns whole microseconds, so that sums and differences are exact. */
  #nowUs(): number {
    return Math.floor(this.#clock.monotonicMs() * 1_000);
  }

  #windowOf({ scope, windowMs }: RateWindow): SlidingWindow {
    let window = this.#windows.get(scope);
    if (window === undefined) {
      window = new SlidingWindow(windowMs * 1_000);
      this.#windows.set(scope, window);
    }
    return window;
  }

  /** Each request checks the next scope and drops it if idle, so that no full pass is ever needed. */
  #sweepSome(nowUs: number): void {
    const next = this.#sweep.next();
    if (next.done) {
      this.#sweep = this.#windows.entries();
      return;
    }
    const [scope, window] = next.value;
    window.expire(nowUs);
    if (window.isEmpty) this.#windows.delete(scope);
  }
}

const FIRST_CAPACITY = 8;

/** Amounts with their times, oldest first, in a ring buffer that grows with the window's content. */
class SlidingWindow {
  readonly #windowUs: number;
  #times = new Float64Array(FIRST_CAPACITY);
  #amounts = new Float64Array(FIRST_CAPACITY);
  #first = 0;
  #count = 0;
  /** The sum of the amounts. */
  #used = 0;

  constructor(windowUs: number) {
    this.#windowUs = windowUs;
  }

  get windowMs(): number {
    return this.#windowUs / 1_000;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Drops entries that are at least a window old. */
  expire(nowUs: number): void {
    while (this.#count > 0 && this.#timeAt(0) + this.#windowUs <= nowUs) {
      this.#used -= this.#amountAt(0);
      this.#first = (this.#first + 1) & (this.#times.length - 1);
      this.#count--;
    }
  }

  /** A query (amount 0) needs room for the smallest amount. */
  fits({ limit, amount }: RateWindow): boolean {
    return this.#used + Math.max(1, amount) <= limit;
  }

  add(nowUs: number, amount: number, slotLengthUs: number): void {
    this.#used += amount;
    const mask = this.#times.length - 1;
    const last = (this.#first + this.#count - 1) & mask;
    if (this.#count > 0 && isSameSlot(this.#times[last] ?? 0, nowUs, slotLengthUs)) {
      this.#times[last] = nowUs;
      this.#amounts[last] = (this.#amounts[last] ?? 0) + amount;
      return;
    }
    if (this.#count === this.#times.length) this.#grow();
    const at = (this.#first + this.#count) & (this.#times.length - 1);
    this.#times[at] = nowUs;
    this.#amounts[at] = amount;
    this.#count++;
  }

  hasSince(sinceUs: number): boolean {
    return this.#count > 0 && this.#timeAt(this.#count - 1) >= sinceUs;
  }

  since(sinceUs: number, nowUs: number): { readonly ageUs: number; readonly amount: number }[] {
    const entries: { readonly ageUs: number; readonly amount: number }[] = [];
    for (let index = 0; index < this.#count; index++) {
      const atUs = this.#timeAt(index);
      if (atUs >= sinceUs) entries.push({ ageUs: nowUs - atUs, amount: this.#amountAt(index) });
    }
    return entries;
  }

  decision(nowUs: number, window: RateWindow, isAdmitted: boolean): RateDecision {
    const { limit } = window;
    const resetUs = this.#count === 0 ? 0 : this.#timeAt(this.#count - 1) + this.#windowUs - nowUs;
    return {
      isAdmitted,
      limit,
      remaining: Math.max(0, limit - this.#used),
      resetMs: Math.ceil(resetUs / 1_000),
      retryAfterMs: isAdmitted || this.fits(window) ? 0 : this.#waitMs(nowUs, window),
    };
  }

  /** Returns the time until enough has left the window for the amount; a whole window if it never fits. */
  #waitMs(nowUs: number, { limit, amount }: RateWindow): number {
    let excess = this.#used + Math.max(1, amount) - limit;
    for (let index = 0; index < this.#count; index++) {
      excess -= this.#amountAt(index);
      if (excess <= 0) return Math.ceil((this.#timeAt(index) + this.#windowUs - nowUs) / 1_000);
    }
    return this.#windowUs / 1_000;
  }

  #timeAt(index: number): number {
    return this.#times[(this.#first + index) & (this.#times.length - 1)] ?? 0;
  }

  #amountAt(index: number): number {
    return this.#amounts[(this.#first + index) & (this.#times.length - 1)] ?? 0;
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2);
    const amounts = new Float64Array(times.length);
    for (let index = 0; index < this.#count; index++) {
      times[index] = this.#timeAt(index);
      amounts[index] = this.#amountAt(index);
    }
    this.#times = times;
    this.#amounts = amounts;
    this.#first = 0;
  }
}

function isSameSlot(aUs: number, bUs: number, slotLengthUs: number): boolean {
  return Math.floor(aUs / slotLengthUs) === Math.floor(bUs / slotLengthUs);
}
