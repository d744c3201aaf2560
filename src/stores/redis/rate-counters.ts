import { randomUUID } from 'node:crypto';
import { Turns } from '../../domain/concurrency/turns.ts';
import type { RedisFigures } from '../../engine/ports/figures.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { CountersAway, Places, Quota, RateCounters, RateWindow, Taken } from '../../engine/ports/rate-counters.ts';
import { RedisAccess } from './access.ts';
import { type Patience, type RedisClient, run } from './connection.ts';
import { ANNOUNCE_INTERVAL_MS, KnownGateways } from './known-gateways.ts';
import {
  keyOf,
  keysOf,
  type QuotaCall,
  quotaCall,
  type RecentEntry,
  readAnswer,
  seedArguments,
  stricter,
  windowArguments,
} from './quota-call.ts';
import { ADMIT, RENEW, SEED } from './scripts.ts';
import { asOfWhole, shareOf } from './share-of-quota.ts';

type Scoped = Pick<RateWindow, 'scope' | 'windowMs'>;

/** This gateway's own counters, which count its own admissions. */
export interface LocalCounters extends RateCounters {
  take(quota: Quota): Taken;
  /** Returns what `take` would return, without counting. */
  ask(quota: Quota): Taken;
  /** The time in microseconds on the clock of `hasRecent` and `recent`. */
  readonly nowUs: number;
  /** Whether the window has an unexpired entry since `sinceUs`. */
  hasRecent(window: Scoped, sinceUs: number): boolean;
  /** Returns the unexpired entries of the window since `sinceUs`, oldest first. */
  recent(window: Scoped, sinceUs: number): readonly RecentEntry[];
  /** Returns all windows with unexpired entries. */
  inUse(): Iterable<Scoped>;
}

export interface RedisRateCountersOptions {
  /** An address as in `REDIS_URL`. */
  readonly url: string;
  /** The behaviour while Redis is unavailable: count in this gateway alone, or refuse. */
  readonly whenAway: 'local' | 'refuse';
  readonly local: LocalCounters;
  /** The number of gateways to assume if this one starts while Redis is unavailable. */
  readonly gatewaysAtStart?: number;
  readonly logger: Logger;
  readonly patience?: Patience | undefined;
}

/** The longest time that a request waits for Redis. */
const ANSWER_TIMEOUT_MS = 250;
/** The most requests that wait for Redis at a time. */
const MAX_WAITING = 10_000;
/** The slots of a dead gateway are freed after this time. */
const PLACE_HELD_MS = 30_000;
const RENEW_INTERVAL_MS = 10_000;
/** Redis may lose its data again while it is being restored. */
const SEED_ATTEMPTS = 3;
/** The number of windows restored at a time. */
const TOLD_AT_ONCE = 100;
/** The time within which every gateway notices that Redis has lost its data or is back, and reports its admissions. */
const CAUTIOUS_US = 3_000_000;
/** The number of outages whose start is remembered. Older ones are further back than any window. */
const MOST_OUTAGES = 1_000;

const PROBE: Quota = { windows: [{ scope: '{probe}', limit: 1_000_000, windowMs: 1_000, amount: 1 }], places: null };

/**
 * Rate counters shared by several gateways, in one round trip per request. Admissions by Redis are also counted in this gateway. If Redis
 * has lost its data (a restart, FLUSHALL), each gateway reports its admissions of the last minute before it asks for more. While Redis is
 * unavailable, each gateway admits its share: the limit divided by the last known number of gateways.
 */
export class RedisRateCounters implements RateCounters {
  readonly #redis: RedisAccess;
  readonly #local: LocalCounters;
  readonly #whenAway: RedisRateCountersOptions['whenAway'];
  readonly #calls = new WeakMap<Quota, QuotaCall>();
  /** Slots that Redis may have assigned although the response was lost; at most as many as requests that can wait at a time. */
  readonly #orphans = new Map<string, Places>();
  /** The slots that this gateway holds, by scope. */
  readonly #held = new Map<string, Set<string>>();
  readonly #gateway = randomUUID().slice(0, 8);
  readonly #gateways: KnownGateways;
  /** The starts of outages on the local counters' clock; older ones are not remembered. */
  readonly #outagesBeganAtUs: number[] = [];
  /** The time on the local counters' clock until which other gateways may have admissions unknown to Redis. */
  #cautiousUntilUs = 0;
  #isTelling = false;
  readonly #turns = new Turns();
  /** The number of outages. Admissions during an outage are reported to Redis after it. */
  #generation = 0;
  readonly #timers: readonly ReturnType<typeof setInterval>[];
  #placeCount = 0;

