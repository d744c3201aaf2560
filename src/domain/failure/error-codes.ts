/** The side that is at fault. */
export type FailureSide = 'client' | 'gateway' | 'upstream';

/** The retries that the attempt loop may make after a failure (design, section 4). */
export type RetryVerdict = 'same-target' | 'other-target' | 'never';

/** Members of the contract's envelope that only some failures have; `retryable` follows from the code. */
export type HelpMember =
  | 'did_you_mean'
  | 'suggestions'
  | 'hint'
  | 'retry_after'
  | 'balance_usd'
  | 'estimated_cost_usd'
  | 'resets_at'
  | 'alternatives';

export interface CodeRule {
  readonly status: number;
  /** Other statuses that the same code may have. */
  readonly otherStatuses?: readonly number[];
  /** The `type` at OpenAI-compatible endpoints; the other formats have their own types (docs/errors.md). */
  readonly type: string;
  readonly side: FailureSide;
  /** Other sides that may cause the same code. */
  readonly otherSides?: readonly FailureSide[];
  readonly retry: RetryVerdict;
  /** When the error occurs, in one sentence. */
  readonly condition: string;
  /** The next step for the client, in one sentence. */
  readonly remedy: string;
  /** The members that it may have in addition to those of every error. */
  readonly help?: readonly HelpMember[];
}

/**
 * The list of all error codes, from which docs/errors.md is generated. Statuses and types are from the contract's table "Types
 * and codes"; where the contract is silent, the status follows design section 4, or HTTP itself (405, RFC 9110).
 */
