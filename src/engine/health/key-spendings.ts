import { type Channel, placeAt, placeOf } from '../../domain/catalog/channel.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { SpendingSum, UpstreamSpendingStore } from '../ports/upstream-spending-store.ts';
import { type CappedHealth, KeySpending } from './key-spending.ts';

/** How many keys that are no longer in use are remembered; their last requests may still end. */
const MOST_UNUSED = 1_000;

/** The spending with all upstream keys of channels that have several. */
export class KeySpendings {
  private readonly byPlace = new Map<string, KeySpending>();
  private unwritten = new Set<KeySpending>();
  /** The sums that were read before the first channel was adopted, by place. */
  private restored: ReadonlyMap<string, ReadonlyMap<string, bigint>> = new Map();

  constructor(private readonly clock: Clock) {}

  /** Learns the sums that earlier processes have stored. Call it before the first `of`. */
  restore(sums: readonly SpendingSum[]): void {
    this.restored = sumsByPlace(sums);
  }

  /** Returns the spending with the key of a channel, whose cap from now on applies to this health; `null` for a channel with one key. */
  of(channel: Channel, health: CappedHealth): KeySpending | null {
    const { id, upstreamKey } = channel;
    if (upstreamKey === undefined) return null;
    const place = placeOf(channel);
    let spending = this.byPlace.get(place);
    if (spending === undefined) {
      spending = new KeySpending(this.clock, id, upstreamKey.id, (spent) => this.unwritten.add(spent));
      spending.configure(channel, health);
      spending.learn(this.restored.get(place) ?? new Map());
      this.byPlace.set(place, spending);
    } else spending.configure(channel, health);
    return spending;
  }

  /** Returns the spending at a place; `null` if it has none. */
  at(place: string): KeySpending | null {
    return this.byPlace.get(place) ?? null;
  }

  /** Forgets keys that are not in use, the longest unused first. Those with something to write stay. */
  keepOnly(isInUse: (place: string) => boolean): void {
    let unused = 0;
    for (const place of this.byPlace.keys()) if (!isInUse(place)) unused++;
    for (const [place, spending] of this.byPlace) {
      if (unused <= MOST_UNUSED) return;
      if (isInUse(place) || this.unwritten.has(spending)) continue;
      this.byPlace.delete(place);
      unused--;
    }
  }

  takeUnwritten(): readonly KeySpending[] {
    const taken = [...this.unwritten];
    this.unwritten = new Set();
    return taken;
  }

  /** Returns the ids of the channels that have a key with a cap. */
  cappedChannels(): readonly string[] {
    const ids = new Set<string>();
    for (const { hasCap, channelId } of this.byPlace.values()) if (hasCap) ids.add(channelId);
    return [...ids];
  }

  /** Learns all sums of these channels. */
  learn(channelIds: readonly string[], sums: readonly SpendingSum[]): void {
    const read = new Set(channelIds);
    const known = sumsByPlace(sums);
    for (const [place, spending] of this.byPlace) {
      if (read.has(spending.channelId)) spending.learn(known.get(place) ?? new Map());
    }
  }
}

/** Returns the sums by place and then by period. */
export function sumsByPlace(sums: readonly SpendingSum[]): ReadonlyMap<string, ReadonlyMap<string, bigint>> {
  const found = new Map<string, Map<string, bigint>>();
  for (const { channelId, keyId, period, spentNanoUsd } of sums) {
    const place = placeAt(channelId, keyId);
    const own = found.get(place);
    if (own === undefined) found.set(place, new Map([[period, spentNanoUsd]]));
    else own.set(period, spentNanoUsd);
  }
  return found;
}

const HOUR_MS = 60 * 60 * 1_000;
/** How long the sum of an ended period is kept. */
const KEPT_MS = 40 * 24 * HOUR_MS;
const MOST_REMOVED = 1_000;

/** Exchanges the spending with the store once a second: one write and one read for all keys together. */
export class SpendingRecorder {
  private isBehind = false;
  private removedAtMs: number | null = null;
  private last: Promise<void> = Promise.resolve();
  private isNextWaiting = false;

  constructor(
    private readonly spendings: KeySpendings,
    private readonly ports: { readonly store: UpstreamSpendingStore; readonly clock: Clock; readonly logger: Logger },
  ) {}

  /**
   * Writes what was spent and learns what other processes have spent. Does nothing without several keys. Never rejects. Exchanges never
   * overlap: one that is asked for while another runs begins after it, together with all that are asked for meanwhile.
   */
  record(): Promise<void> {
    if (this.isNextWaiting) return this.last;
    this.isNextWaiting = true;
    this.last = this.last.then(() => {
      this.isNextWaiting = false;
      return this.exchange();
    });
    return this.last;
  }

  private async exchange(): Promise<void> {
    const spent = this.spendings.takeUnwritten();
    const capped = this.spendings.cappedChannels();
    if (spent.length === 0 && capped.length === 0) return;
    try {
      if (spent.length > 0) await this.ports.store.add(spent.flatMap((one) => one.takeUnwritten()));
      for (const one of spent) one.written();
    } catch (error) {
      for (const one of spent) one.notWritten();
      this.failed(error);
      return;
    }
    try {
      const ids = [...new Set([...capped, ...spent.map(({ channelId }) => channelId)])];
      this.spendings.learn(ids, await this.ports.store.read(ids));
      await this.removeEnded();
      this.isBehind = false;
    } catch (error) {
      this.failed(error);
    }
  }

  private failed(error: unknown): void {
    if (!this.isBehind) {
      this.ports.logger.warn({ reason: String(error) }, 'the spending of upstream keys could not be stored; retrying');
    }
    this.isBehind = true;
  }

  private async removeEnded(): Promise<void> {
    const nowMs = this.ports.clock.nowMs();
    if (this.removedAtMs !== null && nowMs - this.removedAtMs < HOUR_MS) return;
    this.removedAtMs = nowMs;
    await this.ports.store.removeEnded(nowMs - KEPT_MS, MOST_REMOVED);
  }
}
