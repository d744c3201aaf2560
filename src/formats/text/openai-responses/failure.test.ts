import { expect, test } from 'bun:test';
import { ERROR_CODES, type ErrorCode } from '../../../domain/failure/error-codes.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { openaiResponses } from './index.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

test('every error code has its status and the envelope of the contract', () => {
  for (const code of CODES) {
    const { status, headers, body } = openaiResponses.encodeFailure(new Failure(code, { message: 'No.' }));
    expect(status).toBe(ERROR_CODES[code].status);
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body).error).toMatchObject({ message: 'No.', type: ERROR_CODES[code].type, code, param: null });
  }
});

test("the contract's hints are kept, and the retry delay is stated twice", () => {
  const failure = new Failure('rate_limit_exceeded', {
    ...{
      message: 'Slow down.',
      param: 'model',
      retryAfterMs: 1_200,
      hint: 'Wait',
      didYouMean: 'a',
      suggestions: ['b'],
    },
  });
  const { headers, body } = openaiResponses.encodeFailure(failure);
  expect(headers['retry-after']).toBe('2');
  expect(JSON.parse(body).error).toEqual({
    message: 'Slow down.',
    type: 'rate_limit_exceeded',
    code: 'rate_limit_exceeded',
    param: 'model',
    did_you_mean: 'a',
    suggestions: [{ id: 'b' }],
    hint: 'Wait',
    retryable: true,
    retry_after: 2,
  });
});

test('an error event has its members both as documented and as OpenAI sends them', () => {
  const frame = openaiResponses.encodeStreamFailure(new Failure('upstream_error', { message: 'Broke.' }), null);
  expect(frame).toStartWith('event: error\ndata: ');
  const event = JSON.parse(frame.slice('event: error\ndata: '.length));
  expect(event).toMatchObject({
    type: 'error',
    sequence_number: 0,
    code: 'upstream_error',
    message: 'Broke.',
    param: null,
  });
  expect(event.error).toMatchObject({ code: 'upstream_error', message: 'Broke.' });
});
