import { describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { ERROR_CODES, type ErrorCode } from '../../../domain/failure/error-codes.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { anthropicMessages } from './index.ts';
import { parse } from './testing/samples.ts';

describe('an error', () => {
  const TYPES: Partial<Record<ErrorCode, string>> = {
    invalid_api_key: 'authentication_error',
    expired_api_key: 'authentication_error',
    insufficient_balance: 'insufficient_balance_error',
    quota_exceeded: 'billing_error',
    access_denied: 'permission_error',
    model_not_allowed: 'permission_error',
    model_not_found: 'not_found_error',
    payload_too_large: 'invalid_request_error',
    rate_limit_exceeded: 'rate_limit_error',
    upstream_error: 'api_error',
    internal_error: 'api_error',
    all_channels_failed: 'overloaded_error',
    timeout_error: 'timeout_error',
    context_length_exceeded: 'invalid_request_error',
  };

  test.each(Object.keys(ERROR_CODES) as ErrorCode[])('%s is in the envelope of this format', (code) => {
    const { status, headers, body } = anthropicMessages.encodeFailure(
      new Failure(code, { message: 'why', param: 'p' }),
    );
    expect(status).toBe(ERROR_CODES[code].status);
    expect(headers['content-type']).toBe('application/json');
    const envelope = JSON.parse(body);
    expect(envelope).toMatchObject({ type: 'error', error: { message: 'why', code, param: 'p' } });
    expect(envelope.error.type).toBe(TYPES[code] ?? envelope.error.type);
    expect(envelope.error.type).toMatch(/_error$|^request_too_large$/);
  });

  test('keeps the fields of the contract beyond the envelope', () => {
    const failure = new Failure('all_channels_failed', {
      message: 'm',
      retryAfterMs: 1_500,
      hint: 'h',
      didYouMean: 'd',
      suggestions: ['s'],
      alternatives: [{ id: 'a', status: 'ready', tags: [] }],
    });
    const { headers, body } = anthropicMessages.encodeFailure(failure);
    expect(headers['retry-after']).toBe('2');
    expect(JSON.parse(body).error).toMatchObject({
      hint: 'h',
      did_you_mean: 'd',
      suggestions: [{ id: 's' }],
      retryable: true,
      retry_after: 2,
      alternatives: [{ id: 'a' }],
    });
  });

  test('has amounts as numbers in USD, and the contract’s type for a low balance', () => {
    const amounts = { balanceNanoUsd: 20_000_000n, estimatedCostNanoUsd: 1n };
    const { status, body } = anthropicMessages.encodeFailure(
      new Failure('insufficient_balance', { message: 'm', ...amounts }),
    );
    expect([status, JSON.parse(body)]).toMatchObject([
      402,
      {
        type: 'error',
        error: { type: 'insufficient_balance_error', balance_usd: 0.02, estimated_cost_usd: 0.000000001 },
      },
    ]);
  });

  test('is raised by the SDK as the right type', async () => {
    const raised = async (code: ErrorCode) => {
      const { status, headers, body } = anthropicMessages.encodeFailure(new Failure(code, { message: 'why' }));
      const client = new Anthropic({
        apiKey: 'k',
        maxRetries: 0,
        fetch: async () => new Response(body, { status, headers }),
      });
      const { body: params } = parse({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] });
      return client.messages.create(params as never).catch((error: unknown) => error);
    };
    expect(await raised('invalid_value')).toBeInstanceOf(Anthropic.BadRequestError);
    expect(await raised('invalid_api_key')).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(await raised('model_not_allowed')).toBeInstanceOf(Anthropic.PermissionDeniedError);
    expect(await raised('model_not_found')).toBeInstanceOf(Anthropic.NotFoundError);
    expect(await raised('rate_limit_exceeded')).toBeInstanceOf(Anthropic.RateLimitError);
    expect(await raised('all_channels_failed')).toBeInstanceOf(Anthropic.InternalServerError);
    expect(((await raised('model_not_found')) as { type: string }).type).toBe('not_found_error');
  });
});
