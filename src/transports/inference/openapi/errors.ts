import type { DescribedError } from '../../shared/openapi/described-endpoint.ts';

/* The errors of endpoints, by what the endpoints do. */

/** Errors of every endpoint that needs a key. */
export const KEYED: readonly DescribedError[] = [
  'invalid_api_key',
  'expired_api_key',
  'rate_limit_exceeded',
  'internal_error',
  'limits_unavailable',
  'storage_unavailable',
  { code: 'invalid_value', status: 400 },
];

/** Errors of endpoints whose content guards check. */
const GUARDED: readonly DescribedError[] = [
  { code: 'invalid_request', status: 400, publicCode: 'content_policy_violation' },
  'guard_unavailable',
];

/** Errors of endpoints that take a body. */
const BODY: readonly DescribedError[] = [
  'invalid_json',
  'empty_body',
  'unsupported_content_type',
  'missing_required_parameter',
  'invalid_type',
  'payload_too_large',
  'request_timeout',
];

export const KEYED_BODY: readonly DescribedError[] = [...KEYED, ...BODY];

/** Errors of endpoints that ask a model. */
export const CALL: readonly DescribedError[] = [
  ...KEYED_BODY,
  ...GUARDED,
  'insufficient_balance',
  'quota_exceeded',
  'model_not_allowed',
  'model_not_found',
  { code: 'invalid_request', status: 400 },
  'unsupported_parameter',
  'upstream_error',
  'all_channels_failed',
  'shutting_down',
  'timeout_error',
];

/** Errors of model calls that may name an object stored by the provider: a file, a container, a clip. */
export const NAMING_CALL: readonly DescribedError[] = [...CALL, 'object_not_found'];

/** Errors of model calls that take a context. */
export const READING_CALL: readonly DescribedError[] = [...CALL, 'context_length_exceeded'];

/** Errors of model calls that generate text. */
export const TEXT_CALL: readonly DescribedError[] = [...NAMING_CALL, 'context_length_exceeded'];

/** Errors of endpoints that list models. */
export const LISTING: readonly DescribedError[] = [...KEYED, 'model_not_found', 'model_not_allowed'];

/** Errors of endpoints that pass a request on to objects stored by a provider. */
export const RELAYED: readonly DescribedError[] = [
  ...KEYED_BODY,
  ...GUARDED,
  'access_denied',
  'model_not_allowed',
  'model_not_found',
  'object_not_found',
  'invalid_request',
  'insufficient_balance',
  'quota_exceeded',
  'upstream_error',
  'all_channels_failed',
  'shutting_down',
  'timeout_error',
];
