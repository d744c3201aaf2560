import { describe, expect, test } from 'bun:test';
import { expectLinear } from '../../../../tools/test/linear.ts';
import type { ErrorCode } from '../../../domain/failure/error-codes.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { cleanMessage } from './clean-message.ts';
import { encodeFailure, encodeStreamFailure } from './openai-failure.ts';
import { decodeFailure } from './upstream-failure.ts';

const utf8 = new TextEncoder();

function decode(status: number, body: unknown, headers: Record<string, string> = {}): Failure {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return decodeFailure(status, new Headers(headers), utf8.encode(text));
}

function errorOf(failure: Failure): Record<string, unknown> {
  return JSON.parse(encodeFailure(failure).body).error;
}

describe('encodeFailure', () => {
  test('has at least a message, type, code and null param', () => {
    const rendered = encodeFailure(new Failure('invalid_json', { message: 'No JSON' }));
    expect(rendered.status).toBe(400);
    expect(rendered.headers).toEqual({ 'content-type': 'application/json' });
    expect(JSON.parse(rendered.body)).toEqual({
      error: { message: 'No JSON', type: 'invalid_request_error', code: 'invalid_json', param: null },
    });
  });

  test('has every field of the contract that is set', () => {
    const alternatives = [{ id: 'm', status: 'online', tags: ['fast'] }];
    const failure = new Failure('all_channels_failed', {
      message: 'None left',
      param: 'model',
      publicCode: 'own_code',
      didYouMean: 'gpt-4o',
      suggestions: ['gpt-4o', 'gpt-4.1'],
      hint: 'Wait',
      retryAfterMs: 1_200,
      alternatives,
    });
    expect(errorOf(failure)).toEqual({
      message: 'None left',
      type: 'upstream_error',
      code: 'own_code',
      param: 'model',
      did_you_mean: 'gpt-4o',
      suggestions: [{ id: 'gpt-4o' }, { id: 'gpt-4.1' }],
      hint: 'Wait',
      retryable: true,
      retry_after: 2,
      alternatives,
    });
    expect(encodeFailure(failure).headers['retry-after']).toBe('2');
  });

  test('has the balance and the estimated cost as numbers in USD', () => {
    const failure = new Failure('insufficient_balance', {
      message: 'The balance is too low.',
      balanceNanoUsd: 1n,
      estimatedCostNanoUsd: 1_230_000_000n,
    });
    expect(errorOf(failure)).toMatchObject({
      type: 'insufficient_balance',
      code: 'insufficient_balance',
      balance_usd: 0.000000001,
      estimated_cost_usd: 1.23,
    });
    expect(encodeFailure(failure).status).toBe(402);
    expect(errorOf(new Failure('quota_exceeded', { message: '', balanceNanoUsd: 0n }))).toMatchObject({
      type: 'quota_exceeded',
      code: 'quota_exceeded',
      balance_usd: 0,
    });
  });

  test('is retryable for errors that a retry may pass', () => {
    const retryable: ErrorCode[] = ['rate_limit_exceeded', 'all_channels_failed', 'timeout_error', 'upstream_error'];
    for (const code of retryable) expect(errorOf(new Failure(code, { message: '' })).retryable).toBe(true);
    const final: ErrorCode[] = ['invalid_request', 'invalid_api_key', 'internal_error', 'context_length_exceeded'];
    for (const code of final) expect(errorOf(new Failure(code, { message: '' }))).not.toHaveProperty('retryable');
    expect(errorOf(new Failure('upstream_error', { message: '', retry: 'never' }))).not.toHaveProperty('retryable');
  });

  test('has no suggestions field without suggestions', () => {
    expect(errorOf(new Failure('model_not_found', { message: '', suggestions: [] }))).not.toHaveProperty('suggestions');
  });

  test('is one event of the same envelope in a stream', () => {
    const failure = new Failure('upstream_error', { message: 'Lost\n\nit' });
    expect(encodeStreamFailure(failure)).toBe(`data: ${encodeFailure(failure).body}\n\n`);
    expect(encodeStreamFailure(failure).trimEnd()).not.toContain('\n');
  });
});

