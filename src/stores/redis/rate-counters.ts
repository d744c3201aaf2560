import { randomUUID } from 'node:crypto';
import { Turns } from '../../domain/concurrency/turns.ts';
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

/** This gateway's own counters, which see what it admits itself. */
export interface LocalCounters extends RateCounters {
  take(quota: Quota): Taken;
  /** What `take` would answer now; nothing is counted. */
  ask(quota: Quota): Taken;
  /** By the clock of the two that follow, in microseconds. */
  readonly nowUs: number;
  /** Whether anything that still counts came in this window since then. */
  hasRecent(window: Scoped, sinceUs: number): boolean;
  /** What came in this window since then and still counts, the oldest first. */
  recent(window: Scoped, sinceUs: number): readonly RecentEntry[];
  /** All windows in which anything came that still counts. */
  inUse(): Iterable<Scoped>;
}

export interface RedisRateCountersOptions {
  /** As in `REDIS_URL`. */
  readonly url: string;
  /** What to do while Redis cannot be asked: count in this gateway alone, or refuse. */
  readonly whenAway: 'local' | 'refuse';
  readonly local: LocalCounters;
  /** How many gateways there are as far as this one knows without Redis; for one that starts while Redis is away. */
  readonly gatewaysAtStart?: number;
  readonly logger: Logger;
  readonly patience?: Patience | undefined;
}

/** Longer than this no request waits for Redis. */
const ANSWER_TIMEOUT_MS = 250;
/** More requests than this do not wait for Redis at one time. */
const MAX_WAITING = 10_000;
/** The places of a gateway that has died are free again after this time. */
const PLACE_HELD_MS = 30_000;
const RENEW_INTERVAL_MS = 10_000;
/** Redis may lose its data once more while it is told what it had lost. */
const SEED_ATTEMPTS = 3;
/** How many windows Redis is told of at one time. */
const TOLD_AT_ONCE = 100;
/** By then every gateway has noticed that Redis has lost its data, or is back, and has told what it has admitted. */
const CAUTIOUS_US = 3_000_000;
/** Of how many outages it is remembered when they began; older ones than these are longer ago than any window. */
const MOST_OUTAGES = 1_000;

const PROBE: Quota = { windows: [{ scope: '{probe}', limit: 1_000_000, windowMs: 1_000, amount: 1 }], places: null };

/**
 * Counters that several gateways share, in one round trip a request. What Redis admits is counted in this gateway, too. Where Redis has
 * lost its data (a restart, FLUSHALL), each gateway tells it what it has admitted in the last minute before it asks for more. While
 * Redis is away, each gateway admits its part of the limit: the limit by the number of gateways that there were.
 */
export class RedisRateCounters implements RateCounters {
  readonly #redis: RedisAccess;
  readonly #local: LocalCounters;
  readonly #whenAway: RedisRateCountersOptions['whenAway'];
  readonly #calls = new WeakMap<Quota, QuotaCall>();
  /** Places that Redis may have given without our learning of it; no more than requests can wait at one time. */
  readonly #orphans = new Map<string, Places>();
  /** The places that this gateway holds, by scope. */
  readonly #held = new Map<string, Set<string>>();
  readonly #gateway = randomUUID().slice(0, 8);
  readonly #gateways: KnownGateways;
  /** When the outages began, by the local counters' clock; those before the first of these are not remembered. */
  readonly #outagesBeganAtUs: number[] = [];
  /** Until then, by the local counters' clock, other gateways may have admitted what Redis does not know of. */
  #cautiousUntilUs = 0;
  #isTelling = false;
  readonly #turns = new Turns();
  /** How many outages there were. What this gateway admits in one of them Redis learns when it is over. */
  #generation = 0;
  readonly #timers: readonly ReturnType<typeof setInterval>[];
  #placeCount = 0;

