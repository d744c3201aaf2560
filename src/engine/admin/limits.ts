import { AdminError } from './admin-error.ts';

/** The limits that an account or a key may have, in the words of the configuration, with the largest value of each; the least is 1. */
export const LARGEST_LIMIT = {
  requests_per_minute: 1_000_000_000,
  tokens_per_minute: 1_000_000_000_000,
  max_concurrent: 1_000_000,
} as const;

/** A limit, or `null` for none. Throws `AdminError`. */
export function checkedLimit(field: keyof typeof LARGEST_LIMIT, value: number | undefined): number | null {
  if (value === undefined) return null;
  const most = LARGEST_LIMIT[field];
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new AdminError('invalid_value', field, `must be a whole number from 1 to ${most}`);
}