describe('decodeFailure finds the message in', () => {
  const shapes: [string, unknown, string][] = [
    ['OpenAI', { error: { message: 'Bad n', code: null, type: 'invalid_request_error', param: null } }, 'Bad n'],
    ['error as a string', { error: 'Bad n' }, 'Bad n'],
    ['error as a string beside a message', { error: 'Bad Request', message: 'Bad n' }, 'Bad n'],
    ['xAI', { code: 'invalid-argument', error: 'Bad n' }, 'Bad n'],
    ['a message only', { message: 'Bad n' }, 'Bad n'],
    ['Mistral', { object: 'error', message: 'Bad n', type: 'invalid_args', param: null, code: '3051' }, 'Bad n'],
    ['a detail', { detail: 'Bad n' }, 'Bad n'],
    ['FastAPI', { detail: [{ loc: ['body', 'n'], msg: 'Bad n', type: 'int' }] }, 'n: Bad n'],
    ['Mistral 422', { object: 'error', message: { detail: [{ loc: ['body', 'n'], msg: 'Bad n' }] } }, 'n: Bad n'],
    ['problem+json', { title: 'Bad', detail: 'Bad n', status: 400 }, 'Bad n'],
    ['a title only', { title: 'Bad n', status: 400 }, 'Bad n'],
    ['an array', [{ error: { code: 400, message: 'Bad n', status: 'INVALID_ARGUMENT' } }], 'Bad n'],
    ['a list of errors', { success: false, errors: [{ code: 7, message: 'Bad n' }] }, 'Bad n'],
    ['AWS', { Message: 'Bad n' }, 'Bad n'],
    [
      'OpenRouter',
      { error: { message: 'Provider returned error', code: 400, metadata: { raw: '{"error":{"message":"Bad n"}}' } } },
      'Provider returned error: Bad n',
    ],
    ['OpenRouter, raw text', { error: { message: 'Failed', metadata: { raw: 'Bad n' } } }, 'Failed: Bad n'],
    ['a JSON text', '"Bad n"', 'Bad n'],
    ['plain text', 'Bad n\r\n', 'Bad n'],
    ['HTML', '<!DOCTYPE html><html><style>p{}</style><h1>Bad <b>n</b></h1></html>', 'Bad n'],
    ['nothing', '', 'The provider refused the request without giving a reason (HTTP 400)'],
    ['an empty object', {}, 'The provider refused the request without giving a reason (HTTP 400)'],
    ['an empty error', { error: {} }, 'The provider refused the request without giving a reason (HTTP 400)'],
  ];
  for (const [name, body, message] of shapes) {
    test(name, () => expect(decode(400, body).message).toBe(message));
  }

  test('deep nesting or invalid UTF-8 without failing', () => {
    let nested: unknown = 'deep';
    for (let depth = 0; depth < 500; depth++) nested = { error: nested };
    expect(decode(400, nested).code).toBe('invalid_request');
    expect(decodeFailure(500, new Headers(), new Uint8Array([0xff, 0xfe, 0x00])).code).toBe('upstream_error');
  });
});

