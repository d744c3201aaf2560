/**
 * The limits that an account or a key may have, by their names in the configuration, each with its largest value. The smallest value is 1.
 */
export const LARGEST_LIMIT = {
  requests_per_minute: 1_000_000_000,
  tokens_per_minute: 1_000_000_000_000,
  max_concurrent: 1_000_000,
} as const;
