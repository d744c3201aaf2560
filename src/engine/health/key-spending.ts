import type { Channel } from '../../domain/catalog/channel.ts';
import { capWindow, periodName, type SpendCap, TOTAL } from '../../domain/catalog/upstream-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { SpendingDelta } from '../ports/upstream-spending-store.ts';

/** A spend cap, and how much of it is spent. */
export interface SpendingFigures {
  /** In the period of the cap, or in all without a cap. */
  readonly spentNanoUsd: bigint;
  readonly cap: SpendCap | null;
  /** When the period of the cap ends, in milliseconds since 1970; `null` without a cap, or for one on the total. */
  readonly resetsAtMs: number | null;
  readonly isSpent: boolean;
}

/** The state of routing that a spent cap changes. */
export interface CappedHealth {
  cappedUntilMs: number;
}

/** The sum of one period: the part that the store has, the part that is being written, and the rest. */
interface Sum {
  readonly period: string;
  readonly endsAtMs: number | null;
  stored: bigint;
  writing: bigint;
  unwritten: bigint;
}

/**
 * How much was spent with one upstream key. What other processes spend is known as of the last exchange with the store. When the cap is
 * reached, the key's health refuses further requests until the period ends.
 */
export class KeySpending {
  private cap: SpendCap | null = null;
  private readonly total: Sum = newSum(TOTAL, null);
  /** The current period of the cap; `null` without a cap, or for one on the total. */
  private current: Sum | null = null;
  private health: CappedHealth | null = null;

  constructor(
    private readonly clock: Clock,
    readonly channelId: string,
    readonly keyId: string | null,
    /** Called when there is something to write. */
    private readonly onSpent: (spending: KeySpending) => void,
  ) {}

  get hasCap(): boolean {
    return this.cap !== null;
  }

  /** Applies the cap, and connects the health of the key, which a new credential replaces. */
  configure({ upstreamKey }: Pick<Channel, 'upstreamKey'>, health: CappedHealth): void {
    this.health = health;
    const cap = upstreamKey?.spendCap ?? null;
    // A period of another length begins with zero.
    if (cap?.per !== this.cap?.per || cap?.timeZone !== this.cap?.timeZone) this.current = null;
    this.cap = cap;
    this.check();
  }

  add(nanoUsd: bigint): void {
    if (nanoUsd <= 0n) return;
    this.total.unwritten += nanoUsd;
    const current = this.currentSum();
    if (current !== null) current.unwritten += nanoUsd;
    this.onSpent(this);
    this.check();
  }

  /** Marks the unwritten amounts as being written and returns them. `written` or `notWritten` must follow. */
  takeUnwritten(): readonly SpendingDelta[] {
    const { channelId, keyId } = this;
    return this.sums().flatMap((sum) => {
      sum.writing = sum.unwritten;
      sum.unwritten = 0n;
      const { period, endsAtMs, writing } = sum;
      return writing === 0n ? [] : { channelId, keyId, period, endsAtMs, spentNanoUsd: writing };
    });
  }

  written(): void {
    for (const sum of this.sums()) {
      sum.stored += sum.writing;
      sum.writing = 0n;
    }
  }

  notWritten(): void {
    for (const sum of this.sums()) {
      sum.unwritten += sum.writing;
      sum.writing = 0n;
    }
    this.onSpent(this);
  }

  /** Learns the sums of the store by period; one that is missing there is zero. */
  learn(sums: ReadonlyMap<string, bigint>): void {
    this.currentSum();
    for (const sum of this.sums()) sum.stored = sums.get(sum.period) ?? 0n;
    this.check();
  }

  figures(): SpendingFigures {
    const { cap } = this;
    const current = this.currentSum() ?? this.total;
    const spentNanoUsd = spentOf(current);
    return {
      spentNanoUsd,
      cap,
      resetsAtMs: current.endsAtMs,
      isSpent: cap !== null && spentNanoUsd >= cap.amountNanoUsd,
    };
  }

  /** Returns the share of the cap that is spent; `null` without a cap. */
  get spentRatio(): number | null {
    const { cap, spentNanoUsd } = this.figures();
    if (cap === null) return null;
    const hundredths = (spentNanoUsd * 10_000n) / cap.amountNanoUsd;
    return Number(hundredths) / 10_000;
  }

  /** Sets until when the key is refused. */
  private check(): void {
    const { health, cap } = this;
    if (health === null) return;
    const current = cap === null ? null : (this.currentSum() ?? this.total);
    const isSpent = current !== null && cap !== null && spentOf(current) >= cap.amountNanoUsd;
    if (!isSpent) health.cappedUntilMs = Number.NEGATIVE_INFINITY;
    else if (current.endsAtMs === null) health.cappedUntilMs = Number.POSITIVE_INFINITY;
    else health.cappedUntilMs = this.clock.monotonicMs() + Math.max(0, current.endsAtMs - this.clock.nowMs());
  }

  /** Returns the sum of the cap's current period; a new one begins with zero. */
  private currentSum(): Sum | null {
    const { cap, current } = this;
    const nowMs = this.clock.nowMs();
    if (current?.endsAtMs != null && nowMs < current.endsAtMs) return current;
    const window = cap === null ? null : capWindow(cap, nowMs);
    if (cap === null || window === null) return null;
    // Amounts that the earlier period has not written are still added to the total.
    this.current = newSum(periodName(cap, window), window.endsAtMs);
    return this.current;
  }

  private sums(): readonly Sum[] {
    return this.current === null ? [this.total] : [this.total, this.current];
  }
}

function newSum(period: string, endsAtMs: number | null): Sum {
  return { period, endsAtMs, stored: 0n, writing: 0n, unwritten: 0n };
}

function spentOf({ stored, writing, unwritten }: Sum): bigint {
  return stored + writing + unwritten;
}