export const ERROR_CODES = {
  invalid_api_key: {
    status: 401,
    type: 'invalid_api_key',
    side: 'client',
    retry: 'never',
    condition: 'No API key was sent, or the key does not exist.',
    remedy: 'Send a key that starts with `sk-`, as `Authorization: Bearer …` or in the header of the client’s format.',
    help: ['hint'],
  },
  expired_api_key: {
    status: 401,
    type: 'expired_api_key',
    side: 'client',
    retry: 'never',
    condition: 'The API key was revoked, was replaced or has expired, or its account is archived.',
    remedy: 'Use another key.',
    help: ['hint'],
  },
  insufficient_balance: {
    status: 402,
    type: 'insufficient_balance',
    side: 'client',
    retry: 'never',
    condition: 'The account’s balance does not cover what the request may cost.',
    remedy: 'Add credit to the account, or send a shorter request with a lower bound on its output.',
    help: ['hint', 'balance_usd', 'estimated_cost_usd'],
  },
  quota_exceeded: {
    status: 402,
    type: 'quota_exceeded',
    side: 'client',
    retry: 'never',
    condition:
      'The remainder of the key’s limit, or of a daily, weekly or monthly budget of the key or its account, does not cover what the request may cost.',
    remedy:
      'Raise the limit or the budget, use another key, lower the bound on the output, or wait until the budget resets at `resets_at`.',
    help: ['hint', 'estimated_cost_usd', 'resets_at', 'retry_after'],
  },
  model_not_allowed: {
    status: 403,
    type: 'access_denied',
    side: 'client',
    retry: 'never',
    condition: 'The model exists, but this key may not use it, or it has no price and the account is prepaid.',
    remedy: 'Use a model of the key’s allow-list, or another key.',
    help: ['hint'],
  },
  access_denied: {
    status: 403,
    type: 'access_denied',
    side: 'client',
    retry: 'never',
    condition: 'The resource exists, but this account may not use it.',
    remedy: 'Use a resource of the account, or a key of the account that owns the resource.',
    help: ['hint'],
  },
  model_not_found: {
    status: 404,
    // A public model at an endpoint that does not serve it (design, section 4).
    otherStatuses: [400],
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'No public model has this id (404), or the endpoint does not support the model (400).',
    remedy: 'Use the id in `did_you_mean`, an id from `GET /v1/models`, or the endpoint that the hint names.',
    help: ['did_you_mean', 'suggestions', 'hint'],
  },
  response_not_found: {
    status: 404,
    // For `previous_response_id` in another request.
    otherStatuses: [400],
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition:
      'The stored response to read (404) or continue (400, with the `code` `previous_response_not_found`) is unknown, deleted or expired.',
    remedy: 'Send the whole conversation as `input`.',
    help: ['hint'],
  },
  object_not_found: {
    status: 404,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition:
      'The request names a file, cache, batch … that does not exist for this account, the account has no channel of its own for such objects, or a link to a file has expired.',
    remedy: 'Send its content instead, or name an object from a response to this account.',
    help: ['hint'],
  },
  not_found: {
    status: 404,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'The management API has no object with this id, or it belongs to another account.',
    remedy: 'Check the id and the account; the message suggests a similar id if there is one.',
    help: ['hint'],
  },
  already_exists: {
    status: 409,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'An object with this id and different content already exists.',
    remedy: 'Change that object, or choose another id.',
  },
  conflict: {
    status: 409,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition:
      'The state of the object does not allow the change: the configuration file declares it, it is revoked, the `Idempotency-Key` was already used, or a task can no longer be cancelled.',
    remedy: 'Follow the message; for example, change the configuration file.',
    help: ['hint', 'retry_after'],
  },
  precondition_failed: {
    status: 412,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'The object has changed since the `ETag` in `If-Match` was read.',
    remedy: 'Read the object again, and repeat the change if it still applies.',
  },
  async_task_not_found: {
    status: 404,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'The task is unknown, has expired, or belongs to another account.',
    remedy: 'Check the id and the key: only the account that created a task can read it.',
    help: ['hint'],
  },
  cache_entry_not_found: {
    status: 404,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'The cache entry is unknown, has expired, or was never returned to this account.',
    remedy: 'If it has expired, nothing; otherwise check the id and the key.',
    help: ['hint'],
  },
  unknown_url: {
    status: 404,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'No endpoint has this path.',
    remedy: 'Check the base URL and the path.',
    help: ['hint'],
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'The path does not support this HTTP method.',
    remedy: 'Use a method from the header `Allow`.',
  },
  invalid_json: {
    status: 400,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'The body is not valid JSON in UTF-8.',
    remedy: 'Correct the body at the place that the message names.',
  },
  empty_body: {
    status: 400,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'The request has no body.',
    remedy: 'Send the request as a JSON object.',
  },
  unsupported_content_type: {
    status: 400,
    // For an unsupported encoding (RFC 9110, section 15.5.16).
    otherStatuses: [415],
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'The endpoint does not accept this content type (400) or content encoding (415).',
    remedy: 'Send the content type or encoding that the message names.',
  },
  missing_required_parameter: {
    status: 400,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'A required field is missing.',
    remedy: 'Add the field that `param` names.',
  },
  invalid_type: {
    status: 400,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'A field has a value of the wrong JSON type.',
    remedy: 'Correct the field that `param` names.',
  },
  invalid_value: {
    status: 400,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'The value of a field is not allowed, or names media that cannot be fetched.',
    remedy: 'Correct the field that `param` names.',
    help: ['did_you_mean', 'hint'],
  },
  invalid_request: {
    status: 400,
    // For an object stored at a provider, with the provider's status.
    otherStatuses: [405, 409, 410, 412, 415, 416],
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'The provider refused the request; `code` is the provider’s own, if it has one.',
    remedy: 'Change the request as the provider’s message says.',
    help: ['hint'],
  },
  unsupported_parameter: {
    status: 400,
    type: 'invalid_request_error',
    side: 'client',
    // The next target's format may carry what this one's cannot.
    retry: 'other-target',
    condition: 'No channel of the model can carry the field, and leaving it out would change the meaning.',
    remedy: 'Leave out the field that `param` names, or use a model that supports it.',
    help: ['did_you_mean', 'hint'],
  },
  context_length_exceeded: {
    status: 400,
    type: 'context_length_exceeded',
    side: 'client',
    retry: 'never',
    condition: 'The input, or the input together with the requested output, is longer than the context of the model.',
    remedy: 'Shorten the conversation, ask for less output, or use a model with a longer context.',
  },
  request_timeout: {
    status: 408,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'The client sent the body too slowly, or for too long.',
    remedy: 'Retry over a better connection, compress the body, or send large media by URL.',
    help: ['hint'],
  },
  payload_too_large: {
    status: 413,
    type: 'invalid_request_error',
    side: 'client',
    retry: 'never',
    condition: 'The body, or a file in it or at one of its URLs, exceeds the limit.',
    remedy: 'Send a smaller file, send large media by URL, or shorten the conversation.',
    help: ['hint'],
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_exceeded',
    side: 'upstream',
    otherSides: ['client', 'gateway'],
    retry: 'other-target',
    condition:
      'The account or key has reached its limit, the provider of the only channel limits it, or the gateway is reading too many files or large bodies.',
    remedy: 'Wait for `retry_after` seconds and send the request again.',
    help: ['hint', 'retry_after'],
  },
  internal_error: {
    status: 500,
    type: 'internal_error',
    side: 'gateway',
    retry: 'never',
    condition: 'An error occurred in the gateway itself.',
    remedy: 'Send the request again later, and give the admin the `x-request-id`.',
  },
  upstream_error: {
    status: 502,
    type: 'upstream_error',
    side: 'upstream',
    retry: 'other-target',
    condition: 'The provider failed, refused the channel, or sent an invalid response.',
    remedy: 'If `retryable` is true, send the request again, after `retry_after` seconds if given.',
    help: ['hint', 'retry_after'],
  },
  all_channels_failed: {
    status: 503,
    type: 'upstream_error',
    side: 'gateway',
    retry: 'never',
    condition: 'No channel of the model could serve the request, or all are cooling down after failures.',
    remedy: 'Wait for `retry_after` seconds and send the request again, or use one of `alternatives`.',
    help: ['hint', 'retry_after', 'alternatives'],
  },
  limits_unavailable: {
    status: 503,
    type: 'internal_error',
    side: 'gateway',
    retry: 'never',
    condition: 'The shared counters cannot be reached, and the gateway is set to refuse requests meanwhile.',
    remedy: 'Wait for `retry_after` seconds and send the request again.',
    help: ['hint', 'retry_after'],
  },
  guard_unavailable: {
    status: 503,
    type: 'internal_error',
    side: 'gateway',
    retry: 'never',
    condition:
      'A moderation model or webhook of a guard could not check the content, and the guard refuses requests then.',
    remedy: 'Send the request again later. An operator finds the reason in the log (docs/guards.md).',
    help: ['hint'],
  },
  storage_unavailable: {
    status: 503,
    type: 'internal_error',
    side: 'gateway',
    retry: 'never',
    condition:
      'The cost of the request, its file or a report cannot be stored, or the API key cannot be looked up, because the disk is full or the database cannot be reached, for example.',
    remedy: 'Wait for `retry_after` seconds and send the request again; tell the admin if that does not help.',
    help: ['hint', 'retry_after'],
  },
  shutting_down: {
    status: 503,
    type: 'internal_error',
    side: 'gateway',
    retry: 'never',
    condition: 'The gateway is shutting down, and the request did not finish within the grace period.',
    remedy: 'Send the request again.',
    help: ['retry_after'],
  },
  timeout_error: {
    status: 504,
    type: 'timeout_error',
    side: 'upstream',
    otherSides: ['client'],
    retry: 'other-target',
    condition:
      'The provider could not be reached, did not start or finish its response, or stalled, within the channel’s timeouts; or the client did not read its stream for minutes.',
    remedy: 'Send the request again, stream it if it takes long, and read the stream as it arrives.',
    help: ['retry_after'],
  },
  client_closed_request: {
    status: 499,
    type: 'client_closed_request',
    side: 'client',
    retry: 'never',
    condition: 'The client closed the connection. This code appears only in the log.',
    remedy: 'Nothing; a client that wants the response must wait longer.',
  },
} as const satisfies Record<string, CodeRule>;

export type ErrorCode = keyof typeof ERROR_CODES;
