import { describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import { ERROR_CODES, type ErrorCode } from '../../../domain/failure/error-codes.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { applyEdits } from '../../shared/json/json-patch.ts';
import { relayCount } from '../../shared/stream/relay-pieces.ts';
import { anthropicMessages } from './index.ts';
import { context, parse, patch, routing, source } from './testing/samples.ts';

const bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

function decode(value: unknown): ExchangeResponse {
  const answer = anthropicMessages.decodeAnswer(bytes(value), source);
  if (answer instanceof Failure) throw new Error(answer.message);
  return answer;
}

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: [{ type: 'text', text: 'hi' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 7 },
};

describe("an upstream's response", () => {
  test('has usage in parts that do not overlap', () => {
    const usage = {
      input_tokens: 5,
      cache_read_input_tokens: 11,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    };
    expect(decode({ ...MESSAGE, usage }).usage).toEqual({
      input: 5,
      cachedInput: 11,
      cacheWrite: 10,
      cacheWrite1h: 20,
      output: 5,
      reasoning: 4,
      webSearches: 2,
      source: 'reported',
      raw: usage,
    });
    expect(decode({ ...MESSAGE, usage: undefined }).usage).toBeNull();
  });

  test('includes a compaction that its totals omit', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 100, output_tokens: 20 },
      { type: 'message', input_tokens: 5, output_tokens: 7 },
    ];
    expect(decode({ ...MESSAGE, usage: { ...MESSAGE.usage, iterations } }).usage).toMatchObject({
      input: 105,
      output: 27,
    });
  });

  test('includes what an advisor was asked, without double counting, nor rounds of another model', () => {
    const round = (type: string) => ({ type, input_tokens: 100, output_tokens: 20 });
    const usageOf = (...types: string[]) =>
      decode({ ...MESSAGE, usage: { input_tokens: 5, output_tokens: 7, iterations: types.map(round) } }).usage;
    expect(usageOf('message', 'advisor_message', 'message')).toMatchObject({ input: 105, output: 27 });
    expect(usageOf('message', 'fallback_message')).toMatchObject({ input: 5, output: 7 });
  });

  test('has its finish reason in both vocabularies', () => {
    const finish = (stop_reason: string, stop_sequence: string | null = null) =>
      decode({ ...MESSAGE, stop_reason, stop_sequence }).candidates[0]?.finish;
    expect(finish('stop_sequence', 'END')).toEqual({ unified: 'stop', raw: 'stop_sequence', stopSequence: 'END' });
    expect(finish('model_context_window_exceeded')?.unified).toBe('length');
    expect(finish('refusal')?.unified).toBe('content-filter');
    expect(finish('pause_turn')?.unified).toBe('pause');
    expect(finish('reason_of_tomorrow')).toEqual({ unified: 'other', raw: 'reason_of_tomorrow' });
  });

  test('that is invalid is a failure', () => {
    const failure = (value: unknown) => anthropicMessages.decodeAnswer(bytes(value), source);
    expect(failure('<html>')).toMatchObject({ code: 'upstream_error', kind: 'garbage' });
    expect(failure({ ok: true })).toMatchObject({ kind: 'garbage' });
    expect(failure({ type: 'error', error: { type: 'rate_limit_error', message: 'm' } })).toMatchObject({
      code: 'rate_limit_exceeded',
    });
  });
});

