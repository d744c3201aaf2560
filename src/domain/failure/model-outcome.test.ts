import { describe, expect, test } from 'bun:test';
import { ERROR_CODES } from './error-codes.ts';
import { modelOutcome, type OutcomeFacts } from './model-outcome.ts';

const ANSWERED: OutcomeFacts = {
  status: 200,
  errorCode: null,
  clientGone: false,
  channelId: 'openai-main',
};

const AGAINST_THE_MODEL = [
  'rate_limit_exceeded',
  'internal_error',
  'upstream_error',
  'all_channels_failed',
  'timeout_error',
];

describe('the outcome of a request for its model', () => {
  test('is a success for a response without an error', () => {
    expect(modelOutcome(ANSWERED)).toBe('succeeded');
  });

  test('is a failure only for errors of the upstream and the gateway', () => {
    const counting = Object.entries(ERROR_CODES).filter(
      ([errorCode, { status }]) => modelOutcome({ ...ANSWERED, errorCode, status }) === 'failed',
    );
    expect(counting.map(([code]) => code)).toEqual(AGAINST_THE_MODEL);
  });

  test('is never a success for an error code', () => {
    const succeeding = Object.keys(ERROR_CODES).filter(
      (errorCode) => modelOutcome({ ...ANSWERED, errorCode }) === 'succeeded',
    );
    expect(succeeding).toEqual([]);
  });

  test('is a failure for a stream that failed after its 200', () => {
    expect(modelOutcome({ ...ANSWERED, errorCode: 'upstream_error' })).toBe('failed');
  });

  test('is null for a rate limit that no channel sent', () => {
    expect(modelOutcome({ ...ANSWERED, status: 429, errorCode: 'rate_limit_exceeded', channelId: null })).toBeNull();
  });

  test('is a failure if no channel could be reached', () => {
    expect(modelOutcome({ ...ANSWERED, status: 503, errorCode: 'all_channels_failed', channelId: null })).toBe(
      'failed',
    );
  });

  test('is null if the client disconnected, whatever else went wrong', () => {
    expect(modelOutcome({ ...ANSWERED, clientGone: true })).toBeNull();
    expect(modelOutcome({ ...ANSWERED, clientGone: true, errorCode: 'upstream_error' })).toBeNull();
  });

  test("is null for an account's own channel", () => {
    expect(modelOutcome({ ...ANSWERED, isPrivate: true })).toBeNull();
    expect(modelOutcome({ ...ANSWERED, isPrivate: true, errorCode: 'upstream_error' })).toBeNull();
  });

  test('is null if no channel could be reached and no shared one was possible', () => {
    const unasked = { ...ANSWERED, status: 503, errorCode: 'all_channels_failed', channelId: null };
    expect(modelOutcome({ ...unasked, isPrivate: true })).toBeNull();
    expect(modelOutcome({ ...unasked, isPrivate: false })).toBe('failed');
  });

  test('is null for an unknown code of a later build', () => {
    expect(modelOutcome({ ...ANSWERED, errorCode: 'from_the_future' })).toBeNull();
  });
});