  /**
   * Resolves when Redis answers, or after two seconds without it; it is then treated as away like at any other time. Throws
   * `RedisAddressError` where the URL cannot be read.
   */
  static async connect(options: RedisRateCountersOptions): Promise<RedisRateCounters> {
    const counters = new RedisRateCounters(options);
    await counters.#redis.connect();
    counters.#announce();
    return counters;
  }

  private constructor({ url, whenAway, local, gatewaysAtStart = 1, logger, patience }: RedisRateCountersOptions) {
    const consequence =
      whenAway === 'local'
        ? 'until it is back, each gateway counts for itself and admits its part of the limits: the limit divided by the number of gateways'
        : 'until it is back, requests are refused with 503 limits_unavailable';
    this.#redis = new RedisAccess({
      url,
      logger,
      patience,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      maxWaiting: MAX_WAITING,
      words: {
        began: `Redis cannot be asked for rate limits: ${consequence}`,
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

  /** Whether Redis cannot be asked just now. */
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
        // What it is told then has this amount among it.
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

  /** Queued writes are still sent, within a bounded time. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    if (!this.#redis.isAway) this.#redis.tell((client) => this.#gateways.leave(client));
    await this.#redis.close();
  }

  /** Counts under a scope of its own, to check that the server accepts writes. This also loads the script. */
  async #probe(): Promise<void> {
    const call = this.#callOf(PROBE);
    const args = this.#admitArguments('take', call, '0');
    readAnswer(PROBE, null, await this.#redis.ask((client) => run(client, ADMIT, call.keys, args)));
  }

  #admitArguments(mode: 'take' | 'ask' | 'add', { windowCount, args }: QuotaCall, owns: string) {
    return [mode, windowCount, this.#gateway, this.#generation, owns, ...args];
  }

  /** A digit for each window and for places: 1 where this gateway has admitted anything that still counts. */
  #owns(windows: readonly RateWindow[], places: Places | null): string {
    let digits = '';
    for (const window of windows) digits += this.#local.hasRecent(window, 0) ? '1' : '0';
    return places === null ? digits : digits + (this.#held.has(places.scope) ? '1' : '0');
  }

  /** Asks Redis; `null` where it did not know something of this gateway, and is told now. */
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
   * Tells what this gateway has admitted in each window since the generation that Redis knows of; all of it where it knows none. Gives
   * `false` where another request has done so.
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
      // One after the other, or many would be counted in Redis that do not fit into this gateway's share.
      const taken = this.#isCautious && window ? await this.#turns.run(window.scope, take) : await take();
      if (taken !== null) return taken;
    }
    this.#redis.failed(new Error('Redis has lost its data again and again'));
    return this.#takeAlone(quota);
  }

  /** `null` where Redis had to be told something first. */
  async #takeOnce(quota: Quota): Promise<Taken | CountersAway | null> {
    const { places } = quota;
    const askOwn = () => this.#ofOwn(quota, (own) => this.#local.ask(own));
    // Where this gateway alone has admitted enough, Redis is only asked when there will be room.
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
      // It may have been taken before the answer got lost.
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
    // The other gateways learn of it when Redis is back.
    const place = this.#newPlace();
    this.#hold(quota.places, place);
    return { ...taken, place };
  }

  /** Asks the local counters: for all of the quota, or for this gateway's share where Redis does not know what others have admitted. */
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

  /** Redis does not know all that was admitted: each gateway tells its part, and admits no more than that until all have. */
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
    // Where it is not delivered, the place is free when its time is over.
    if (!this.#redis.isAway) this.#redis.tell((client) => client.zrem(keyOf(scope), place));
  }

  /** Requests may run for longer than a place is held at a time. */
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

/** For each window and places the generation that Redis has of this gateway, where it must be told first; `null` for other answers. */
function toldGenerations(answer: unknown): readonly string[] | null {
  return Array.isArray(answer) && answer[0] === 'unseeded' ? answer.slice(1).map(String) : null;
}
