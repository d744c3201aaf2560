import { describe, expect, test } from 'bun:test';
import { ERROR_CODES, type ErrorCode } from '../src/domain/failure/error-codes.ts';
import { Failure, type FailureDetails } from '../src/domain/failure/failure.ts';
import { clientFormats } from '../src/formats/index.ts';
import { anthropicMessages } from '../src/formats/text/anthropic-messages/index.ts';
import type { ClientFormat } from '../src/formats/text/format.ts';
import { openaiChat } from '../src/formats/text/openai-chat/index.ts';
import { openaiResponses } from '../src/formats/text/openai-responses/index.ts';
import { sectionOfContract } from './models/contract.ts';

/* The contract's section "Errors", row by row, against the output of the formats' encoders. */

const OPENAI_COMPATIBLE = [openaiChat, openaiResponses];

/** The table "Types and codes". Where a cell is empty or in brackets, the contract leaves the value to the gateway. */
const TYPES_AND_CODES: readonly (readonly [status: string, type: string, code: string, condition: string])[] = [
  ['401', 'invalid_api_key', 'invalid_api_key', 'missing or invalid key'],
  ['401', 'expired_api_key', 'expired_api_key', 'key revoked'],
  ['402', 'insufficient_balance', 'insufficient_balance', 'balance too low (OpenAI-compatible endpoints)'],
  ['402', 'insufficient_balance_error', 'insufficient_balance', 'balance too low (Anthropic-compatible endpoints)'],
  ['402', 'quota_exceeded', 'quota_exceeded', 'key usage limit reached'],
  ['403', 'access_denied', 'access_denied', 'resource access denied'],
  ['403', 'access_denied', 'model_not_allowed', 'model not allowed for this key'],
  ['400', 'invalid_request_error', '(varies)', 'invalid request parameters'],
  ['400', 'context_length_exceeded', '(not given)', 'input too long for the model'],
  [
    '400 / 404',
    'invalid_request_error',
    'model_not_found',
    'model unavailable through the public contract; param is model; may carry did_you_mean, suggestions, hint',
  ],
  ['404', '(not given)', 'async_task_not_found', 'task unknown or no longer available'],
  ['413', 'invalid_request_error', 'payload_too_large', 'input or file over the limit'],
  ['429', 'rate_limit_exceeded', 'rate_limit_exceeded', 'role rate limit exceeded'],
  ['502/503/504', 'upstream_error', '', 'provider returned an error'],
  ['502/503/504', '(not given)', 'all_channels_failed', 'no provider available'],
  ['502/503/504', 'timeout_error', '', 'request timed out'],
];

/** The gateway's codes for rows without one, by condition. */
const OPEN_CODES: Readonly<Record<string, readonly ErrorCode[]>> = {
  'invalid request parameters': [
    'invalid_json',
    'empty_body',
    'unsupported_content_type',
    'missing_required_parameter',
    'invalid_type',
    'invalid_value',
    'invalid_request',
    'unsupported_parameter',
  ],
  'input too long for the model': ['context_length_exceeded'],
  'provider returned an error': ['upstream_error'],
  'request timed out': ['timeout_error'],
};

/** The gateway's types for codes to which the contract gives none. */
const OPEN_TYPES: Readonly<Record<string, string>> = {
  async_task_not_found: 'invalid_request_error',
  all_channels_failed: 'upstream_error',
};

/** The table "HTTP statuses", with one code for each status. */
const STATUSES: readonly (readonly [status: string, meaning: string, code: ErrorCode])[] = [
  ['400', 'invalid parameters', 'invalid_value'],
  ['401', 'invalid or missing key', 'invalid_api_key'],
  ['402', 'insufficient balance or key limit', 'quota_exceeded'],
  ['403', 'access denied or model not allowed', 'model_not_allowed'],
  ['404', 'model or resource not found', 'model_not_found'],
  ['413', 'input or file too large', 'payload_too_large'],
  ['429', 'rate limit exceeded', 'rate_limit_exceeded'],
  ['500', 'internal error', 'internal_error'],
  ['502', 'upstream provider error', 'upstream_error'],
  ['503', 'service temporarily unavailable', 'all_channels_failed'],
  ['504', 'gateway timeout', 'timeout_error'],
];

type Check = (value: unknown) => void;
const isText: Check = (value) => expect(value).toBeString();
const isNumber: Check = (value) => expect(value).toBeNumber();

/** The table "Envelope": the check of each field, in an error that has all of them. */
const ENVELOPE: readonly (readonly [field: string, type: string, presence: string, check: Check])[] = [
  ['message', 'string', 'always', isText],
  ['type', 'string', 'always', isText],
  ['code', 'string', 'always', isText],
  ['param', 'string', 'always in the documented envelope; names the offending parameter', isText],
  ['did_you_mean', 'string', 'optional hint (for example a suggested model)', isText],
  ['suggestions', 'array of {id}', 'optional', (value) => expect(value).toEqual([{ id: 'gpt-4o' }])],
  ['hint', 'string', 'optional next-step guidance', isText],
  ['retryable', 'boolean', 'optional', (value) => expect(value).toBe(true)],
  ['retry_after', 'integer seconds', 'optional', (value) => expect(value).toBe(3)],
  ['balance_usd, estimated_cost_usd', 'numbers', 'optional hint fields', isNumber],
  [
    'alternatives',
    'array of {id, status, tags}',
    'on all_channels_failed',
    (value) => expect(value).toEqual([{ id: 'gpt-4o', status: 'available', tags: ['chat'] }]),
  ],
];

