import type { Task, TaskEnding } from '../../domain/tasks/task.ts';

const KIND = 'cancelled';

/**
 * How a cancelled task ends. The code does not count in the success rate of the model: neither it nor its provider has failed.
 */
export const CANCELLED = {
  kind: 'failed',
  code: 'client_closed_request',
  failureKind: KIND,
  message: 'The task was cancelled. Nothing was charged.',
} as const satisfies TaskEnding;

/** Returns whether the task ended because its account or an operator cancelled it. */
export function isCancelled({ ending }: Pick<Task, 'ending'>): boolean {
  return ending?.kind === 'failed' && ending.failureKind === KIND;
}
