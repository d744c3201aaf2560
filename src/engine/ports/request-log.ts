import type { CacheMatch } from '../../domain/cache/cache-hit.ts';
import type { Loss } from '../../domain/exchange/loss.ts';
import type { AppliedPrices } from '../../domain/money/applied-prices.ts';
import type { Billable } from '../../domain/money/quantity.ts';

/** An attempt at a channel that did not answer. */
export interface FailedAttempt {
  readonly channelId: string;
  /** The failure's kind. */
  readonly kind: string;
  readonly latencyMs: number;
  /** How many of its requests the upstream had answered, and may bill, before another one of them failed. */
  readonly answeredParts?: number;
  readonly provider?: string;
  /** From the arrival of the request to the beginning of the attempt. Missing in lines of older versions. */
  readonly beganMs?: number;
  /** From there to its status and headers; missing where none came. */
  readonly heardMs?: number;
  /** The HTTP status of the upstream. */
  readonly status?: number;
  readonly upstreamRequestId?: string;
}

/** When a request came how far, in milliseconds since it arrived; `null` where it did not come there. */
export interface RequestTimes {
  /** It is known who asks, and within the limits. */
  readonly admittedMs: number | null;
  /** It is known whether the cache has the answer. */
  readonly lookedUpMs: number | null;
  /** The last attempt began, and its status and headers came. */
  readonly askedMs: number | null;
  readonly heardMs: number | null;
  readonly upstreamStatus: number | null;
  /** The answer was complete, and its usage known. */
  readonly answeredMs: number | null;
  /** The charge was durable. */
  readonly chargedMs: number | null;
}

/** One line of the request log: who asked for what, who answered, how it went. Never a prompt, never a secret. */
export interface RequestRecord {
  readonly requestId: string;
  /** When the request arrived, in milliseconds since 1970. */
  readonly atMs: number;
  readonly accountId: string | null;
  readonly keyId: string | null;
  /** The client's format, such as `openai-chat`. */
  readonly format: string;
  readonly modelId: string | null;
  readonly channelId: string | null;
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  /** The model that the answer names, where that is not `upstreamModel`; `null` where it is, or names none. */
  readonly answerModel: string | null;
  readonly stream: boolean;
  /** The HTTP status that the client got; 499 when it left before one was sent. */
  readonly status: number;
  /** The failure's code and kind, also for a stream that failed after its 200. */
  readonly errorCode: string | null;
  readonly failureKind: string | null;
  readonly clientGone: boolean;
  /**
   * No shared channel was involved: the channel that answered, or was asked last, is the account's own, or none was asked and no
   * shared channel serves the model. Missing in lines of older versions.
   */
  readonly isPrivate?: boolean;
  readonly retryCount: number;
  /** In order; empty where the first attempt answered. */
  readonly failedAttempts: readonly FailedAttempt[];
  readonly latencyMs: number;
  /** From arrival to the first byte that went to the client. */
  readonly firstByteMs: number | null;
  /** What it has come to; `null` where that is not known, or nothing was answered. */
  readonly billable: Billable | null;
  /** What the request was charged, in nano-USD; `null` where the model has no price, or the charge could not be written. */
  readonly costNanoUsd: bigint | null;
  /** How much less an answer from the cache was than from its channel; missing for nothing. Summed, and not kept in the log. */
  readonly savedNanoUsd?: bigint;
  /** The upstream's own request id, to quote in a report to the provider. */
  readonly upstreamRequestId: string | null;
  /**
   * How the answer was found in the cache; `null` where it did not come from there. If it did, the channel is the one that it once
   * came from, and `billable` what it came to there.
   */
  readonly cacheMatch: CacheMatch | null;
  /** The entry of the cache; `null` where the answer did not come from there. */
  readonly cacheEntryId: string | null;
  /** As `key=value`; missing where there are none. */
  readonly tags?: readonly string[];
  /** The same as they are summed (`RequestTags`); not kept in the log. */
  readonly summedTags?: readonly string[];
  /** What of the request the channel's format has no place for; missing where that is nothing. */
  readonly losses?: readonly Loss[];
  /** Missing where nothing was priced, and in lines of older versions. */
  readonly applied?: AppliedPrices;
  /** Missing in lines of older versions, and of tasks, which have their own. */
  readonly times?: RequestTimes;
  /**
   * A crash has lost the line, and it was made again from the charge: format, quantities and times are not known, and `latencyMs`
   * ends with the charge. Missing in all other lines.
   */
  readonly recovered?: true;
}

/** Which lines are to be listed; all conditions that are given hold. */
export interface RequestLogQuery {
  readonly accountId?: string;
  readonly keyId?: string;
  readonly modelId?: string;
  readonly channelId?: string;
  readonly provider?: string;
  readonly format?: string;
  /** Both are part of it. */
  readonly status?: { readonly from: number; readonly to: number };
  readonly errorCode?: string;
  readonly failureKind?: string;
  readonly stream?: boolean;
  readonly clientGone?: boolean;
  /** Whether the answer came from the cache. */
  readonly cached?: boolean;
  /** As `key=value`. */
  readonly tag?: string;
  /** Of the arrival, in milliseconds since 1970; `toMs` is not part of it. */
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly minLatencyMs?: number;
  readonly maxLatencyMs?: number;
  readonly minCostNanoUsd?: bigint;
  readonly maxCostNanoUsd?: bigint;
}

/** A line with its number in the order of writing. Numbers rise, but lines of several nodes may become visible in another order. */
export interface WrittenLine {
  readonly id: number;
  readonly record: RequestRecord;
}

/** All lines up to `topId` have been seen, but for these. */
export interface WrittenPlace {
  readonly topId: number;
  readonly missing: readonly number[];
}

/** Where in the log a line stands. */
export interface LogPlace {
  readonly atMs: number;
  /** Among the lines of one millisecond. */
  readonly id: number;
}

export interface RequestLogPage {
  readonly records: readonly RequestRecord[];
  /** Where the next page begins; `null` where there is none. A page may have fewer lines than were asked for, or none, and a next. */
  readonly next: LogPlace | null;
}

export interface RequestLog {
  /** Queues a line; it is written soon after, together with others (delay and queue are bounded). The request does not wait. */
  append(record: RequestRecord): void;
  /** Resolves when everything appended so far is written. */
  flush(): Promise<void>;
  /** The newest first. */
  recent(limit: number): Promise<readonly RequestRecord[]>;
  /**
   * The newest first. A page ends early rather than look through millions of lines for few; page by page each line that was there at
   * the first is given once.
   */
  page(query: RequestLogQuery, after: LogPlace | null, limit: number): Promise<RequestLogPage>;
  /** Lines that are written and not seen, those with the lowest numbers first. */
  written(after: WrittenPlace, limit: number): Promise<readonly WrittenLine[]>;
  /** The highest numbers, the highest first. */
  lastWritten(limit: number): Promise<readonly number[]>;
  /** The line of a request; its id says when it came. */
  find(requestId: string): Promise<RequestRecord | null>;
}
