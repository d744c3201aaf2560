/** Whose fault a failure is. */
export type FailureSide = 'client' | 'gateway' | 'upstream';

/** What the attempt loop may do about it (design, section 4). */
export type RetryVerdict = 'same-target' | 'other-target' | 'never';

interface CodeRule {
  readonly status: number;
  readonly type: string;
  readonly side: FailureSide;
  readonly retry: RetryVerdict;
}

/**
 * The one list of error codes. Statuses and types are the contract's table "Types and codes"; where the contract is
 * silent the status follows design section 4, or HTTP itself (405, RFC 9110).
 */
export const ERROR_CODES = {
  invalid_api_key: { status: 401, type: 'invalid_api_key', side: 'client', retry: 'never' },
  expired_api_key: { status: 401, type: 'expired_api_key', side: 'client', retry: 'never' },
  insufficient_balance: { status: 402, type: 'insufficient_balance', side: 'client', retry: 'never' },
  quota_exceeded: { status: 402, type: 'quota_exceeded', side: 'client', retry: 'never' },
  model_not_allowed: { status: 403, type: 'access_denied', side: 'client', retry: 'never' },
  access_denied: { status: 403, type: 'access_denied', side: 'client', retry: 'never' },
  model_not_found: { status: 404, type: 'invalid_request_error', side: 'client', retry: 'never' },
  response_not_found: { status: 404, type: 'invalid_request_error', side: 'client', retry: 'never' },
  unknown_url: { status: 404, type: 'invalid_request_error', side: 'client', retry: 'never' },
  method_not_allowed: { status: 405, type: 'invalid_request_error', side: 'client', retry: 'never' },
  invalid_json: { status: 400, type: 'invalid_request_error', side: 'client', retry: 'never' },
  empty_body: { status: 400, type: 'invalid_request_error', side: 'client', retry: 'never' },
  unsupported_content_type: { status: 400, type: 'invalid_request_error', side: 'client', retry: 'never' },
  missing_required_parameter: { status: 400, type: 'invalid_request_error', side: 'client', retry: 'never' },
  invalid_type: { status: 400, type: 'invalid_request_error', side: 'client', retry: 'never' },
  invalid_value: { status: 400, type: 'invalid_request_error', side: 'client', retry: 'never' },
  invalid_request: { status: 400, type: 'invalid_request_error', side: 'client', retry: 'never' },
  // The next target's format may carry what this one's cannot.
  unsupported_parameter: { status: 400, type: 'invalid_request_error', side: 'client', retry: 'other-target' },
  context_length_exceeded: { status: 400, type: 'context_length_exceeded', side: 'client', retry: 'never' },
  payload_too_large: { status: 413, type: 'invalid_request_error', side: 'client', retry: 'never' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_exceeded', side: 'upstream', retry: 'other-target' },
  internal_error: { status: 500, type: 'internal_error', side: 'gateway', retry: 'never' },
  upstream_error: { status: 502, type: 'upstream_error', side: 'upstream', retry: 'other-target' },
  all_channels_failed: { status: 503, type: 'upstream_error', side: 'gateway', retry: 'never' },
  limits_unavailable: { status: 503, type: 'internal_error', side: 'gateway', retry: 'never' },
  shutting_down: { status: 503, type: 'internal_error', side: 'gateway', retry: 'never' },
  timeout_error: { status: 504, type: 'timeout_error', side: 'upstream', retry: 'other-target' },
  client_closed_request: { status: 499, type: 'client_closed_request', side: 'client', retry: 'never' },
} as const satisfies Record<string, CodeRule>;

export type ErrorCode = keyof typeof ERROR_CODES;
