import { describe, expect, test } from 'bun:test';
import { sampleBillable } from '../../domain/exchange/testing/sample-usage.ts';
import { attemptSpanIdOf, operationSpanIdOf } from '../../domain/trace/span-ids.ts';
import { SAMPLED, type TraceContext } from '../../domain/trace/trace-context.ts';
import { sampleRecord } from '../../engine/ports/testing/samples.ts';
import type { TracedAttempt, TracedCall } from '../../engine/ports/tracing.ts';
import { callSpans, type SpanOptions, spanCountOf } from './call-spans.ts';

const CONTEXT: TraceContext = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), flags: SAMPLED, state: 'v=1' };
const PLAIN: SpanOptions = { tags: false, requestPage: null, contentOf: () => null };
const CANARY = 'canary of the prompt';

const attempt = (fields: Partial<TracedAttempt> = {}): TracedAttempt => ({
  ...{ retryCount: 0, channelId: 'main', provider: 'openai', upstreamModel: 'up', isPrivate: false, isRelayed: true },
  ...{ fromMs: 3, heardMs: 7, toMs: null, status: 200, upstreamRequestId: null, failure: null, ...fields },
});

const TIMES = {
  ...{ admittedMs: 1, lookedUpMs: null, askedMs: 3, heardMs: 7, upstreamStatus: 200, answeredMs: 20, chargedMs: 22 },
};

const traced = (fields: Partial<TracedCall> = {}): TracedCall => ({
  ...{ context: CONTEXT, parent: null, failureSide: null, clientAddress: null, parameters: null, exchange: null },
  line: { method: 'POST', route: '/v1/chat/completions', path: '/openai/v1/chat/completions' },
  record: sampleRecord({ atMs: 1_000, latencyMs: 25, firstByteMs: 9, retryCount: 0, times: TIMES, stream: true }),
  attempts: [attempt()],
  steps: [{ name: 'read', fromMs: 1, toMs: 2, attempt: null, failureKind: null }],
  ...fields,
});

const named = (call: TracedCall, name: string, options: SpanOptions = PLAIN) =>
  callSpans(call, options).find((span) => span.name.startsWith(name));

describe('the spans of a call', () => {
  test('are a tree of the request, its operation, its attempts and its steps', () => {
    const spans = callSpans(traced(), PLAIN);
    const operation = operationSpanIdOf(CONTEXT.spanId);
    expect(spans.map(({ name, parent, kind, fromMs, toMs }) => [name, parent?.spanId, kind, fromMs, toMs])).toEqual([
      ['POST /v1/chat/completions', undefined, 'server', 1_000, 1_025],
      ['admit', CONTEXT.spanId, 'internal', 1_000, 1_001],
      ['chat gpt-4o-mini', CONTEXT.spanId, 'client', 1_002, 1_025],
      ['read request', CONTEXT.spanId, 'internal', 1_001, 1_002],
      ['attempt openai', operation, 'client', 1_003, 1_020],
      ['settle', operation, 'internal', 1_020, 1_022],
    ]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(spans.every(({ traceId }) => traceId === CONTEXT.traceId)).toBe(true);
    expect(spans.length).toBeLessThanOrEqual(spanCountOf(traced()));
  });

  test('begin below the span of the client, whose state is passed on', () => {
    const parent = { traceId: CONTEXT.traceId, spanId: 'c'.repeat(16), flags: SAMPLED, state: 'v=1' };
    const server = named(traced({ parent }), 'POST');
    expect(server).toMatchObject({ parent: { spanId: parent.spanId, isRemote: true }, state: 'v=1' });
  });

  test('say what was asked, who asked and what it used', () => {
    const record = sampleRecord({
      ...{
        format: 'anthropic-messages',
        provider: 'bedrock',
        upstreamModel: 'up',
        answerModel: 'up-2024',
        stream: true,
      },
      ...{ clientRequestId: 'mine', costNanoUsd: 1_500_000n, firstByteMs: 9, times: TIMES, tags: ['team=a'] },
      billable: sampleBillable({ input: 7, cachedInput: 1, cacheWrite: 2, output: 5, reasoning: 3 }),
    });
    const call = traced({ record, parameters: { maxTokens: 64, temperature: 0.5 } });
    expect(named(call, 'chat')?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'aws.bedrock',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.request.stream': true,
      'gen_ai.request.max_tokens': 64,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.response.model': 'up-2024',
      'gen_ai.response.time_to_first_chunk': 0.007,
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 8,
      'gen_ai.usage.cache_read.input_tokens': 1,
      'gen_ai.usage.cache_write.input_tokens': 2,
      'gen_ai.usage.reasoning.output_tokens': 3,
      'switchyard.cost.usd': '0.0015',
      'switchyard.account.id': 'acme',
      'switchyard.request.id': record.requestId,
    });
    expect(named(call, 'POST')?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'url.path': '/openai/v1/chat/completions',
      'http.response.status_code': 200,
      'switchyard.client_request.id': 'mine',
      'switchyard.key.id': 'ci',
    });
  });

  test('have tags, addresses and links only if the operator wants them', () => {
    const call = traced({ record: sampleRecord({ tags: ['team=a'] }), clientAddress: null });
    expect(JSON.stringify(callSpans(call, PLAIN))).not.toMatch(/team=a|client\.address|request\.url/);
    const options = { ...PLAIN, tags: true, requestPage: 'https://ai.example/app?id=' };
    expect(named({ ...call, clientAddress: '192.0.2.1' }, 'POST', options)?.attributes).toMatchObject({
      'switchyard.tags': ['team=a'],
      'client.address': '192.0.2.1',
      'switchyard.request.url': `https://ai.example/app?id=${call.record.requestId}`,
    });
  });

  test('name each format other than text by its operation and its output', () => {
    const of = (format: string) => named(traced({ record: sampleRecord({ format }) }), '')?.name;
    expect(of('openai-chat')).toBe('POST /v1/chat/completions');
    const outputs = ['openai-images', 'openai-speech', 'video-task', '3d-task', 'openai-embeddings'].map((format) => {
      const spans = callSpans(traced({ record: sampleRecord({ format }) }), PLAIN);
      const { attributes, name } = spans.find(({ spanId }) => spanId === operationSpanIdOf(CONTEXT.spanId)) ?? {};
      return [name, attributes?.['gen_ai.output.type']];
    });
    expect(outputs).toEqual([
      ['image_generation gpt-4o-mini', 'image'],
      ['speech gpt-4o-mini', 'speech'],
      ['video_generation gpt-4o-mini', 'video'],
      ['3d_generation gpt-4o-mini', '3d'],
      ['embeddings gpt-4o-mini', undefined],
    ]);
  });

  test('of a relayed call without a model have no attributes of a model', () => {
    const line = { method: 'GET', route: '/v1/files/*', path: '/v1/files/f' };
    const span = named(traced({ line, record: sampleRecord({ modelId: null, billable: null }) }), 'relay');
    expect(span?.name).toBe('relay /v1/files/*');
    expect(span?.attributes).not.toHaveProperty(['gen_ai.request.model']);
    expect(span?.attributes).not.toHaveProperty(['gen_ai.operation.name']);
  });

  test('of a request whose model was not found have no operation', () => {
    const record = sampleRecord({
      modelId: null,
      status: 404,
      errorCode: 'model_not_found',
      failureKind: 'model_not_found',
    });
    const spans = callSpans(traced({ record, attempts: [], failureSide: 'client' }), PLAIN);
    expect(spans.map(({ name, isError }) => [name, isError])).toContainEqual(['POST /v1/chat/completions', false]);
    expect(spans.some(({ kind }) => kind === 'client')).toBe(false);
  });
});

