import type { CountersAway, Places, Quota, RateCounters, RateWindow, Taken } from '../../engine/ports/rate-counters.ts';
import type { Far, Peer } from '../shared/link/peer.ts';

/** The name under which the owner of a group offers them. */
export const COUNTERS = 'counters';

/** How soon counters are asked again whose owner is not there; a process that has lost it ends anyway. */
const RETRY_AFTER_MS = 1_000;
const UNLIMITED: Taken = { isAdmitted: true, decisions: [], hasFreePlace: true, place: null };

/** The counters of a group of processes, which its owner has in memory: so they are exact over all of them. */
export class GroupRateCounters implements RateCounters {
  readonly #peer: Peer;
  readonly #far: Far<OfferedCounters>;

  constructor(peer: Peer) {
    this.#peer = peer;
    this.#far = peer.far(COUNTERS);
  }

  take(quota: Quota): Taken | Promise<Taken | CountersAway> {
    const { windows, places } = quota;
    if (windows.length === 0 && places === null) return UNLIMITED;
    return this.#far.take(quota).catch(() => ({ retryAfterMs: RETRY_AFTER_MS }));
  }

  add(window: RateWindow, amount: number): void {
    this.#peer.tell(COUNTERS, 'add', [window, amount]);
  }

  leave(places: Places, place: string): void {
    this.#peer.tell(COUNTERS, 'leave', [places, place]);
  }
}

/** What one process of the group may call; knows the places that it would leave taken. */
export class OfferedCounters {
  readonly #counters: RateCounters;
  /** By scope. */
  readonly #taken = new Map<string, { readonly places: Places; readonly taken: string[] }>();

  constructor(counters: RateCounters) {
    this.#counters = counters;
  }

  async take(quota: Quota): Promise<Taken | CountersAway> {
    const taken = await this.#counters.take(quota);
    if ('place' in taken && taken.place !== null && quota.places !== null) this.#note(quota.places, taken.place);
    return taken;
  }

  add(window: RateWindow, amount: number): void {
    this.#counters.add(window, amount);
  }

  leave(places: Places, place: string): void {
    const of = this.#taken.get(places.scope);
    const index = of?.taken.indexOf(place) ?? -1;
    if (of === undefined || index === -1) return;
    of.taken.splice(index, 1);
    if (of.taken.length === 0) this.#taken.delete(places.scope);
    this.#counters.leave(places, place);
  }

  /** The process has ended: its requests run no more. */
  ended(): void {
    for (const { places, taken } of this.#taken.values()) {
      for (const place of taken) this.#counters.leave(places, place);
    }
    this.#taken.clear();
  }

  #note(places: Places, place: string): void {
    const of = this.#taken.get(places.scope);
    if (of === undefined) this.#taken.set(places.scope, { places, taken: [place] });
    else of.taken.push(place);
  }
}
