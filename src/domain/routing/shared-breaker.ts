import { Failure } from '../failure/failure.ts';
import type { BreakerSettings } from './breaker-settings.ts';
import { type BreakerMemory, type BreakerState, CircuitBreaker } from './circuit-breaker.ts';

/** The most accounts whose failures are tracked; beyond that, the account with the oldest last failure is evicted. */
const MOST_VIEWS = 1_000;

/** The recent failures of one account. An account without failures has none. */
interface View {
  readonly breaker: CircuitBreaker;
  latestFailureMs: number;
  /** When the upstream last asked it to wait, and for how long. */
  toldAtMs: number;
  toldForMs: number;
  restedBy: Failure | null;
}

/**
 * Decides whether one channel gets an account's requests for one model, if several accounts use it: there is one breaker for all
 * of them, and one for each account with failures. One account's requests may themselves cause its failures, so they block the
 * channel only for that account. The shared breaker opens when other accounts have failures too, or when a probe of the gateway
 * itself fails (`confirmed`); a rest that the upstream asks for applies to all accounts once two of them were asked.
 *
 * While `isShared` is false there is only one account, whose failures open the one breaker at once.
 */
export class SharedBreaker {
  readonly #settings: BreakerSettings;
  readonly #common: CircuitBreaker;
  readonly #views = new Map<string, View>();
  /** The half-open epoch to which the next two members refer. */
  #probingEpoch = -1;
  /** Accounts with a probe that is waiting for its first byte: at most one each, so that no account can take all of them. */
  readonly #probing = new Set<string>();
  readonly #failedProbes = new Set<string>();
  /** The failure that asked accounts to wait, and the account that received it. */
  #restedBy: { readonly account: string; readonly failure: Failure } | null = null;
  /** When the shared breaker last closed: earlier failures no longer count. */
  #healedAtMs = Number.NEGATIVE_INFINITY;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #isShared = false;

  constructor(settings: BreakerSettings) {
    this.#settings = settings;
    this.#common = new CircuitBreaker(settings);
  }

  get isShared(): boolean {
    return this.#isShared;
  }

  set isShared(isShared: boolean) {
    this.#isShared = isShared;
    if (!isShared) this.#views.clear();
  }

  get openings(): number {
    return this.#common.openings;
  }

