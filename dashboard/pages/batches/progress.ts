import type { ManagedBatch } from '../../api/schema.ts';

type Counts = Pick<ManagedBatch, 'succeeded' | 'errored' | 'cancelled' | 'expired'>;

/** Returns the number of lines that have a result. */
export function doneIn({ succeeded, errored, cancelled, expired }: Counts): number {
  return succeeded + errored + cancelled + expired;
}
