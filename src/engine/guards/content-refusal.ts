import { Failure } from '../../domain/failure/failure.ts';
import type { GuardStage } from '../../domain/verdicts/guard-verdict.ts';

/** The `kind` of a refusal in logs and metrics. */
export const GUARD_REFUSAL = 'guard_refused';

/** Returns the failure (400) for content that a rule refuses. It names the rule, and never has the text. */
export function contentRefusal(guard: string, rule: string, stage: GuardStage): Failure {
  const what = stage === 'input' ? 'The request' : 'The response';
  const next =
    stage === 'input'
      ? 'Remove the content that the rule forbids, and send the request again.'
      : 'Ask for something else, or ask the operator what the rule forbids.';
  return new Failure('invalid_request', {
    message: `${what} was refused by the rule \`${rule}\` of the guard \`${guard}\`.`,
    publicCode: 'content_policy_violation',
    kind: GUARD_REFUSAL,
    hint: next,
    retry: 'never',
    side: 'client',
  });
}

/** Returns the failure for a request with more matches of a rule than are looked for. */
export function tooManyMatches(guard: string, rule: string, most: number): Failure {
  return new Failure('invalid_request', {
    message: `The request has more than ${most} matches of the rule \`${rule}\` of the guard \`${guard}\`.`,
    publicCode: 'content_policy_violation',
    kind: GUARD_REFUSAL,
    hint: 'Send the content in several requests.',
    retry: 'never',
    side: 'client',
  });
}

/** Returns the failure for a guard that an account, a key or a model names and that does not exist: nothing passes unchecked. */
export function missingGuard(id: string): Failure {
  return new Failure('invalid_request', {
    message: `The guard \`${id}\`, which applies to this request, does not exist.`,
    publicCode: 'content_policy_violation',
    kind: 'guard_missing',
    hint: 'Ask the operator to create the guard, or to remove it from the account, the key or the model.',
    retry: 'never',
    side: 'client',
  });
}

/** Returns the failure for an endpoint whose content cannot be checked. */
export function unguardedRefusal(guard: string): Failure {
  return new Failure('invalid_request', {
    message: `This endpoint is not available here, because the guard \`${guard}\` applies and cannot check its content.`,
    publicCode: 'content_policy_violation',
    kind: 'guard_unguarded',
    hint: 'Use an endpoint that the gateway can check (docs/guards.md), or ask the operator to set `unguarded: allow` in the guard.',
    retry: 'never',
    side: 'client',
  });
}

/** Returns the failure (503) for a check that could not decide and does not let requests pass then. */
export function checkFailed(guard: string, check: string): Failure {
  return new Failure('guard_unavailable', {
    message: `The ${check === 'webhook' ? 'webhook' : 'moderation model'} of the guard \`${guard}\` could not check the content.`,
    kind: 'guard_failed',
    hint: 'Send the request again later.',
    retry: 'never',
    side: 'gateway',
  });
}
