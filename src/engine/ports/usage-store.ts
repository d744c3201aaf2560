/** What a charge is summed by, beside its account, key and time. */
export interface ChargeUsage {
  readonly modelId: string;
  readonly channelId: string;
  /** The HTTP status of the answer as far as it is known when it is charged. */
  readonly status: number;
  /** As `key=value`, each key once; values beyond the bound of distinct ones are `(other)` already. */
  readonly tags: readonly string[];
}

/** For charges that belong to no model and no channel, such as what an operator charges afterwards. */
export const NO_USAGE: ChargeUsage = { modelId: '', channelId: '', status: 0, tags: [] };

/** What is summed. Token counts are those of the answers, whoever pays for them. */
export interface UsageMeasures {
  readonly requests: number;
  /** Of the requests, those with a failure. */
  readonly errors: number;
  /** Of the requests, those that the cache has answered. */
  readonly cacheHits: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly latencyMsSum: number;
  readonly firstByteMsSum: number;
  /** How many of the requests have sent a first byte, which is what `firstByteMsSum` is of. */
  readonly firstByteCount: number;
  /** The sum of the ledger's charges. */
  readonly costNanoUsd: bigint;
  /** What answers from the cache were cheaper than from their channels. */
  readonly savedNanoUsd: bigint;
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
};

/** One row of sums as it is written; ids that there are not are empty. */
export interface UsageDelta extends UsageMeasures {
  readonly atMs: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly modelId: string;
  readonly channelId: string;
  readonly status: number;
  /** Empty for the row that counts the request or charge itself; each tag has one row more. */
  readonly tag: string;
  /** The latency of the slowest of the requests; where in the log they are to be looked for depends on it. */
  readonly latencyMsMax: number;
}

/** What sums can be told apart by. */
export const USAGE_DIMENSIONS = ['accountId', 'keyId', 'modelId', 'channelId', 'status', 'tag'] as const;
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];

/** A span of the answer, on whole minutes, in milliseconds since 1970; `toMs` is not part of it. */
export interface UsageSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface UsageQuery {
  /**
   * The accounts to be read; `null` for the sums over all, which have no keys and no tags. `every` finds the dearest of all accounts: it is
   * for one span, grouped by account alone, the dearest first.
   */
  readonly accountIds: readonly string[] | 'every' | null;
  /** Each is summed apart; they are in order and do not overlap. */
  readonly spans: readonly UsageSpan[];
  readonly groupBy: readonly UsageDimension[];
  readonly keyIds?: readonly string[];
  readonly modelIds?: readonly string[];
  readonly channelIds?: readonly string[];
  readonly statuses?: readonly number[];
  /** `null` for what is summed without regard to tags; `tag` for one; `key` for every value of one key, and the rest beside them. */
  readonly tags: null | { readonly tag: string } | { readonly key: string };
  /** More rows than this are not read: the answer has one more then. */
  readonly limit: number;
  /** The dearest groups of each span first, then those with the most requests; those that are cut off are the cheapest. */
  readonly dearestFirst?: boolean;
}

/** One that names its accounts, or means the sums over all. */
export type NamedUsageQuery = UsageQuery & { readonly accountIds: readonly string[] | null };

/** The sums of one group in one span; a dimension that was not asked for is missing. */
export interface UsageSum extends UsageMeasures, Partial<Pick<UsageDelta, UsageDimension>> {
  /** The place of the span in the query. */
  readonly span: number;
}

export interface RolledUp {
  readonly moved: number;
  /** Whether much more is waiting, so that the next batch is due at once. */
  readonly isMore: boolean;
}

/**
 * Sums of usage. Rows are written beside what they count, in the same transaction: those of money with the ledger's charges, the
 * others with the lines of the request log. `roll` moves them into sums of minutes, hours and days; a read takes both in one
 * snapshot, so that it is exact at any moment.
 */
export interface UsageStore {
  /** Moves a batch, about as much work as `limit` rows that have nothing in common. Moves none while another node is at it. */
  roll(limit: number): Promise<RolledUp>;
  /** In the order of the spans; groups without any usage are missing. */
  sum(query: UsageQuery): Promise<readonly UsageSum[]>;
  /** The same for several queries, all of one moment. */
  sums(queries: readonly UsageQuery[]): Promise<readonly (readonly UsageSum[])[]>;
}
