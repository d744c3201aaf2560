import { Failure } from '../../domain/failure/failure.ts';
import type { Task } from '../../domain/tasks/task.ts';

/* Why a task cannot be cancelled, in words for its client. */

const RETRY_MS = 1_000;
const POLL = 'Poll the task: it is charged only if the provider completes it.';

/** Returns the same failure in all cases (contract, GET /v1/tasks/{id}), so that guessing ids reveals nothing. */
export function taskNotFound(): Failure {
  return new Failure('async_task_not_found', {
    message: 'The task was not found or is no longer available.',
    hint: 'Use the poll_url from the response that created the task, with a key of the same account.',
  });
}

function conflict(kind: string, message: string, hint: string): Failure {
  return new Failure('conflict', { kind, message, hint });
}

export function isOver({ stage }: Pick<Task, 'stage'>): Failure {
  const how =
    stage === 'completed' ? 'is completed' : stage === 'failed' ? 'has failed' : 'has finished at the provider';
  return conflict('task_over', `The task ${how}, so it cannot be cancelled.`, 'Read the task for its result.');
}

export function hasFinished(): Failure {
  return conflict('task_over', 'The provider has just finished the task, so it cannot be cancelled.', POLL);
}

export function notSubmitted(): Failure {
  return new Failure('conflict', {
    kind: 'task_not_submitted',
    message:
      'The request of the task is still being sent to the provider, so there is no job that could be cancelled yet.',
    hint: 'Send the request again once the provider has accepted the job.',
    retryAfterMs: RETRY_MS,
  });
}

export function cannotCancel(provider: string): Failure {
  return conflict(
    'cancel_unsupported',
    `The provider of this task (${provider}) cannot cancel jobs. The task goes on.`,
    POLL,
  );
}

export function hasBegun(provider: string, why: string): Failure {
  const message = `The job has begun, and its provider (${provider}) ${why}. The task goes on.`;
  return conflict('job_has_begun', message, POLL);
}

export function refusedByProvider({ message }: Failure): Failure {
  const words = `The provider did not cancel the job, and the task goes on. It said: ${message}`;
  return conflict('cancel_refused', words, POLL);
}

/** The provider may have cancelled the job or not. */
export function cancelUnknown({ kind, message }: Failure): Failure {
  return new Failure('upstream_error', {
    kind,
    message: `It is not known whether the provider has cancelled the job: ${message}`,
    hint: 'Poll the task, or send the request again after a minute.',
    retry: 'never',
  });
}

export function tooManyCancels(): Failure {
  return new Failure('rate_limit_exceeded', {
    kind: 'too_many_cancels',
    message: 'The account is cancelling too many tasks at the same time.',
    side: 'client',
    retryAfterMs: RETRY_MS,
    hint: 'Wait for the answers to its other requests to cancel, then send this one again.',
  });
}

/** The provider may have been asked; if it has ended the job, the next polls find that out. */
export function notStored(): Failure {
  return new Failure('storage_unavailable', {
    message: 'The gateway cannot store at the moment whether the task is cancelled.',
    retryAfterMs: 5 * RETRY_MS,
    hint: 'Poll the task after retry_after seconds.',
  });
}