describe("a client's response", () => {
  test('from another provider is in this format', () => {
    const response: ExchangeResponse = {
      id: 'chatcmpl-1',
      created: 1,
      candidates: [
        {
          index: 0,
          parts: [
            { type: 'reasoning', text: 'so', state: { family: 'openai-chat', data: '', provider: 'x', channel: 'c' } },
            {
              type: 'text',
              text: 'see',
              citations: [
                {
                  url: 'https://a.example',
                  title: 'A',
                  citedText: null,
                  start: 0,
                  end: 3,
                  documentIndex: null,
                  raw: null,
                },
              ],
            },
            { type: 'text', text: '' },
            { type: 'tool-call', id: 'call_1', name: 'f', arguments: 'not json' },
            { type: 'image', source: { kind: 'url', url: 'https://a.example/i.png' }, mediaType: null },
          ],
          finish: { unified: 'tool-calls', raw: 'tool_calls' },
        },
      ],
      usage: {
        input: 5,
        cachedInput: 3,
        cacheWrite: 0,
        output: 7,
        reasoning: 2,
        source: 'reported',
        raw: { prompt_tokens: 8 },
      },
    };
    const answer = JSON.parse(anthropicMessages.encodeAnswer(response, context()));
    expect(answer).toMatchObject({
      id: 'msg_new',
      type: 'message',
      role: 'assistant',
      model: 'public',
      stop_reason: 'tool_use',
      stop_sequence: null,
      stop_details: null,
      container: null,
      usage: {
        input_tokens: 5,
        cache_read_input_tokens: 3,
        output_tokens: 9,
        output_tokens_details: { thinking_tokens: 2 },
      },
      _routing: routing,
    });
    expect(answer.content.slice(1)).toEqual([
      {
        type: 'text',
        text: 'see',
        citations: [
          {
            type: 'web_search_result_location',
            url: 'https://a.example',
            title: 'A',
            cited_text: '',
            encrypted_index: '',
          },
        ],
      },
      { type: 'tool_use', id: 'call_1', name: 'f', caller: { type: 'direct' }, input: { arguments: 'not json' } },
      { type: 'text', text: '![image](https://a.example/i.png)', citations: null },
    ]);
  });
});

describe('a relayed exchange', () => {
  test('has only the model changed in the request', () => {
    const text = '{ "max_tokens" : 1,"model":"public" , "messages":[{"role":"user","content":"x"}], "x": 1.0}';
    const parsed = anthropicMessages.parseRequest(bytes(text), {
      purpose: 'generate',
      model: null,
      stream: null,
      framing: 'sse',
    });
    if (parsed instanceof Failure) throw new Error(parsed.message);
    const up = new TextDecoder().decode(applyEdits(parsed.bytes, anthropicMessages.relayEdits(parsed, 'claude-x')));
    expect(up).toBe(text.replace('"public"', '"claude-x"'));
  });

  test('has the model and _routing in the response, and a count has _routing', () => {
    const relayed = anthropicMessages.relayAnswer(bytes(MESSAGE), patch);
    if (relayed instanceof Failure) throw new Error(relayed.message);
    const expected = JSON.stringify(MESSAGE).replace('"claude-x"', '"public"').slice(0, -1);
    expect(new TextDecoder().decode(relayed.bytes)).toBe(`${expected},"_routing":${patch.routing.json}}`);
    expect(relayed.usage).toMatchObject({ input: 5, output: 7 });
    const counted = relayCount(bytes('{"input_tokens": 3}'), patch.routing);
    expect(new TextDecoder().decode(counted ?? undefined)).toBe(`{"input_tokens": 3,"_routing":${patch.routing.json}}`);
  });

  test('with an invalid body is a failure', () => {
    expect(anthropicMessages.relayAnswer(bytes('nope'), patch)).toMatchObject({ kind: 'garbage' });
    expect(anthropicMessages.relayAnswer(bytes({}), patch)).toMatchObject({ kind: 'garbage' });
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(anthropicMessages.relayAnswer(bytes(error), patch)).toMatchObject({ kind: 'http_529' });
  });
});

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

test('unexpected members of a response are read as far as possible', () => {
  const content = [
    { type: 'tool_use', id: { toString: null }, name: 'weather', input: {} },
    { type: 'tool_use', name: ['weather'] },
  ];
  const { candidates } = decode({ ...MESSAGE, content, stop_reason: 'constructor' });
  expect(candidates[0]).toMatchObject({
    parts: [
      { id: 'toolu_0', name: 'weather', arguments: '{}' },
      { id: 'toolu_1', name: '', arguments: '{}' },
    ],
    finish: { unified: 'other', raw: 'constructor' },
  });
  const answer = { id: null, created: null, candidates, usage: null };
  expect(JSON.parse(anthropicMessages.encodeAnswer(answer, context())).stop_reason).toBe('end_turn');
});