describe('decodeFailure attributes the fault', () => {
  const openai = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
    error: { message, type, code, param: null },
  });

  test('to the client for 400 and 422, with the upstream’s own code and param', () => {
    for (const status of [400, 422]) {
      const error = { message: 'Bad', code: 'unsupported_parameter', param: 'max_tokens' };
      expect(decode(status, { error })).toMatchObject({
        code: 'invalid_request',
        status: 400,
        side: 'client',
        retry: 'never',
        details: { publicCode: 'unsupported_parameter', param: 'max_tokens' },
      });
    }
    expect(decode(422, { detail: [{ loc: ['body', 'messages', 0], msg: 'Field required' }] }).details).toMatchObject({
      param: 'messages.0',
      message: 'messages.0: Field required',
    });
    for (const code of [400, null, 'two words', 'x'.repeat(65)]) {
      expect(decode(400, { error: { message: 'Bad', code } }).details.publicCode).toBeUndefined();
    }
  });

  test('to the client for 413: the body is too large', () => {
    expect(decode(413, 'Request Entity Too Large')).toMatchObject({ code: 'payload_too_large', retry: 'never' });
  });

  const channelFaults: [string, number, unknown, string][] = [
    ['a 401', 401, openai('Incorrect API key provided: sk-abc', 'invalid_api_key'), 'upstream_auth'],
    ['a 403', 403, openai('Your API key may not do this.'), 'upstream_auth'],
    ['a 403 for a model', 403, openai('You are not allowed to sample from this model'), 'http_403'],
    ['xAI’s 400 for a key', 400, { error: 'Incorrect API key provided. See https://console.x.ai.' }, 'upstream_auth'],
    ['Gemini’s 400 for a key', 400, { error: { message: 'API key not valid. Please pass…' } }, 'upstream_auth'],
    ['a 402', 402, openai('Insufficient Balance'), 'upstream_quota'],
    [
      'OpenAI’s 429 for an exhausted balance',
      429,
      openai('You exceeded your current quota', 'insufficient_quota'),
      'upstream_quota',
    ],
    ['its type only', 429, openai('Quota', null, 'insufficient_quota'), 'upstream_quota'],
    [
      'Anthropic’s 400 for an exhausted balance',
      400,
      openai('Your credit balance is too low to access the API.'),
      'upstream_quota',
    ],
    ['a 404', 404, openai('The model `m` does not exist', 'model_not_found'), 'http_404'],
    [
      'Mistral’s 400 for a model',
      400,
      { message: 'Invalid model: m', type: 'invalid_model', code: '1500' },
      'http_400',
    ],
    ['OpenRouter’s 400 for a model', 400, { error: { message: 'x/m is not a valid model ID', code: 400 } }, 'http_400'],
    ['OpenAI’s 400 for a model', 400, openai("The model 'dall-e-3' does not exist.", 'invalid_value'), 'http_400'],
    ['Bedrock’s 400 for a model', 400, { message: 'The provided model identifier is invalid.' }, 'http_400'],
    [
      'Bedrock’s 400 for a model without a profile',
      400,
      {
        message: 'Invocation of model ID a.b-v1:0 with on-demand throughput isn’t supported. Retry your request with …',
      },
      'http_400',
    ],
    ['DeepSeek’s 400 for a model', 400, openai('The supported API model names are a or b, but …'), 'http_400'],
  ];
  for (const [name, status, body, kind] of channelFaults) {
    test(`to the channel (${kind}): ${name}`, () => {
      const failure = decode(status, body);
      expect(failure).toMatchObject({
        code: 'upstream_error',
        status: 502,
        side: 'upstream',
        retry: 'other-target',
        kind,
      });
      expect(failure.details.publicCode).toBeUndefined();
      expect(failure.message).toContain(`HTTP ${status}`);
    });
  }

  test('to the channel for a refused key, which is redacted', () => {
    const { message } = decode(
      401,
      openai('Incorrect API key provided: sk-proj-abcDEF123. Get one.', 'invalid_api_key'),
    );
    expect(message).toStartWith("The provider refused the channel's credentials (HTTP 401): Incorrect API key");
    expect(message).not.toContain('abcDEF123');
  });

  test('to the upstream for 408, 504 and 524: a timeout', () => {
    for (const status of [408, 504, 524]) {
      const expected = { code: 'timeout_error', status: 504, kind: `http_${status}`, retry: 'other-target' } as const;
      expect(decode(status, '')).toMatchObject(expected);
    }
  });

  test('to the upstream for other 5xx, with a retry at the same channel unless it names a time', () => {
    for (const status of [500, 501, 502, 503, 520, 529]) {
      const expected = { code: 'upstream_error', status: 502, kind: `http_${status}`, retry: 'same-target' } as const;
      expect(decode(status, openai('Overloaded'))).toMatchObject(expected);
      expect(decode(status, openai('Overloaded')).message).toBe(`The provider failed (HTTP ${status}): Overloaded`);
      const later = decode(status, '', { 'retry-after': '7' });
      expect(later).toMatchObject({ retry: 'other-target', details: { retryAfterMs: 7_000 } });
    }
  });

  test('to the upstream for any other status, with a retry elsewhere', () => {
    for (const status of [301, 405, 409, 418, 451]) {
      expect(decode(status, '')).toMatchObject({
        code: 'upstream_error',
        kind: `http_${status}`,
        retry: 'other-target',
      });
    }
  });
});

describe('context_length_exceeded', () => {
  const texts = [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
    "This endpoint's maximum context length is 128000 tokens. However, you requested about 200000 tokens.",
    'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    'prompt is too long: 208310 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
    'request (2009 tokens) exceeds the available context size (512 tokens), try increasing it',
    'the request exceeds the context length of this model',
    'Trying to keep the first 4096 tokens when context the overflows. However, the model is loaded with …',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens',
    'Please reduce the length of the messages or completion.',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'Input is too long for requested model.',
    'Invalid request: Your request exceeded model token limit: 8192',
    'Range of input length should be [1, 30720]',
  ];
  for (const message of texts) {
    test(message.slice(0, 60), () => {
      const failure = decode(400, { error: { message, code: 'other' } });
      expect(failure).toMatchObject({ code: 'context_length_exceeded', status: 400, type: 'context_length_exceeded' });
      expect(failure.message).toBe(message);
      expect(errorOf(failure).code).toBe('context_length_exceeded');
    });
  }

  test('is recognized by code or type', () => {
    for (const error of [{ code: 'context_length_exceeded' }, { type: 'exceed_context_size_error', code: 400 }]) {
      expect(decode(400, { error: { message: 'Too long', ...error } }).code).toBe('context_length_exceeded');
    }
  });

  test('is not assumed for a limit on the output, or on one string', () => {
    for (const message of [
      'max_tokens is too large: 5000. This model supports at most 4096 completion tokens.',
      "Invalid 'messages[0].content': string too long. Expected a string with maximum length 10485760.",
      'Invalid stop: array too long',
    ]) {
      expect(decode(400, { error: { message } }).code).toBe('invalid_request');
    }
  });
});