describe('a failure', () => {
  test('marks its attempt, and not the call that another attempt answered', () => {
    const failed = attempt({
      toMs: 5,
      status: 503,
      failure: { kind: 'http_503', side: 'upstream' },
      channelId: 'own',
      isPrivate: true,
    });
    const call = traced({ attempts: [failed, attempt({ retryCount: 1, fromMs: 6, heardMs: 8 })] });
    const spans = callSpans(call, PLAIN);
    expect(spans.filter(({ isError }) => isError).map(({ spanId }) => spanId)).toEqual([
      attemptSpanIdOf(CONTEXT.spanId, 0),
    ]);
    expect(spans.find(({ isError }) => isError)?.attributes).toMatchObject({
      'error.type': 'http_503',
      'http.response.status_code': 503,
      'switchyard.channel.id': 'own',
      'switchyard.channel.private': true,
      'switchyard.attempt.number': 1,
      'switchyard.attempt.time_to_first_byte': 0.004,
    });
  });

  test('of a stream after its first bytes marks the request, the operation and the attempt', () => {
    const record = sampleRecord({ status: 200, errorCode: 'upstream_error', failureKind: 'reset', times: TIMES });
    const spans = callSpans(traced({ record, failureSide: 'upstream' }), PLAIN);
    expect(
      spans.filter(({ isError }) => isError).map(({ name, attributes }) => [name, attributes['error.type']]),
    ).toEqual([
      ['POST /v1/chat/completions', 'upstream_error'],
      ['chat gpt-4o-mini', 'reset'],
      ['attempt openai', 'reset'],
    ]);
  });

  test('of the client marks the operation only, and its departure nothing', () => {
    const mistake = sampleRecord({
      status: 400,
      errorCode: 'invalid_value',
      failureKind: 'invalid_value',
      times: TIMES,
    });
    const errors = (record: typeof mistake) =>
      callSpans(traced({ record, failureSide: 'client', attempts: [] }), PLAIN).filter(({ isError }) => isError);
    expect(errors(mistake).map(({ name }) => name)).toEqual(['chat gpt-4o-mini']);
    const gone = { ...mistake, status: 499, errorCode: 'client_closed_request', failureKind: 'client_closed_request' };
    expect(errors({ ...gone, clientGone: true })).toEqual([]);
  });

  test('never brings a message into the spans', () => {
    const record = sampleRecord({
      ...{
        status: 502,
        errorCode: 'upstream_error',
        failureKind: 'http_500',
        told: { message: CANARY },
        requestedModel: CANARY,
      },
      failedAttempts: [{ channelId: 'main', kind: 'http_500', latencyMs: 3, message: CANARY }],
      losses: [{ field: 'seed', verdict: 'dropped', why: CANARY }],
    });
    const call = traced({ record, failureSide: 'upstream' });
    expect(JSON.stringify(callSpans(call, { ...PLAIN, tags: true }))).not.toContain(CANARY);
  });
});
