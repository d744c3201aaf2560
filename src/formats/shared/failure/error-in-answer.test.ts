import { describe, expect, test } from 'bun:test';
import { failureInAnswer } from './error-in-answer.ts';

describe('an error under a 200', () => {
  test.each([
    [{ message: 'x', type: 'invalid_request_error', code: 'tool_use_failed' }, 'invalid_request', 'tool_use_failed'],
    [{ message: 'x', code: 'json_validate_failed' }, 'invalid_request', 'json_validate_failed'],
    [{ message: 'x', code: 'content_filter' }, 'invalid_request', 'content_filter'],
    [{ message: 'x', code: 'invalid_prompt' }, 'invalid_request', 'invalid_prompt'],
    [{ message: 'x', type: 'BadRequestError', code: 400 }, 'invalid_request', undefined],
    [{ message: 'x', code: 'context_length_exceeded' }, 'context_length_exceeded', undefined],
    [{ message: "This model's maximum context length is 8 tokens" }, 'context_length_exceeded', undefined],
    [{ message: 'x', code: 429 }, 'rate_limit_exceeded', undefined],
    [{ message: 'x', code: 'rate_limit_exceeded' }, 'rate_limit_exceeded', undefined],
    [{ message: 'x', code: 504 }, 'timeout_error', undefined],
    [{ message: 'x', code: 402 }, 'upstream_error', undefined],
    [{ message: 'x', code: 'invalid_api_key' }, 'upstream_error', undefined],
    [{ message: 'x', code: 502 }, 'upstream_error', undefined],
    [{ message: 'x', code: 'server_error' }, 'upstream_error', undefined],
    [{ message: 'x' }, 'upstream_error', undefined],
    ['x', 'upstream_error', undefined],
  ])('%j is %s', (error, code, publicCode) => {
    const failure = failureInAnswer(error);
    expect(failure).toMatchObject({ code, side: code === 'invalid_request' ? 'client' : expect.any(String) });
    expect(failure?.details.publicCode).toBe(publicCode as never);
  });

  test('without content is no error', () => {
    for (const nothing of [
      null,
      undefined,
      '',
      ' ',
      {},
      { code: 0, message: '', type: '', param: null, metadata: {} },
      7,
      [],
    ]) {
      expect(failureInAnswer(nothing)).toBeNull();
    }
  });

  test('is reported without secrets, or as one without a message', () => {
    const said = failureInAnswer('overloaded, key sk-proj-abcdefghijklmnop0123456789');
    expect(said).toMatchObject({ kind: 'error_in_200', code: 'upstream_error' });
    expect(said?.message).not.toContain('abcdefghijklmnop');
    expect(failureInAnswer('<br>')?.message).toBe('The upstream sent an error without a message.');
    expect(failureInAnswer({ code: 502, message: '' })?.message).toBe('The upstream sent an error without a message.');
  });

  test('names the provider behind it, with bounded details', () => {
    const raw = JSON.stringify({ error: { message: 'too many tools' } });
    const failure = failureInAnswer({
      code: 400,
      message: 'Provider returned error',
      metadata: { provider_name: 'X', raw },
    });
    expect(failure?.message).toBe('Provider returned error: too many tools');
    expect(failure?.details.upstreamDetails).toEqual({ metadata: { provider_name: 'X', raw } });
    const long = failureInAnswer({ code: 'tool_use_failed', message: 'x', failed_generation: 'y'.repeat(100_000) });
    expect(JSON.stringify(long?.details.upstreamDetails).length).toBeLessThan(10_000);
  });
});
