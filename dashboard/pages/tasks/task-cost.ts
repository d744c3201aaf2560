import type { ManagedTask } from '../../api/schema.ts';

/** Returns the charge; `null` if the model has no price, `undefined` if nothing was charged: the task is still open, or has failed. */
export function costOf({
  status,
  cost_usd: cost,
}: Pick<ManagedTask, 'status' | 'cost_usd'>): string | null | undefined {
  return status === 'completed' || cost !== null ? cost : undefined;
}
