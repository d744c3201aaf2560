import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { errorMembers, isRetryable, renderFailure } from './failure-envelope.ts';

describe('the members of an error', () => {
  test('what says nothing is left out of the JSON text; param is there as null', () => {
    const text = JSON.stringify(errorMembers(new Failure('invalid_json', { message: 'no JSON' })));
    expect(JSON.parse(text)).toEqual({
      message: 'no JSON',
      type: 'invalid_request_error',
      code: 'invalid_json',
      param: null,
    });
  });

  test('an upstream’s own code stands in the place of the gateway’s, and a format’s own type in that of the contract’s', () => {
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

  test('amounts are numbers in the JSON text, with every digit', () => {
    const text = (balanceNanoUsd: bigint) =>
      JSON.stringify(errorMembers(new Failure('insufficient_balance', { message: '', balanceNanoUsd })));
    expect(text(1n)).toContain('"balance_usd":0.000000001}');
    expect(text(-999_999_999_999_999_999n)).toContain('"balance_usd":-999999999.999999999}');
    expect(text(0n)).toContain('"balance_usd":0}');
  });

  test('suggestions are objects with an id', () => {
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
])('whether a client may try again: %#', (failure, isExpected) => {
  expect(isRetryable(failure)).toBe(isExpected);
});

test('a wait stands in the header too, in whole seconds', () => {
  const failure = new Failure('rate_limit_exceeded', { message: 'wait', retryAfterMs: 1_200 });
  expect(renderFailure(failure, '{}')).toEqual({
    status: 429,
    headers: { 'content-type': 'application/json', 'retry-after': '2' },
    body: '{}',
  });
});
