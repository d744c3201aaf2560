/** Limits on the requests that are sent to an upstream. `null` stands for no limit. */
export interface UpstreamLimits {
  /** The most requests that it serves at one time. */
  readonly maxConcurrent: number | null;
  /** The most requests that are sent to it within any 60 s. */
  readonly requestsPerMinute: number | null;
  /** The most tokens, of prompts and answers together, within any 60 s. */
  readonly tokensPerMinute: number | null;
}

/** The limits of a channel, over all of its models. */
export interface ChannelLimits extends UpstreamLimits {
  /** Further limits of single models, by public id. A request has to be within both. */
  readonly models: Readonly<Record<string, UpstreamLimits>>;
}

/** How requests wait for a channel that is at its limit. */
export interface QueueSettings {
  /** The most requests that wait at one time; 0 if none may wait. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** No request waits unless an operator has chosen it: a client may prefer to be refused at once. */
export const DEFAULT_QUEUE: QueueSettings = { maxWaiting: 0, maxWaitMs: 10_000 };

export const NO_LIMITS: UpstreamLimits = { maxConcurrent: null, requestsPerMinute: null, tokensPerMinute: null };