  /**
   * Returns the state for operators: that of the shared breaker. If that is closed, but no account got an answer within the
   * window, the worst state among the accounts' breakers.
   */
  stateAt(nowMs: number): BreakerState {
    const state = this.#common.stateAt(nowMs);
    if (state !== 'closed' || this.#views.size === 0 || this.#isFresh(this.#answeredAtMs, nowMs)) return state;
    const states = [...this.#views.values()].map(({ breaker }) => breaker.stateAt(nowMs));
    return states.find((one) => one === 'open') ?? states.find((one) => one === 'half-open') ?? 'closed';
  }

  /** Returns whether a request of the account may begin now; has no side effects. */
  admits(account: string, nowMs: number): boolean {
    if (!this.#common.admits(nowMs)) return false;
    if (this.#views.size > 0 && this.#viewOf(account, nowMs)?.breaker.admits(nowMs) === false) return false;
    return !this.#isProbing(account);
  }

  isClosedFor(account: string, nowMs: number): boolean {
    if (this.#common.stateAt(nowMs) !== 'closed') return false;
    return (this.#viewOf(account, nowMs)?.breaker.stateAt(nowMs) ?? 'closed') === 'closed';
  }

  /** Returns the earliest time at which `admits` can be true: `nowMs` itself if it is now. */
  availableAtMs(account: string, nowMs: number): number {
    const own = this.#viewOf(account, nowMs)?.breaker.availableAtMs(nowMs) ?? nowMs;
    return Math.max(this.#common.availableAtMs(nowMs), own);
  }

  /** Returns the upstream's failure that asked for a rest, if that is why the account must wait now. */
  restedBy(account: string, nowMs: number): Failure | null {
    const view = this.#viewOf(account, nowMs);
    if (view !== null && !view.breaker.admits(nowMs)) return view.restedBy;
    if (this.#restedBy === null || this.#common.admits(nowMs)) return null;
    const { failure } = this.#restedBy;
    if (this.#restedBy.account === account) return failure;
    // Its message may quote another account's request.
    return new Failure(failure.code, {
      kind: failure.kind,
      message: 'The provider asked for a pause.',
    });
  }

  /** Begins a request of the account; `null` if it must not be made. */
  begin(account: string, nowMs: number): Passage | null {
    const view = this.#views.size === 0 ? null : this.#viewOf(account, nowMs);
    if (this.#isProbing(account)) return null;
    const viewEpoch = view === null ? 0 : view.breaker.begin(nowMs);
    if (viewEpoch === CircuitBreaker.REFUSED) return null;
    const isProbe = this.#common.stateAt(nowMs) !== 'closed';
    const epoch = this.#common.begin(nowMs);
    if (epoch === CircuitBreaker.REFUSED) {
      view?.breaker.abandoned(viewEpoch, false);
      return null;
    }
    if (isProbe && this.#isShared) this.#noteProbe(account, epoch);
    return new Passage(this, account, epoch, viewEpoch);
  }

  // ---- results of a passage

  /** Notes that the first byte has arrived. To be called once per request. */
  answering({ account, epoch, viewEpoch }: Passage): void {
    this.#common.answering(epoch);
    if (epoch === this.#probingEpoch) this.#probing.delete(account);
    if (this.#views.size > 0) this.#views.get(account)?.breaker.answering(viewEpoch);
  }

  succeeded({ account, epoch, viewEpoch }: Passage, nowMs: number, hadAnswered: boolean): void {
    this.#answeredAtMs = nowMs;
    this.#common.succeeded(epoch, nowMs, hadAnswered);
    if (this.#views.size > 0) this.#views.get(account)?.breaker.succeeded(viewEpoch, nowMs, hadAnswered);
    if (epoch !== this.#probingEpoch) return;
    this.#probing.delete(account);
    if (this.#common.epoch !== epoch) this.#forgetFailures(nowMs);
  }

  /**
   * Returns whether a probe of the gateway itself is needed to find out if the channel or the account's requests are the cause.
   */
  failed({ account, epoch, viewEpoch }: Passage, nowMs: number, hadAnswered: boolean): boolean {
    this.#restedBy = null;
    if (!this.#isShared) {
      this.#common.failed(epoch, nowMs, hadAnswered);
      return false;
    }
    const { breaker } = this.#noteFailure(account, nowMs);
    const wasOpen = breaker.stateAt(nowMs) === 'open';
    breaker.failed(viewEpoch, nowMs, hadAnswered);
    this.#common.abandoned(epoch, hadAnswered);
    if (epoch === this.#probingEpoch) return this.#probeFailed(account, nowMs);
    if (this.#common.stateAt(nowMs) === 'closed' && this.#isSeenBySeveral(nowMs)) this.#common.trip(nowMs);
    const isOpen = breaker.stateAt(nowMs) === 'open';
    return isOpen && !wasOpen && this.#common.stateAt(nowMs) === 'closed';
  }

  abandoned({ account, epoch, viewEpoch }: Passage, hadAnswered: boolean): void {
    this.#common.abandoned(epoch, hadAnswered);
    if (epoch === this.#probingEpoch) this.#probing.delete(account);
    if (this.#views.size > 0) this.#views.get(account)?.breaker.abandoned(viewEpoch, hadAnswered);
  }

  /** Notes that the upstream answered this account with `failure` and asked for no requests for `forMs`. */
  rested({ account }: Passage, failure: Failure, nowMs: number, forMs: number): void {
    if (!this.#isShared) {
      this.#restAll(account, failure, nowMs, forMs);
      return;
    }
    const others = [...this.#views].filter(([id, { toldAtMs }]) => id !== account && this.#isFresh(toldAtMs, nowMs));
    const view = this.#noteFailure(account, nowMs);
    Object.assign(view, { toldAtMs: nowMs, toldForMs: forMs, restedBy: failure });
    view.breaker.rest(nowMs, forMs);
    if (others.length === 0) return;
    this.#restAll(account, failure, nowMs, Math.min(forMs, ...others.map(([, { toldForMs }]) => toldForMs)));
  }

  #restAll(account: string, failure: Failure, nowMs: number, forMs: number): void {
    this.#restedBy = { account, failure };
    this.#common.rest(nowMs, forMs);
  }

  // ---- results of the gateway's own probes

  confirmed(nowMs: number): void {
    if (this.#common.stateAt(nowMs) === 'open') return;
    this.#restedBy = null;
    this.#common.trip(nowMs);
  }

  refuted(nowMs: number): void {
    if (this.#common.stateAt(nowMs) !== 'half-open') return;
    this.#common.reset();
    this.#forgetFailures(nowMs);
  }

  // ---- state that survives a process or a change of settings

  /** Resets all state. */
  reset(): void {
    this.#common.reset();
    this.#views.clear();
    this.#restedBy = null;
  }

  remember(nowMs: number): BreakerMemory {
    return this.#common.remember(nowMs);
  }

  restore(memory: BreakerMemory, nowMs: number): void {
    this.#views.clear();
    this.#common.restore(memory, nowMs);
  }

  /** Returns the same with other settings: windows are empty, and a rest continues. */
  withSettings(settings: BreakerSettings, nowMs: number): SharedBreaker {
    const next = new SharedBreaker(settings);
    next.#isShared = this.#isShared;
    next.#healedAtMs = nowMs;
    next.#restedBy = this.#restedBy;
    next.#common.restore(this.#common.remember(nowMs), nowMs);
    for (const [account, view] of this.#views) {
      const breaker = new CircuitBreaker(settings);
      breaker.restore(view.breaker.remember(nowMs), nowMs);
      next.#views.set(account, { ...view, breaker });
    }
    return next;
  }

  // ---- views

  #viewOf(account: string, nowMs: number): View | null {
    const view = this.#views.get(account);
    if (view === undefined) return null;
    if (!this.#isOver(view, nowMs)) return view;
    this.#views.delete(account);
    return null;
  }

  /** Returns whether the view is outdated, so that all of it can be forgotten. */
  #isOver({ breaker, latestFailureMs }: View, nowMs: number): boolean {
    return !this.#isFresh(latestFailureMs, nowMs) && breaker.stateAt(nowMs) === 'closed';
  }

  #isFresh(atMs: number, nowMs: number): boolean {
    return nowMs - atMs <= this.#settings.windowMs;
  }

  #noteFailure(account: string, nowMs: number): View {
    const known = this.#views.get(account);
    const view = known ?? {
      ...{ breaker: new CircuitBreaker(this.#settings), latestFailureMs: nowMs, restedBy: null },
      ...{ toldAtMs: Number.NEGATIVE_INFINITY, toldForMs: 0 },
    };
    view.latestFailureMs = nowMs;
    view.restedBy = null;
    // The last entry of the map is the one that failed last.
    this.#views.delete(account);
    for (const [oldest, one] of this.#views) {
      if (this.#views.size < MOST_VIEWS && !this.#isOver(one, nowMs)) break;
      this.#views.delete(oldest);
    }
    this.#views.set(account, view);
    return view;
  }

  /** Notes that the channel works again. An account's breaker that is not closed continues by its own rules. */
  #forgetFailures(nowMs: number): void {
    this.#healedAtMs = nowMs;
    for (const [account, { breaker }] of this.#views) {
      if (breaker.stateAt(nowMs) === 'closed') this.#views.delete(account);
    }
  }

  /**
   * Returns whether the failures of several accounts together would open one breaker. Each account counts for at most one less
   * than `minimum_requests`, and half of `minimum_requests` must remain without the account that counts most.
   */
  #isSeenBySeveral(nowMs: number): boolean {
    const { minimumRequests, failureRate } = this.#settings;
    const most = Math.max(1, minimumRequests - 1);
    let failures = 0;
    let largest = 0;
    for (const { breaker, latestFailureMs } of this.#views.values()) {
      if (!this.#isFresh(latestFailureMs, nowMs) || latestFailureMs < this.#healedAtMs) continue;
      const own = breaker.stateAt(nowMs) === 'closed' ? Math.min(most, breaker.failuresAt(nowMs)) : most;
      failures += own;
      largest = Math.max(largest, own);
    }
    if (failures < minimumRequests || failures - largest < Math.ceil(minimumRequests / 2)) return false;
    return failures >= failureRate * (failures + this.#common.successesAt(nowMs));
  }

  // ---- clients' probes while the shared breaker is half-open

  #isProbing(account: string): boolean {
    return this.#probing.size > 0 && this.#common.epoch === this.#probingEpoch && this.#probing.has(account);
  }

  #noteProbe(account: string, epoch: number): void {
    if (epoch !== this.#probingEpoch) {
      this.#probingEpoch = epoch;
      this.#probing.clear();
      this.#failedProbes.clear();
    }
    this.#probing.add(account);
  }

  /** Notes a failed probe. One account's probes alone do not decide, because its requests may cause the failures. */
  #probeFailed(account: string, nowMs: number): boolean {
    this.#probing.delete(account);
    if (this.#common.epoch !== this.#probingEpoch) return false;
    this.#failedProbes.add(account);
    if (this.#failedProbes.size < 2) return true;
    this.#common.trip(nowMs);
    return false;
  }
}

/** One admitted request. */
export class Passage {
  constructor(
    private readonly breaker: SharedBreaker,
    readonly account: string,
    readonly epoch: number,
    readonly viewEpoch: number,
  ) {}

  answering(): void {
    this.breaker.answering(this);
  }

  succeeded(nowMs: number, hadAnswered: boolean): void {
    this.breaker.succeeded(this, nowMs, hadAnswered);
  }

  failed(nowMs: number, hadAnswered: boolean): boolean {
    return this.breaker.failed(this, nowMs, hadAnswered);
  }

  abandoned(hadAnswered: boolean): void {
    this.breaker.abandoned(this, hadAnswered);
  }

  rested(failure: Failure, nowMs: number, forMs: number): void {
    this.breaker.rested(this, failure, nowMs, forMs);
  }
}
