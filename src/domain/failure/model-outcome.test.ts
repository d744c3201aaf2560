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

describe('what a request says of its model', () => {
  test('an answer without an error is a success', () => {
    expect(modelOutcome(ANSWERED)).toBe('succeeded');
  });

  test('only failures of the upstream and the gateway count, among all codes that there are', () => {
    const counting = Object.entries(ERROR_CODES).filter(
      ([errorCode, { status }]) => modelOutcome({ ...ANSWERED, errorCode, status }) === 'failed',
    );
    expect(counting.map(([code]) => code)).toEqual(AGAINST_THE_MODEL);
  });

  test('no code makes a success', () => {
    const succeeding = Object.keys(ERROR_CODES).filter(
      (errorCode) => modelOutcome({ ...ANSWERED, errorCode }) === 'succeeded',
    );
    expect(succeeding).toEqual([]);
  });

  test('a stream that failed after its 200 is a failure', () => {
    expect(modelOutcome({ ...ANSWERED, errorCode: 'upstream_error' })).toBe('failed');
  });

  test("a rate limit that no channel gave is the client's own", () => {
    expect(modelOutcome({ ...ANSWERED, status: 429, errorCode: 'rate_limit_exceeded', channelId: null })).toBeNull();
  });

  test('that no channel could be asked is a failure', () => {
    expect(modelOutcome({ ...ANSWERED, status: 503, errorCode: 'all_channels_failed', channelId: null })).toBe(
      'failed',
    );
  });

  test('a client that left says nothing, whatever else went wrong', () => {
    expect(modelOutcome({ ...ANSWERED, clientGone: true })).toBeNull();
    expect(modelOutcome({ ...ANSWERED, clientGone: true, errorCode: 'upstream_error' })).toBeNull();
  });

  test("an account's own channel says nothing, well or ill", () => {
    expect(modelOutcome({ ...ANSWERED, isPrivate: true })).toBeNull();
    expect(modelOutcome({ ...ANSWERED, isPrivate: true, errorCode: 'upstream_error' })).toBeNull();
  });

  test('that no channel could be asked says nothing where no shared one might have been', () => {
    const unasked = { ...ANSWERED, status: 503, errorCode: 'all_channels_failed', channelId: null };
    expect(modelOutcome({ ...unasked, isPrivate: true })).toBeNull();
    expect(modelOutcome({ ...unasked, isPrivate: false })).toBe('failed');
  });

  test('a code that a later build has written says nothing', () => {
    expect(modelOutcome({ ...ANSWERED, errorCode: 'from_the_future' })).toBeNull();
  });
});
