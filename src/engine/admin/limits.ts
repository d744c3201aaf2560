/** The limits that an account or a key may have, in the words of the configuration, with the largest value of each; the least is 1. */
export const LARGEST_LIMIT = {
  requests_per_minute: 1_000_000_000,
  tokens_per_minute: 1_000_000_000_000,
  max_concurrent: 1_000_000,
} as const;
