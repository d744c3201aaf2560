import { describe, expect, test } from 'bun:test';
import { ERROR_CODES, type ErrorCode } from '../../../domain/failure/error-codes.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { decodeFailure, encodeFailure, encodeStreamFailure } from './failure.ts';
import { parsed, utf8 } from './testing/support.ts';

// The catalog's keys are its codes.
const codes = Object.keys(ERROR_CODES) as ErrorCode[];

describe('a failure for a client', () => {
  test.each(codes)('%s is a google.rpc.Status with its code in the details', (code) => {
    const { status, body } = encodeFailure(new Failure(code, { message: 'What is wrong.' }));
    const { error } = JSON.parse(body);
    expect(status).toBe(ERROR_CODES[code].status);
    expect(error.code).toBe(status);
    expect(error.message).toBe('What is wrong.');
    expect(error.status).toMatch(/^[A-Z_]+$/);
    expect(error.details[0]).toMatchObject({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      domain: 'switchyard',
      metadata: { code, type: ERROR_CODES[code].type },
    });
  });

  test.each([
    ['invalid_api_key', 'UNAUTHENTICATED'],
    ['model_not_allowed', 'PERMISSION_DENIED'],
    ['model_not_found', 'NOT_FOUND'],
    ['rate_limit_exceeded', 'RESOURCE_EXHAUSTED'],
    ['internal_error', 'INTERNAL'],
    ['all_channels_failed', 'UNAVAILABLE'],
    ['timeout_error', 'DEADLINE_EXCEEDED'],
  ] as const)('%s is %s', (code, status) => {
    expect(JSON.parse(encodeFailure(new Failure(code, { message: 'm' })).body).error.status).toBe(status);
  });

  test('has a status name for 402', () => {
    const failure = new Failure('rate_limit_exceeded', { message: 'm', status: 402 });
    expect(JSON.parse(encodeFailure(failure).body).error).toMatchObject({ code: 402, status: 'FAILED_PRECONDITION' });
  });

  test('has every further field of the contract in the details', () => {
    const failure = new Failure('all_channels_failed', {
      message: 'm',
      param: 'contents[0].parts[1]',
      didYouMean: 'gemini-2.5-pro',
      suggestions: ['a', 'b'],
      hint: 'Try another model',
      retryAfterMs: 4_200,
      alternatives: [{ id: 'x', status: 'ready', tags: [] }],
    });
    const { headers, body } = encodeFailure(failure);
    const { details } = JSON.parse(body).error;
    expect(headers['retry-after']).toBe('5');
    expect(details[0].metadata).toEqual({
      type: 'upstream_error',
      code: 'all_channels_failed',
      param: 'contents[0].parts[1]',
      did_you_mean: 'gemini-2.5-pro',
      suggestions: '[{"id":"a"},{"id":"b"}]',
      hint: 'Try another model',
      retryable: 'true',
      retry_after: '5',
      alternatives: '[{"id":"x","status":"ready","tags":[]}]',
    });
    expect(details[1].fieldViolations).toEqual([{ field: 'contents[0].parts[1]', description: 'm' }]);
    expect(details[2]).toEqual({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '5s' });
  });

  test('has amounts as exact decimals in USD, as strings', () => {
    const amounts = { balanceNanoUsd: -1_500_000_000n, estimatedCostNanoUsd: 1n };
    const { status, body } = encodeFailure(new Failure('insufficient_balance', { message: 'm', ...amounts }));
    expect(status).toBe(402);
    expect(JSON.parse(body).error).toMatchObject({
      code: 402,
      status: 'FAILED_PRECONDITION',
      details: [{ metadata: { code: 'insufficient_balance', balance_usd: '-1.5', estimated_cost_usd: '0.000000001' } }],
    });
  });

  test('keeps an array stream valid JSON', () => {
    const contents = [{ parts: [{ text: 'Hi' }] }];
    const failure = new Failure('upstream_error', { message: 'm' });
    const frame = encodeStreamFailure(failure, parsed({ contents }, { framing: 'json-array' }));
    expect(JSON.parse(`[{"candidates":[]}${frame}`)[1].error.code).toBe(502);
    expect(encodeStreamFailure(failure, parsed({ contents }))).toStartWith('data: {"error":{"code":502');
  });
});

describe('a failure from an upstream', () => {
  test('has its retry delay from RetryInfo', () => {
    const body = {
      error: {
        code: 429,
        message: 'You exceeded your current quota, please check your plan.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }],
      },
    };
    const failure = decodeFailure(429, new Headers(), utf8(JSON.stringify(body)));
    expect(failure).toMatchObject({ code: 'rate_limit_exceeded', details: { retryAfterMs: 34_400 } });
  });

  test('has its invalid field from BadRequest, also inside an array', () => {
    const error = {
      code: 400,
      message: 'Invalid value',
      status: 'INVALID_ARGUMENT',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'contents[0].role' }] },
      ],
    };
    const failure = decodeFailure(400, new Headers(), utf8(JSON.stringify([{ error }])));
    expect(failure).toMatchObject({ code: 'invalid_request', details: { param: 'contents[0].role' } });
  });

  test('for a refused key is a channel fault that another channel may not have', () => {
    const error = { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' };
    expect(decodeFailure(400, new Headers(), utf8(JSON.stringify({ error })))).toMatchObject({
      code: 'upstream_error',
      kind: 'upstream_auth',
    });
  });
});