describe('the retry time of a 429', () => {
  const waits: [Record<string, string>, number][] = [
    [{}, 1_000],
    [{ 'retry-after': '20' }, 20_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, 1_000],
    [{ 'retry-after': '999999999' }, 86_400_000],
    [{ 'x-ratelimit-reset-requests': '1s' }, 1_000],
    [{ 'x-ratelimit-reset-tokens': '6m0s' }, 360_000],
    [{ 'x-ratelimit-reset-tokens': '120ms' }, 120],
    [{ 'x-ratelimit-reset-requests': '1h30m0.5s' }, 5_400_500],
    [{ 'x-ratelimit-reset-requests': '8.64s', 'x-ratelimit-reset-tokens': '70ms' }, 70],
    [
      { 'x-ratelimit-reset-requests': '9s', 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-tokens': '70ms' },
      9_000,
    ],
    [{ 'x-ratelimit-reset-requests': 'soon' }, 1_000],
  ];
  for (const [headers, retryAfterMs] of waits) {
    test(`is ${retryAfterMs} ms for ${JSON.stringify(headers)}`, () => {
      expect(decode(429, { error: { message: 'Slow down' } }, headers)).toMatchObject({
        code: 'rate_limit_exceeded',
        status: 429,
        side: 'upstream',
        retry: 'other-target',
        details: { retryAfterMs },
      });
    });
  }

  test('is read from the message, too', () => {
    const failure = decode(429, { error: { message: 'Rate limit reached. Please try again in 1.574s. Visit …' } });
    expect(failure.details.retryAfterMs).toBe(1_574);
    expect(errorOf(failure)).toMatchObject({ retryable: true, retry_after: 2, hint: expect.any(String) });
  });
});

describe('cleanMessage', () => {
  const secret = 'aB3dE5gH7jK9mN1pQ3rS';
  const leaks = [
    `Incorrect API key provided: sk-${secret}.`,
    `key sk-proj-${secret}-${secret}_x`,
    `Authorization: Bearer ${secret}`,
    `bearer ${secret}, again`,
    `Authorization: Basic ${btoa(`user:${secret}`)}`,
    `api_key=${secret}`,
    `api-key = "${secret}"`,
    `{"api_key":"${secret}"}`,
    `{"access_token": "${secret}"}`,
    `x-api-key: ${secret}`,
    `Your api key: ****${secret} is invalid`,
    `password=${secret}`,
    `AIza${secret}`,
    `AKIA${secret.toUpperCase()}`,
    `token eyJ${secret}.${secret}.${secret}`,
    `GET https://example.com/v1?alt=sse&key=${secret}&x=1 failed`,
    `https://example.com/?X-Amz-Signature=${secret}`,
    `https://user:${secret}@example.com/`,
    `Rate limit reached in organization org-${secret} on requests`,
    `gsk_${secret} hf_${secret} xai-${secret}`,
    `The key you sent, ${secret}, is wrong`,
  ];
  for (const text of leaks) {
    test(`redacts a secret: ${text.slice(0, 40)}`, () => {
      const cleaned = cleanMessage(text);
      expect(cleaned.toLowerCase()).not.toContain(secret.toLowerCase());
      expect(cleaned).toContain('[redacted]');
      expect(cleanMessage(cleaned)).toBe(cleaned);
    });
  }

  test('keeps the rest of the sentence', () => {
    expect(cleanMessage(`Use https://a.example/v1?alt=sse&key=${secret}&x=1 now`)).toBe(
      'Use https://a.example/v1?alt=sse&key=[redacted]&x=1 now',
    );
  });

  for (const text of [
    'You can find your API key at https://platform.openai.com/account/api-keys.',
    'Missing bearer or basic authentication in header',
    'The model `gpt-4o-2024-08-06` does not exist or you do not have access to it.',
    'Invalid token in prompt: 123456. Minimum value is 0, maximum value is 100257 (inclusive).',
    'value must be > 0 and < 5, got max_tokens: 4096',
    'Unknown key: top_k2 in $.messages[0]',
    'This is not available on the basic plan.',
  ]) {
    test(`keeps an ordinary sentence: ${text.slice(0, 40)}`, () => expect(cleanMessage(text)).toBe(text));
  }

  test('removes HTML, control characters and direction marks', () => {
    expect(cleanMessage('<p class="a">Bad\u0000 <br/>gate\u202e\u200bway\u001b[31m</p><script>alert(1)</script>')).toBe(
      'Bad gateway [31m',
    );
  });

  test('cuts a long text at 2,000 characters', () => {
    expect(cleanMessage('x y '.repeat(5_000)).length).toBe(2_000);
  });

  test('takes linear time for any text', () => {
    for (const unit of [
      'a-',
      '?key',
      'key ',
      '<a ',
      'Bearer ',
      'sk-',
      'api_key',
      '"token":',
      '<script',
      '<!--',
      'eyJaaaaaaaa.',
    ]) {
      expectLinear(1_000_000, (count) => unit.repeat(count), cleanMessage);
    }
  });
});
