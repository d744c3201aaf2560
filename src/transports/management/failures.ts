import type { ErrorCode } from '../../domain/failure/error-codes.ts';
import { Failure } from '../../domain/failure/failure.ts';
import {
  type AdminError,
  type AdminErrorCode,
  DeclaredError,
  SecondFactorError,
  TooManyError,
} from '../../engine/admin/admin-error.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';

const CODES: Readonly<Record<AdminErrorCode, ErrorCode>> = {
  invalid_value: 'invalid_value',
  ambiguous: 'invalid_value',
  insufficient: 'insufficient_balance',
  not_found: 'not_found',
  already_exists: 'already_exists',
  conflict: 'conflict',
  stale: 'precondition_failed',
  forbidden: 'access_denied',
  too_many: 'rate_limit_exceeded',
};

/**
 * Converts an administrator's error into the API's.
 *
 * @param path the path of the configuration file if the caller may know it, else `null`
 */
export function failureFrom(error: AdminError, path: string | null): Failure {
  const { code, field, message } = error;
  const isMissing = code === 'invalid_value' && message === `${field}: is required`;
  return new Failure(isMissing ? 'missing_required_parameter' : CODES[code], {
    message: `${message}${/[.?!)]$/.test(message) ? '' : '.'}`,
    param: field,
    ...(error instanceof DeclaredError && path !== null ? { hint: `The configuration file is ${path}.` } : {}),
    ...(error instanceof SecondFactorError ? { kind: error.kind, hint: SECOND_FACTOR_HINTS[error.kind] } : {}),
    ...(error instanceof TooManyError ? { retryAfterMs: error.retryAfterMs } : {}),
    side: 'client',
  });
}

const SECOND_FACTOR_HINTS = {
  trust_anchor: 'Sign in to the dashboard as an admin, or change the configuration file.',
  person_required: 'Sign in to the dashboard as an admin, or use the command line of the gateway.',
  recent_second_factor_required:
    'Send a code to POST /v1/management/auth/two-factor/verify-totp, or sign in with a passkey. To set up a second factor, use POST /v1/management/auth/two-factor/enable.',
} as const;

/** Renders a failure in the contract's envelope, which all OpenAI-compatible endpoints use. */
export function failureAnswer(
  failure: Failure,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { status, body, headers: own } = openaiChat.encodeFailure(failure, requestId);
  return new Response(body, { status, headers: { ...own, ...headers } });
}