  /**
   * Resolves when Redis responds, or after two seconds; then it counts as unavailable, as in any outage. Throws `RedisAddressError` if the
   * URL is invalid.
   */
  static async connect(options: RedisRateCountersOptions): Promise<RedisRateCounters> {
    const counters = new RedisRateCounters(options);
    await counters.#redis.connect();
    counters.#announce();
    return counters;
  }

  private constructor({ url, whenAway, local, gatewaysAtStart = 1, logger, patience }: RedisRateCountersOptions) {
    this.#redis = new RedisAccess({
      use: 'limits',
      url,
      logger,
      patience,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      maxWaiting: MAX_WAITING,
      words: {
        began:
          whenAway === 'local'
            ? 'Redis is unavailable for rate limits: until it is back, each gateway counts on its own and admits its share: the limit divided by the number of gateways'
            : 'Redis is unavailable for rate limits: until it is back, requests are refused with 503 limits_unavailable',
        ended: 'Redis is back: rate limits are shared again',
      },
      probe: () => this.#probe(),
      onOutageBegin: () => this.#beginOutage(),
      onOutageEnd: () => this.#afterOutage(),
    });
    this.#gateways = new KnownGateways(this.#gateway, gatewaysAtStart, () => local.nowUs / 1_000);
    this.#local = local;
    this.#whenAway = whenAway;
    this.#timers = [
      setInterval(() => this.#renew(), RENEW_INTERVAL_MS),
      setInterval(() => this.#announce(), ANNOUNCE_INTERVAL_MS),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** Whether Redis is currently unavailable. */
  get figures(): RedisFigures {
    return this.#redis.figures;
  }

  get isAway(): boolean {
    return this.#redis.isAway;
  }

  take(quota: Quota): Taken | CountersAway | Promise<Taken | CountersAway> {
    if (this.#redis.isAway) return this.#takeAlone(quota);
    return this.#takeShared(quota);
  }

  add(window: RateWindow, amount: number): void {
    const owns = this.#owns([window], null);
    this.#local.add(window, amount);
    if (this.#redis.isAway) return;
    const call = { keys: keysOf([window.scope]), windowCount: 1, args: windowArguments(window, amount) };
    this.#redis.tell(async (client) => {
      for (let attempt = 1; attempt <= SEED_ATTEMPTS; attempt++) {
        const told = toldGenerations(await run(client, ADMIT, call.keys, this.#admitArguments('add', call, owns)));
        // The reported admissions include this amount.
        if (told === null || (await this.#seed(client, call.keys, [window], null, told))) return;
      }
    });
  }

  leave(places: Places, place: string): void {
    this.#local.leave(places, place);
    const held = this.#held.get(places.scope);
    held?.delete(place);
    if (held?.size === 0) this.#held.delete(places.scope);
    this.#giveUp(places, place);
  }

  /** Sends queued writes within a bounded time, then closes. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    if (!this.#redis.isAway) this.#redis.tell((client) => this.#gateways.leave(client));
    await this.#redis.close();
  }

  /** Counts under a separate scope to check that the server accepts writes. This also loads the script. */
  async #probe(): Promise<void> {
    const call = this.#callOf(PROBE);
    const args = this.#admitArguments('take', call, '0');
    readAnswer(PROBE, null, await this.#redis.ask((client) => run(client, ADMIT, call.keys, args)));
  }

  #admitArguments(mode: 'take' | 'ask' | 'add', { windowCount, args }: QuotaCall, owns: string) {
    return [mode, windowCount, this.#gateway, this.#generation, owns, ...args];
  }

  /** Returns a digit for each window and for the slots: 1 if this gateway has unexpired admissions there. */
  #owns(windows: readonly RateWindow[], places: Places | null): string {
    let digits = '';
    for (const window of windows) digits += this.#local.hasRecent(window, 0) ? '1' : '0';
    return places === null ? digits : digits + (this.#held.has(places.scope) ? '1' : '0');
  }

  /** Asks Redis; `null` if it lacked admissions of this gateway, which are then reported. */
  async #admit(client: RedisClient, mode: 'take' | 'ask', quota: Quota, place: string | null): Promise<unknown> {
    const call = this.#callOf(quota);
    const { windows, places } = quota;
    const placeArguments = places === null || place === null ? [] : [places.limit, place, PLACE_HELD_MS];
    const args = this.#admitArguments(mode, call, this.#owns(windows, places));
    const answer = await run(client, ADMIT, call.keys, [...args, ...placeArguments]);
    const told = toldGenerations(answer);
    if (told === null) return answer;
    if (told.includes('')) this.#dataLost();
    await this.#seed(client, call.keys, windows, places, told);
    return null;
  }

  /**
   * Reports this gateway's admissions in each window since the generation known to Redis, or all if it knows none. Resolves to `false` if
   * another request has already done so.
   */
  async #seed(
    client: RedisClient,
    keys: readonly string[],
    windows: readonly Scoped[],
    places: Places | null,
    told: readonly string[],
  ): Promise<boolean> {
    const entries = windows.flatMap((window, index) =>
      seedArguments(window, this.#local.recent(window, this.#unknownSinceUs(told[index] ?? ''))),
    );
    const held = places === null ? [] : [...(this.#held.get(places.scope) ?? [])];
    const args = [windows.length, this.#gateway, this.#generation, PLACE_HELD_MS, ...told, ...entries, ...held];
    return Number(await run(client, SEED, keys, args)) === 1;
  }

  #unknownSinceUs(told: string): number {
    if (told === '') return 0;
    const firstRemembered = this.#generation - this.#outagesBeganAtUs.length;
    return this.#outagesBeganAtUs[Number(told) - firstRemembered] ?? 0;
  }

  async #takeShared(quota: Quota): Promise<Taken | CountersAway> {
    const [window] = quota.windows;
    for (let attempt = 1; attempt <= SEED_ATTEMPTS; attempt++) {
      const take = () => (this.#redis.isAway ? Promise.resolve(this.#takeAlone(quota)) : this.#takeOnce(quota));
      // Serialised, since otherwise Redis would count many that exceed this gateway's share.
      const taken = this.#isCautious && window ? await this.#turns.run(window.scope, take) : await take();
      if (taken !== null) return taken;
    }
    this.#redis.failed(new Error('Redis has lost its data repeatedly'));
    return this.#takeAlone(quota);
  }

  /** Resolves to `null` if admissions had to be reported to Redis first. */
  async #takeOnce(quota: Quota): Promise<Taken | CountersAway | null> {
    const { places } = quota;
    const askOwn = () => this.#ofOwn(quota, (own) => this.#local.ask(own));
    // If this gateway's own admissions fill the limit, Redis is only asked when there will be room.
    const before = askOwn();
    const mode = before.isAdmitted ? 'take' : 'ask';
    const place = places === null ? null : this.#newPlace();
    let shared: Taken;
    try {
      const answer = await this.#redis.ask((client) => this.#admit(client, mode, quota, place));
      if (answer === null) return null;
      shared = readAnswer(quota, place, answer);
    } catch (error) {
      this.#redis.failed(error);
      // The slot may have been taken before the response was lost.
      if (places !== null && place !== null) this.#orphans.set(place, places);
      return this.#takeAlone(quota);
    }
    if (!before.isAdmitted) return stricter(shared, before);
    if (!shared.isAdmitted) return stricter(shared, askOwn());
    const local = this.#ofOwn(quota, (own) => this.#local.take(own));
    if (places !== null && place !== null) {
      if (local.isAdmitted) this.#hold(places, place);
      else this.#giveUp(places, place);
    }
    return stricter(shared, local);
  }

  #takeAlone(quota: Quota): Taken | CountersAway {
    if (this.#whenAway === 'refuse') return { retryAfterMs: this.#redis.retryAfterMs };
    const taken = this.#ofOwn(quota, (own) => this.#local.take(own));
    if (!taken.isAdmitted || quota.places === null) return taken;
    // The other gateways see it when Redis is back.
    const place = this.#newPlace();
    this.#hold(quota.places, place);
    return { ...taken, place };
  }

  /** Asks the local counters for the full quota, or for this gateway's share while Redis does not know the others' admissions. */
  #ofOwn(quota: Quota, ask: (own: Quota) => Taken): Taken {
    const own = this.#redis.isAway || this.#isCautious ? shareOf(quota, this.#gateways.count) : quota;
    return asOfWhole(quota, own, ask(own));
  }

  get #isCautious(): boolean {
    return this.#local.nowUs < this.#cautiousUntilUs;
  }

  #newPlace(): string {
    return `${this.#gateway}:${(++this.#placeCount).toString(36)}`;
  }

  #beginOutage(): void {
    this.#generation += 1;
    this.#outagesBeganAtUs.push(this.#local.nowUs);
    if (this.#outagesBeganAtUs.length > MOST_OUTAGES) this.#outagesBeganAtUs.shift();
  }

  #afterOutage(): void {
    for (const [place, places] of this.#orphans) this.#giveUp(places, place);
    this.#orphans.clear();
    this.#announce();
    this.#dataLost();
  }

  #announce(): void {
    if (this.#redis.isAway) return;
    this.#redis.tell(async (client) => {
      if (await this.#gateways.announce(client)) this.#dataLost();
    });
  }

  /** Handles a data loss of Redis: each gateway reports its admissions, and admits no more than its share until all have. */
  #dataLost(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    this.#cautiousUntilUs = this.#local.nowUs + CAUTIOUS_US;
    this.#renew();
    this.#tellAll()
      .catch((error) => this.#redis.failed(error))
      .finally(() => {
        this.#isTelling = false;
      });
  }

  async #tellAll(): Promise<void> {
    const windows = [...this.#local.inUse()];
    for (let from = 0; from < windows.length && !this.#redis.isAway; from += TOLD_AT_ONCE) {
      await Promise.all(windows.slice(from, from + TOLD_AT_ONCE).map((window) => this.#tellOf(window)));
    }
  }

  async #tellOf(window: Scoped): Promise<void> {
    const keys = keysOf([window.scope]);
    const call = { keys, windowCount: 1, args: windowArguments({ ...window, limit: 1, amount: 0 }, 0) };
    await this.#redis.ask(async (client) => {
      const told = toldGenerations(await run(client, ADMIT, keys, this.#admitArguments('ask', call, '1')));
      if (told !== null) await this.#seed(client, keys, [window], null, told);
    });
  }

  #hold({ scope }: Places, place: string): void {
    const held = this.#held.get(scope);
    if (held) held.add(place);
    else this.#held.set(scope, new Set([place]));
  }

  #giveUp({ scope }: Places, place: string): void {
    // If the command is lost, the slot expires.
    if (!this.#redis.isAway) this.#redis.tell((client) => client.zrem(keyOf(scope), place));
  }

  /** Renews slots, since requests may outlast a slot's expiry. */
  #renew(): void {
    if (this.#redis.isAway) return;
    for (const [scope, held] of this.#held) {
      const args = [PLACE_HELD_MS, ...held];
      this.#redis.tell((client) => run(client, RENEW, [keyOf(scope)], args));
    }
  }

  #callOf(quota: Quota): QuotaCall {
    let call = this.#calls.get(quota);
    if (!call) {
      call = quotaCall(quota);
      this.#calls.set(quota, call);
    }
    return call;
  }
}

/**
 * Returns, for each window and the slots, the generation of this gateway known to Redis if it must report first; `null` for other
 * responses.
 */
function toldGenerations(answer: unknown): readonly string[] | null {
  return Array.isArray(answer) && answer[0] === 'unseeded' ? answer.slice(1).map(String) : null;
}
