import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { errorMembers, isRetryable, renderFailure } from './failure-envelope.ts';

describe('the members of an error', () => {
  test('are omitted if empty, except for a null param', () => {
    const text = JSON.stringify(errorMembers(new Failure('invalid_json', { message: 'no JSON' })));
    expect(JSON.parse(text)).toEqual({
      message: 'no JSON',
      type: 'invalid_request_error',
      code: 'invalid_json',
      param: null,
    });
  });

  test("have the upstream’s code instead of the gateway’s, and the format’s type instead of the contract's", () => {
    const failure = new Failure('invalid_request', {
      message: 'wrong',
      publicCode: 'image_too_small',
      param: 'input[0]',
    });
    expect(errorMembers(failure, 'own_type')).toMatchObject({
      type: 'own_type',
      code: 'image_too_small',
      param: 'input[0]',
    });
  });

  test('have amounts as exact JSON numbers', () => {
    const text = (balanceNanoUsd: bigint) =>
      JSON.stringify(errorMembers(new Failure('insufficient_balance', { message: '', balanceNanoUsd })));
    expect(text(1n)).toContain('"balance_usd":0.000000001}');
    expect(text(-999_999_999_999_999_999n)).toContain('"balance_usd":-999999999.999999999}');
    expect(text(0n)).toContain('"balance_usd":0}');
  });

  test('have suggestions as objects with an id', () => {
    const failure = new Failure('model_not_found', { message: 'none', suggestions: ['a', 'b'], didYouMean: 'a' });
    expect(errorMembers(failure)).toMatchObject({ did_you_mean: 'a', suggestions: [{ id: 'a' }, { id: 'b' }] });
  });
});

test.each([
  [new Failure('upstream_error', { message: 'failed', retry: 'other-target' }), true],
  [new Failure('upstream_error', { message: 'failed', retry: 'never' }), false],
  [new Failure('rate_limit_exceeded', { message: 'wait' }), true],
  [new Failure('timeout_error', { message: 'slow' }), true],
  [new Failure('invalid_value', { message: 'wrong' }), false],
])('retryable is set for what a retry may pass: %#', (failure, isExpected) => {
  expect(isRetryable(failure)).toBe(isExpected);
});

test('a retry delay is in the header too, in whole seconds', () => {
  const failure = new Failure('rate_limit_exceeded', { message: 'wait', retryAfterMs: 1_200 });
  expect(renderFailure(failure, '{}')).toEqual({
    status: 429,
    headers: { 'content-type': 'application/json', 'retry-after': '2' },
    body: '{}',
  });
});
