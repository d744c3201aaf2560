export type LimitedUnit = 'requests' | 'tokens' | 'input_tokens' | 'output_tokens';

/** One rate limit as the headers of an answer state it. */
export interface StatedLimit {
  /** Its position among the limits of the provider's spelling. */
  readonly index: number;
  readonly unit: LimitedUnit;
  /** `null` if only the rest is known. */
  readonly limit: number | null;
  readonly remaining: number;
  /** The time until the limit is whole again. */
  readonly resetMs: number;
  /** `steady` if it fills up evenly until then, `window` if all of it comes back then. */
  readonly refill: 'steady' | 'window';
}

/** The expected size of a request in tokens. */
export interface ExpectedTokens {
  readonly input: number;
  readonly output: number;
}

export const NO_TOKENS: ExpectedTokens = { input: 0, output: 0 };

/** The amounts that had been sent when a request was sent, with the request itself. */
export interface SentMark {
  readonly requests: number;
  readonly input: number;
  readonly output: number;
}

interface Followed {
  readonly unit: LimitedUnit;
  readonly limit: number | null;
  readonly refill: StatedLimit['refill'];
  /** How much comes back per millisecond; 0 if all of it comes back at the end. */
  readonly rate: number;
  /** The length of the period until the limit counts as whole again, at most the longest rest. */
  readonly periodMs: number;
  /** Whether the upstream named a time beyond the longest rest: when the period ends, one request may try. */
  readonly isCut: boolean;
  /** Whether one request may try now, whatever its size. */
  isTrying: boolean;
  /** The rest at `atMs`. Negative if more was sent than the upstream knew of when it answered. */
  left: number;
  atMs: number;
  endsAtMs: number;
}

/** The rate of a limit that is whole now is that of a limit per minute. */
const MINUTE_MS = 60_000;

/**
 * The rate limits of a provider for one upstream model of one key, as its latest answer stated them, less what was sent since. It stops
 * requests before the provider refuses them.
 *
 * It believes the upstream within bounds: nobody waits longer than the longest rest after a statement.
 */
export class ProviderLimits {
  #followed: (Followed | undefined)[] = [];
  readonly #sent = { requests: 0, input: 0, output: 0 };
  /** The number of the newest request whose answer has stated limits. */
  #newest = 0;

  /** Counts a request that is about to be sent. Returns the mark that its answer has to be noted with. */
  sends(tokens: ExpectedTokens, nowMs: number): SentMark {
    this.#sent.requests++;
    this.#sent.input += tokens.input;
    this.#sent.output += tokens.output;
    for (const followed of this.#followed) {
      if (followed === undefined) continue;
      refill(followed, nowMs);
      followed.left -= amountOf(tokens, followed.unit);
    }
    return { ...this.#sent };
  }

  /**
   * Notes the limits in the headers of an answer.
   *
   * @param mark the mark of its request; `null` if it was sent before limits were known. Answers that arrive out of order are ignored,
   *   because the provider counted their requests in its newer statement.
   * @param longestRestMs the longest time that the upstream may make requests wait
   */
  states(limits: readonly StatedLimit[], mark: SentMark | null, nowMs: number, longestRestMs: number): void {
    const number = mark?.requests ?? 0;
    if (number < this.#newest) return;
    this.#newest = number;
    for (const stated of limits) {
      const { index, unit, limit, remaining, resetMs, refill: how } = stated;
      const sentSince = amountSent(this.#sent, unit) - amountSent(mark ?? this.#sent, unit);
      const periodMs = Math.min(resetMs, longestRestMs);
      this.#followed[index] = {
        ...{ unit, limit, refill: how, rate: rateOf(stated), periodMs },
        ...{ isCut: periodMs < resetMs, isTrying: false },
        left: remaining - sentSince,
        atMs: nowMs,
        endsAtMs: nowMs + (how === 'steady' && limit !== null ? longestRestMs : periodMs),
      };
    }
  }

  /**
   * Returns how long a request of this size has to wait; 0 if it may be sent now.
   *
   * @param sharePercent the percentage of each limit that a request of low priority may use; it leaves the rest to others
   */
  waitMs(tokens: ExpectedTokens, nowMs: number, sharePercent = 100): number {
    let waitMs = 0;
    for (const followed of this.#followed) {
      if (followed !== undefined) waitMs = Math.max(waitMs, waitFor(followed, tokens, nowMs, sharePercent));
    }
    return waitMs;
  }

  /** Returns what is left of each stated limit now. */
  readings(nowMs: number): readonly LimitReading[] {
    return this.#followed.flatMap((followed) => {
      if (followed === undefined) return [];
      refill(followed, nowMs);
      const { unit, limit, left } = followed;
      return [{ unit, limit, left: Math.max(0, Math.floor(left)) }];
    });
  }
}

export interface LimitReading {
  readonly unit: LimitedUnit;
  readonly limit: number | null;
  readonly left: number;
}

function waitFor(followed: Followed, tokens: ExpectedTokens, nowMs: number, sharePercent: number): number {
  refill(followed, nowMs);
  const { limit, rate, left, endsAtMs, isTrying } = followed;
  // A request above the whole limit is the provider's to judge, once nothing else uses the limit.
  const kept = limit === null ? 0 : Math.floor((limit * (100 - sharePercent)) / 100);
  const need = isTrying ? 1 : Math.min(Math.max(1, amountOf(tokens, followed.unit)) + kept, limit ?? 1);
  if (left >= need) return 0;
  const untilEndMs = endsAtMs - nowMs;
  return Math.max(1, Math.ceil(rate === 0 ? untilEndMs : Math.min(untilEndMs, (need - left) / rate)));
}

/** Adds what has come back since the last time. */
function refill(followed: Followed, nowMs: number): void {
  const { limit, rate, atMs, periodMs, endsAtMs, isCut } = followed;
  if (nowMs >= endsAtMs) {
    followed.left = isCut ? 1 : (limit ?? 1);
    followed.isTrying = isCut;
    // Without an end of the next period, all waiting requests would be sent at once, before an answer states the new rest.
    followed.endsAtMs = nowMs + periodMs;
  } else if (rate > 0)
    followed.left = Math.min(limit ?? Number.POSITIVE_INFINITY, followed.left + rate * (nowMs - atMs));
  followed.atMs = nowMs;
}

/** Returns how much of a limit comes back per millisecond. */
function rateOf({ limit, remaining, resetMs, refill: how }: StatedLimit): number {
  if (how === 'window' || limit === null) return 0;
  return limit === remaining || resetMs === 0 ? limit / MINUTE_MS : (limit - remaining) / resetMs;
}

function amountOf({ input, output }: ExpectedTokens, unit: LimitedUnit): number {
  if (unit === 'requests') return 1;
  if (unit === 'tokens') return input + output;
  return unit === 'input_tokens' ? input : output;
}

function amountSent({ requests, input, output }: SentMark, unit: LimitedUnit): number {
  return unit === 'requests' ? requests : amountOf({ input, output }, unit);
}
