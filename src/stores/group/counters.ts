import type {
  CountersAway,
  Places,
  Quota,
  RateCounters,
  RateDecision,
  RateWindow,
  Taken,
} from '../../engine/ports/rate-counters.ts';
import type { Far, Peer } from '../shared/link/peer.ts';

/** The name under which a group's owner offers them. */
export const COUNTERS = 'counters';

/** The retry delay while the owner is unavailable. A process that has lost its owner exits anyway. */
const RETRY_AFTER_MS = 1_000;
const UNLIMITED: Taken = { isAdmitted: true, decisions: [], hasFreePlace: true, place: null };
/** The number of a quota that was used once. Quotas with the tokens of one request are never used again, so the owner does not keep them. */
const NO_NUMBER = 0;
/** The most quotas per process. Beyond that the owner drops all of them, and they are sent again. */
const MOST_QUOTAS = 50_000;

/** The `isAdmitted`, `limit`, `remaining`, `resetMs` and `retryAfterMs` of a window. */
type PackedDecision = readonly [boolean, number, number, number, number];
type PackedTaken = readonly [isAdmitted: boolean, hasFreePlace: boolean, place: string | null, ...PackedDecision[]];

/**
 * Rate counters of a group of processes, kept in its owner's memory, so that they are exact across all of them. A quota is sent twice and
 * then referred to by number, since its scopes would be most of each message.
 */
export class GroupRateCounters implements RateCounters {
  readonly #peer: Peer;
  readonly #far: Far<OfferedCounters>;
  readonly #numbers = new WeakMap<Quota, number>();
  #lastNumber = 0;

  constructor(peer: Peer) {
    this.#peer = peer;
    this.#far = peer.far(COUNTERS);
  }

  take(quota: Quota): Taken | Promise<Taken | CountersAway> {
    if (quota.windows.length === 0 && quota.places === null) return UNLIMITED;
    return this.#take(quota).catch(() => ({ retryAfterMs: RETRY_AFTER_MS }));
  }

  add(window: RateWindow, amount: number): void {
    this.#peer.tell(COUNTERS, 'add', [window, amount]);
  }

  leave(places: Places, place: string): void {
    this.#peer.tell(COUNTERS, 'leave', [places.scope, place]);
  }

  async #take(quota: Quota): Promise<Taken> {
    const known = this.#numbers.get(quota);
    // Only these fields, whatever else the quota object has.
    const { windows, places } = quota;
    if (known === undefined) {
      this.#numbers.set(quota, NO_NUMBER);
      return unpacked(await this.#far.takeOnce({ windows, places }));
    }
    const taken = known === NO_NUMBER ? null : await this.#far.take(known);
    return unpacked(taken ?? (await this.#far.takeNew(this.#numberOf(quota), { windows, places })));
  }

  #numberOf(quota: Quota): number {
    this.#lastNumber += 1;
    this.#numbers.set(quota, this.#lastNumber);
    return this.#lastNumber;
  }
}

/** The object that a process of the group may call. Tracks the slots that the process would leave occupied. */
export class OfferedCounters {
  readonly #counters: RateCounters;
  readonly #quotas = new Map<number, Quota>();
  /** Occupied slots by scope. */
  readonly #taken = new Map<string, { readonly places: Places; readonly taken: string[] }>();

  constructor(counters: RateCounters) {
    this.#counters = counters;
  }

  /** Resolves to `null` if no quota has this number. */
  async take(number: number): Promise<PackedTaken | null> {
    const quota = this.#quotas.get(number);
    return quota === undefined ? null : await this.#take(quota);
  }

  async takeOnce(quota: Quota): Promise<PackedTaken> {
    return await this.#take(quota);
  }

  async takeNew(number: number, quota: Quota): Promise<PackedTaken> {
    if (this.#quotas.size >= MOST_QUOTAS) this.#quotas.clear();
    this.#quotas.set(number, quota);
    return await this.#take(quota);
  }

  add(window: RateWindow, amount: number): void {
    this.#counters.add(window, amount);
  }

  leave(scope: string, place: string): void {
    const of = this.#taken.get(scope);
    const index = of?.taken.indexOf(place) ?? -1;
    if (of === undefined || index === -1) return;
    of.taken.splice(index, 1);
    if (of.taken.length === 0) this.#taken.delete(scope);
    this.#counters.leave(of.places, place);
  }

  /** Frees the slots of a process that has exited. */
  ended(): void {
    for (const { places, taken } of this.#taken.values()) {
      for (const place of taken) this.#counters.leave(places, place);
    }
    this.#taken.clear();
  }

  async #take(quota: Quota): Promise<PackedTaken> {
    const taken = await this.#counters.take(quota);
    if (!('decisions' in taken)) throw new Error('The counters of the group are unavailable.');
    const { isAdmitted, hasFreePlace, place, decisions } = taken;
    if (isAdmitted && place !== null && quota.places !== null) this.#note(quota.places, place);
    return [isAdmitted, hasFreePlace, place, ...decisions.map(packed)];
  }

  #note(places: Places, place: string): void {
    const of = this.#taken.get(places.scope);
    if (of === undefined) this.#taken.set(places.scope, { places, taken: [place] });
    else of.taken.push(place);
  }
}

function packed({ isAdmitted, limit, remaining, resetMs, retryAfterMs }: RateDecision): PackedDecision {
  return [isAdmitted, limit, remaining, resetMs, retryAfterMs];
}

function unpacked([isAdmitted, hasFreePlace, place, ...decisions]: PackedTaken): Taken {
  return {
    ...{ isAdmitted, hasFreePlace, place },
    decisions: decisions.map(([isRoom, limit, remaining, resetMs, retryAfterMs]) => {
      return { isAdmitted: isRoom, limit, remaining, resetMs, retryAfterMs };
    }),
  };
}
