import { randomUUID } from 'node:crypto';
import type { Logger } from '../../engine/ports/logger.ts';
import type { CountersAway, Places, Quota, RateCounters, RateWindow, Taken } from '../../engine/ports/rate-counters.ts';
import { RedisAccess } from './access.ts';
import { type Patience, run } from './connection.ts';
import { keyOf, type QuotaCall, quotaCall, readAnswer, stricter, windowArguments } from './quota-call.ts';
import { ADMIT, RENEW } from './scripts.ts';

/** This gateway's own counters, which see what it admits itself. */
export interface LocalCounters extends RateCounters {
  take(quota: Quota): Taken;
  /** What `take` would answer now; nothing is counted. */
  ask(quota: Quota): Taken;
}

export interface RedisRateCountersOptions {
  /** As in `REDIS_URL`. */
  readonly url: string;
  /** What to do while Redis cannot be asked: count in this gateway alone, or refuse. */
  readonly whenAway: 'local' | 'refuse';
  readonly local: LocalCounters;
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

const PROBE: Quota = { windows: [{ scope: '{probe}', limit: 1_000_000, windowMs: 1_000, amount: 1 }], places: null };

/**
 * Counters that several gateways share, in one round trip a request. What Redis admits is counted in this gateway too, and has to
 * fit there: so even where Redis has lost what it knew, no gateway admits more than the limit, and when Redis goes away, counting
 * goes on from what this gateway has admitted.
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
  readonly #renewing: ReturnType<typeof setInterval>;
  #placeCount = 0;

  /**
   * Resolves when Redis answers, or after two seconds without it; it is then treated as away like at any other time. Throws
   * `RedisAddressError` where the URL cannot be read.
   */
  static async connect(options: RedisRateCountersOptions): Promise<RedisRateCounters> {
    const counters = new RedisRateCounters(options);
    await counters.#redis.connect();
    return counters;
  }

  private constructor({ url, whenAway, local, logger, patience }: RedisRateCountersOptions) {
    const consequence =
      whenAway === 'local'
        ? 'until it is back, each gateway counts for itself and admits up to the full limits'
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
      onOutageEnd: () => this.#afterOutage(),
    });
    this.#local = local;
    this.#whenAway = whenAway;
    this.#renewing = setInterval(() => this.#renew(), RENEW_INTERVAL_MS);
    this.#renewing.unref();
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
    this.#local.add(window, amount);
    if (!this.#redis.isAway) {
      const args = ['add', 1, ...windowArguments(window, amount)];
      this.#redis.tell((client) => run(client, ADMIT, [keyOf(window.scope)], args));
    }
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
    clearInterval(this.#renewing);
    await this.#redis.close();
  }

  /** Counts under a scope of its own, to check that the server accepts writes. This also loads the script. */
  async #probe(): Promise<void> {
    const { keys, args } = this.#callOf(PROBE);
    readAnswer(PROBE, null, await this.#redis.ask((client) => run(client, ADMIT, keys, ['take', ...args])));
  }

  async #takeShared(quota: Quota): Promise<Taken | CountersAway> {
    const { keys, args } = this.#callOf(quota);
    const { places } = quota;
    // Where this gateway alone has admitted enough, Redis is only asked when there will be room.
    const before = this.#local.ask(quota);
    const mode = before.isAdmitted ? 'take' : 'ask';
    const place = places === null ? null : this.#newPlace();
    const placeArguments = places === null || place === null ? [] : [places.limit, place, PLACE_HELD_MS];
    let shared: Taken;
    try {
      const allArguments = [mode, ...args, ...placeArguments];
      shared = readAnswer(quota, place, await this.#redis.ask((client) => run(client, ADMIT, keys, allArguments)));
    } catch (error) {
      this.#redis.failed(error);
      // It may have been taken before the answer got lost.
      if (places !== null && place !== null) this.#orphans.set(place, places);
      return this.#takeAlone(quota);
    }
    if (!before.isAdmitted) return stricter(shared, before);
    if (!shared.isAdmitted) return stricter(shared, this.#local.ask(quota));
    const local = this.#local.take(quota);
    if (places !== null && place !== null) {
      if (local.isAdmitted) this.#hold(places, place);
      else this.#giveUp(places, place);
    }
    return stricter(shared, local);
  }

  #takeAlone(quota: Quota): Taken | CountersAway {
    if (this.#whenAway === 'refuse') return { retryAfterMs: this.#redis.retryAfterMs };
    const taken = this.#local.take(quota);
    if (!taken.isAdmitted || quota.places === null) return taken;
    // The other gateways learn of it when Redis is back.
    const place = this.#newPlace();
    this.#hold(quota.places, place);
    return { ...taken, place };
  }

  #newPlace(): string {
    return `${this.#gateway}:${(++this.#placeCount).toString(36)}`;
  }

  #afterOutage(): void {
    for (const [place, places] of this.#orphans) this.#giveUp(places, place);
    this.#orphans.clear();
    this.#renew();
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
