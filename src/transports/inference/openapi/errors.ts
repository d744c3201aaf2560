import type { DescribedError } from '../../shared/openapi/described-endpoint.ts';

/* What endpoints may fail with, by what they do. */

/** Any that needs a key. */
export const KEYED: readonly DescribedError[] = [
  'invalid_api_key',
  'expired_api_key',
  'rate_limit_exceeded',
  'internal_error',
  'limits_unavailable',
  'storage_unavailable',
  { code: 'invalid_value', status: 400 },
];

/** That takes a body. */
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

/** That asks a model. */
export const CALL: readonly DescribedError[] = [
  ...KEYED_BODY,
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

/** That asks a model, and may name what its provider keeps: a file, a container, a clip. */
export const NAMING_CALL: readonly DescribedError[] = [...CALL, 'object_not_found'];

/** That asks a model to read. */
export const READING_CALL: readonly DescribedError[] = [...CALL, 'context_length_exceeded'];

/** That asks a model for a text. */
export const TEXT_CALL: readonly DescribedError[] = [...NAMING_CALL, 'context_length_exceeded'];

/** That asks for models. */
export const LISTING: readonly DescribedError[] = [...KEYED, 'model_not_found', 'model_not_allowed'];

/** That passes a request on to what a provider keeps. */
export const RELAYED: readonly DescribedError[] = [
  ...KEYED_BODY,
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