const EVERYTHING: FailureDetails = {
  message: 'No.',
  param: 'model',
  didYouMean: 'gpt-4o',
  suggestions: ['gpt-4o'],
  hint: 'Wait.',
  retryAfterMs: 2_001,
  balanceNanoUsd: 1_000_000n,
  estimatedCostNanoUsd: 2_000_000n,
  alternatives: [{ id: 'gpt-4o', status: 'available', tags: ['chat'] }],
};

function answerOf(format: ClientFormat, failure: Failure) {
  const { status, headers, body } = format.encodeFailure(failure);
  return { status, headers, error: JSON.parse(body).error as Readonly<Record<string, unknown>> };
}

describe('Types and codes', () => {
  for (const [statuses, type, code, condition] of TYPES_AND_CODES) {
    const isAnthropic = condition.includes('(Anthropic-compatible endpoints)');
    const formats = isAnthropic ? [anthropicMessages] : OPENAI_COMPATIBLE;
    const given = statuses.split('/').map((status) => Number(status.trim()));
    test(`${statuses} ${type} ${code}: ${condition.split(';')[0]}`, () => {
      for (const one of code in ERROR_CODES ? [code as ErrorCode] : (OPEN_CODES[condition] ?? [])) {
        const wanted = type.startsWith('(') ? OPEN_TYPES[one] : type;
        for (const format of formats) {
          const { status, error } = answerOf(format, new Failure(one, { message: 'No.', param: 'model' }));
          expect(given).toContain(status);
          expect(error).toMatchObject({ message: 'No.', type: wanted, code: one, param: 'model' });
        }
      }
      expect(code in ERROR_CODES || condition in OPEN_CODES).toBe(true);
    });
  }

  test('model_not_found has two statuses, one type and all its hints', () => {
    for (const status of [400, 404]) {
      for (const format of OPENAI_COMPATIBLE) {
        const details = { message: 'No.', param: 'model', didYouMean: 'b', suggestions: ['b', 'c'], hint: 'Take b.' };
        const answer = answerOf(format, new Failure('model_not_found', { ...details, status }));
        expect(answer.status).toBe(status);
        expect(answer.error).toEqual({
          message: 'No.',
          type: 'invalid_request_error',
          code: 'model_not_found',
          param: 'model',
          did_you_mean: 'b',
          suggestions: [{ id: 'b' }, { id: 'c' }],
          hint: 'Take b.',
        });
      }
    }
  });

  test('every code has a type and a status that the contract or this list names', () => {
    // Codes that HTTP itself requires or that no client sees.
    const ours: readonly ErrorCode[] = [
      ...([
        'response_not_found',
        'object_not_found',
        'cache_entry_not_found',
        'unknown_url',
        'method_not_allowed',
        'request_timeout',
        'client_closed_request',
      ] as const),
      // Codes of the management API, for whose objects the contract names none.
      ...(['not_found', 'already_exists', 'conflict', 'precondition_failed'] as const),
      ...([
        'internal_error',
        'limits_unavailable',
        'guard_unavailable',
        'storage_unavailable',
        'shutting_down',
      ] as const),
    ];
    const named = TYPES_AND_CODES.flatMap(([, , code, condition]) => [code, ...(OPEN_CODES[condition] ?? [])]);
    expect(
      Object.keys(ERROR_CODES)
        .filter((code) => !named.includes(code))
        .sort(),
    ).toEqual([...ours].sort());
  });
});

describe('HTTP statuses', () => {
  for (const [status, meaning, code] of STATUSES) {
    test(`${status}: ${meaning}`, () => {
      for (const format of clientFormats.values()) {
        expect(answerOf(format, new Failure(code, { message: 'No.' })).status).toBe(Number(status));
      }
    });
  }
});

describe('Envelope (OpenAI-compatible endpoints)', () => {
  for (const [fields, type, presence, check] of ENVELOPE) {
    test(`${fields}, ${type}`, () => {
      for (const format of OPENAI_COMPATIBLE) {
        const { error } = answerOf(format, new Failure('all_channels_failed', EVERYTHING));
        for (const field of fields.split(', ')) check(error[field]);
        const bare = answerOf(format, new Failure('invalid_json', { message: 'No.' })).error;
        for (const field of fields.split(', ')) expect(field in bare).toBe(presence.startsWith('always'));
      }
    });
  }
});

describe('Rules', () => {
  for (const code of ['rate_limit_exceeded', 'all_channels_failed'] as const) {
    test(`${code} is retryable, and Retry-After equals retry_after`, () => {
      for (const format of clientFormats.values()) {
        const failure = new Failure(code, { ...EVERYTHING, retryAfterMs: 41_001 });
        const { headers, error } = answerOf(format, failure);
        expect(headers['retry-after']).toBe('42');
        const said = JSON.stringify(error);
        expect(said).toMatch(/"retryable":"?true/);
        expect(said).toMatch(/"retry_after":"?42/);
        expect(said).toContain('"hint":"Wait."');
      }
    });
  }
});

// ---- the rows above are those of the contract

/** Returns the rows of the table below a heading, without backticks. */
function rowsBelow(heading: string): string[][] {
  const lines = sectionOfContract(`### ${heading}`)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .replaceAll('`', '')
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('the rows in this file are those of the contract', () => {
  test('Types and codes', () => {
    expect(rowsBelow('Types and codes')).toEqual(TYPES_AND_CODES.map((row) => [...row]));
  });
  test('HTTP statuses', () => {
    expect(rowsBelow('HTTP statuses')).toEqual(STATUSES.map(([status, meaning]) => [status, meaning]));
  });
  test('Envelope (OpenAI-compatible endpoints)', () => {
    expect(rowsBelow('Envelope (OpenAI-compatible endpoints)')).toEqual(
      ENVELOPE.map(([field, type, presence]) => [field, type, presence]),
    );
  });
});
