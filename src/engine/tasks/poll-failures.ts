import { Failure } from '../../domain/failure/failure.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { describeError } from '../../domain/text/describe-error.ts';

/* The failures of polling a task, in words for its client. */

export function nothingSaid(): Failure {
  return new Failure('upstream_error', { kind: 'garbage', message: 'The provider’s response could not be read.' });
}

export function unreadable(error: unknown): Failure {
  const message = 'The provider’s response could not be read.';
  return new Failure('upstream_error', { kind: 'garbage', message: `${message} ${describeError(error).error}` });
}

export function jobLost(): Failure {
  const message = 'The provider no longer has the job. Nothing was charged; send the request again.';
  return new Failure('upstream_error', { kind: 'job_lost', message });
}

export function resultLost({ message }: Failure): Failure {
  const said = `The provider has finished, but its result could not be stored for you, and nothing was charged: ${message}`;
  return new Failure('upstream_error', { kind: 'result_lost', message: said });
}

/** Neither the model nor its provider has failed, as when an operator ends a task. */
export function channelRemoved(): Failure {
  const message =
    'The channel that ran this task, or its key, was removed, so the result cannot be read. Nothing was charged; send the request again.';
  return new Failure('client_closed_request', { kind: 'channel_removed', message });
}

export function tooLate({ deadlineMs, createdAtMs }: Task): Failure {
  const minutes = Math.round((deadlineMs - createdAtMs) / 60_000);
  const message = `The provider did not finish within ${minutes} minutes. Nothing was charged; send the request again.`;
  return new Failure('timeout_error', { kind: 'job_timeout', message });
}

const INTERRUPTED: Readonly<Partial<Record<Task['stage'], string>>> & { readonly created: string } = {
  created: 'before it sent the request',
  submitting: 'while it sent the request, so the provider may have accepted it',
  submitted: "before it stored the provider's response",
};

export function interrupted({ stage }: Task): Failure {
  const message = `The gateway was interrupted ${INTERRUPTED[stage] ?? INTERRUPTED.created}. Nothing was charged; send the request again.`;
  return new Failure('internal_error', { kind: 'interrupted', message });
}

const ABOUT_QUESTION: ReadonlySet<string> = new Set(['http_404', 'http_405', 'http_410', 'http_413', 'http_414']);
const UNREADABLE: ReadonlySet<string> = new Set(['garbage', 'answer_too_large']);
const OFTEN = 2;

/**
 * Returns whether a failed poll about several jobs may be caused by one of them: a job that the upstream does not know, or that makes its
 * answer unreadable, must not hide the others.
 */
export function isAboutQuestion({ kind, side }: Failure, { pollErrors }: Pick<Task, 'pollErrors'>): boolean {
  if (side === 'client' || ABOUT_QUESTION.has(kind)) return true;
  return UNREADABLE.has(kind) && pollErrors >= OFTEN;
}
