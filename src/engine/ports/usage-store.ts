import type { LatencyCounts } from '../../domain/usage/latency-steps.ts';

/** The dimensions of a charge's usage sums besides account, key and time. */
export interface ChargeUsage {
  readonly modelId: string;
  readonly channelId: string;
  /** The HTTP status of the response, if known when it is charged. */
  readonly status: number;
  /** Each is `key=value`, with unique keys. Values beyond the limit of distinct ones are already `(other)`. */
  readonly tags: readonly string[];
}

/** The usage of charges without model and channel, such as those that an operator adds later. */
export const NO_USAGE: ChargeUsage = { modelId: '', channelId: '', status: 0, tags: [] };

/** The measures that are summed. Token counts are those of the responses, whoever pays for them. */
export interface UsageMeasures {
  readonly requests: number;
  /** The number of failed requests. */
  readonly errors: number;
  /** The number of requests served from the cache. */
  readonly cacheHits: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly latencyMsSum: number;
  readonly firstByteMsSum: number;
  /** The number of requests with a first byte, the divisor of `firstByteMsSum`. */
  readonly firstByteCount: number;
  /** The sum of the ledger's charges. */
  readonly costNanoUsd: bigint;
  /** The savings of cached responses over uncached ones. */
  readonly savedNanoUsd: bigint;
  /** The sum of the known upstream costs: what providers charge the operator. */
  readonly upstreamCostNanoUsd: bigint;
  /** The number of requests whose upstream cost is known. If it is less than `requests`, `upstreamCostNanoUsd` is incomplete. */
  readonly costedRequests: number;
  /** The number of requests with an unknown cost, mostly because their model has no price. `costNanoUsd` lacks them. */
  readonly unpricedRequests: number;
  /** The number of requests per step of latency, if it was read. Requests from before it was introduced are not counted. */
  readonly latencies?: LatencyCounts;
}

export const NO_MEASURES: UsageMeasures = {
  requests: 0,
  errors: 0,
  cacheHits: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  latencyMsSum: 0,
  firstByteMsSum: 0,
  firstByteCount: 0,
  costNanoUsd: 0n,
  savedNanoUsd: 0n,
  upstreamCostNanoUsd: 0n,
  costedRequests: 0,
  unpricedRequests: 0,
};

/** One row of sums as written. Missing ids are empty strings. */
export interface UsageDelta extends UsageMeasures {
  readonly atMs: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly modelId: string;
  readonly channelId: string;
  readonly status: number;
  /** Empty for the row of the request or charge itself; each tag has one additional row. */
  readonly tag: string;
  /** The latency of the slowest request, which determines where to search in the log. */
  readonly latencyMsMax: number;
  readonly latencies: LatencyCounts;
}

/** The measures by which groups can be ranked. */
export type RankingMeasure = Exclude<keyof UsageMeasures, 'latencies' | 'upstreamCostNanoUsd' | 'costedRequests'>;

/** The dimensions by which sums can be grouped. */
export const USAGE_DIMENSIONS = ['accountId', 'keyId', 'modelId', 'channelId', 'status', 'tag'] as const;
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];

/** A time span on whole minutes, in milliseconds since 1970; `toMs` is exclusive. */
export interface UsageSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface UsageQuery {
  /**
   * The accounts to read; `null` for the sums over all, which have no keys and tags. `every` ranks all accounts by cost, the highest
   * first: it requires one span and grouping by account only.
   */
  readonly accountIds: readonly string[] | 'every' | null;
  /** Ordered, non-overlapping spans, each summed separately. */
  readonly spans: readonly UsageSpan[];
  readonly groupBy: readonly UsageDimension[];
  readonly keyIds?: readonly string[];
  readonly modelIds?: readonly string[];
  readonly channelIds?: readonly string[];
  readonly statuses?: readonly number[];
  /**
   * `null` ignores tags; `tag` selects one tag, `among` several; `key` groups by every value of one key, plus the sums of all requests;
   * `every` groups by all tags.
   */
  readonly tags:
    | null
    | { readonly tag: string }
    | { readonly key: string }
    | { readonly among: readonly string[] }
    | { readonly every: true };
  /** The most rows to read. The result has one more if there are more. */
  readonly limit: number;
  /** Sorts the groups of each span by cost, then requests, in descending order, so that `limit` cuts off the cheapest. */
  readonly dearestFirst?: boolean;
  /** The measure that `dearestFirst` sorts by in place of the cost. */
  readonly rankedBy?: RankingMeasure;
  /** Whether each sum has its latency counts. They double the time of a read. */
  readonly withLatencies?: boolean;
}

/** A query that names its accounts or reads the sums over all. */
export type NamedUsageQuery = UsageQuery & { readonly accountIds: readonly string[] | null };

/** The sums of one group in one span. Only the requested dimensions are present. */
export interface UsageSum extends UsageMeasures, Partial<Pick<UsageDelta, UsageDimension>> {
  /** The index of the span in the query. */
  readonly span: number;
}

export interface RolledUp {
  readonly moved: number;
  /** Whether enough rows are left that the next batch is due at once. */
  readonly isMore: boolean;
}

/**
 * Usage sums. Rows are written in the same transaction as what they count: money with the ledger's charges, the rest with request log
 * lines. `roll` rolls them up into minutes, hours and days. A read combines both in one snapshot, so that it is always exact.
 */
export interface UsageStore {
  /** Rolls up one batch, about as much work as `limit` unrelated rows. Does nothing while another node is rolling up. */
  roll(limit: number): Promise<RolledUp>;
  /** Resolves to sums in the order of the spans; groups without usage are missing. */
  sum(query: UsageQuery): Promise<readonly UsageSum[]>;
  /** Does the same for several queries in one snapshot. */
  sums(queries: readonly UsageQuery[]): Promise<readonly (readonly UsageSum[])[]>;
}
