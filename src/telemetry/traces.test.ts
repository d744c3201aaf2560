import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { LogFields } from '../domain/logs/fields.ts';
import { sampleIdentity } from '../domain/testing/sample-identity.ts';
import { until } from '../domain/testing/until.ts';
import { SAMPLED, type TraceContext } from '../domain/trace/trace-context.ts';
import { sampleRecord } from '../engine/ports/testing/samples.ts';
import type { TracedCall } from '../engine/ports/tracing.ts';
import { DEFAULT_TELEMETRY, type OtlpSettings, type TraceSettings } from '../engine/settings/telemetry.ts';
import { resourceAttributes } from './resource.ts';
import { FakeCollector } from './testing/fake-collector.ts';
import { OtlpTraces } from './traces.ts';

const TRACE_ID = 'ab'.repeat(16);
const REQUEST = 'req_0190a5f0-1234-7abc-8def-0123456789ab';

let collector: FakeCollector;
beforeEach(() => {
  collector = new FakeCollector();
});
afterEach(() => collector.stop());

interface Setting {
  readonly traces?: Partial<TraceSettings>;
  readonly otlp?: Partial<OtlpSettings>;
}

/** Opens an exporter to the collector, with real timers and a short delay. */
function open({ traces = {}, otlp = {} }: Setting = {}) {
  const warnings: LogFields[] = [];
  const settings = {
    ...DEFAULT_TELEMETRY,
    resourceAttributes: [['deployment.environment.name', 'test']] as const,
    otlp: { ...DEFAULT_TELEMETRY.otlp, endpoint: collector.url, ...otlp },
    traces: { ...DEFAULT_TELEMETRY.traces, isOn: true, delayMs: 10, ...traces },
  };
  const silent = () => {};
  const tracing = new OtlpTraces({
    settings,
    resource: resourceAttributes(settings, { version: '1.2.3', instanceId: 'one' }),
    ...{ version: '1.2.3', publicUrl: null },
    clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
        if (signal.aborted) resolve();
      }),
    logger: { debug: silent, info: silent, error: silent, warn: (fields) => void warnings.push(fields) },
  });
  return { tracing, warnings };
}

const callOf = (context: TraceContext): TracedCall => ({
  ...{ context, parent: null, failureSide: null, clientAddress: null, parameters: null, exchange: null, line: null },
  ...{ record: sampleRecord(), attempts: [], steps: [] },
});

function exportCalls(tracing: OtlpTraces, count = 1): void {
  for (let made = 0; made < count; made++) tracing.export(callOf(tracing.begin(sampleIdentity())));
}

describe('an export', () => {
  test('arrives with the spans, their times and the resource', async () => {
    const { tracing } = open({ otlp: { headers: [['authorization', 'Bearer token']] } });
    exportCalls(tracing);
    await until('the spans arrive', () => collector.spans.length > 0);
    const [first] = collector.exports;
    expect(first?.path).toBe('/v1/traces');
    expect(first?.headers.get('authorization')).toBe('Bearer token');
    expect(first?.headers.get('content-type')).toBe('application/x-protobuf');
    expect(collector.spans[0]).toMatchObject({
      ...{ name: 'message openai-chat', kind: 'server', status: 'unset', parentId: '', scope: 'switchyard' },
      resource: {
        'service.name': 'switchyard',
        'service.version': '1.2.3',
        'service.instance.id': 'one',
        'deployment.environment.name': 'test',
      },
    });
    const { atMs, latencyMs } = sampleRecord();
    expect(collector.spans[0]?.fromMs).toBe(atMs);
    expect(collector.spans[0]?.toMs).toBeCloseTo(atMs + latencyMs, 3);
    expect(tracing.counts).toMatchObject({ failed: 0, dropped: 0 });
  });

  test('can be compressed, and go to an address of its own', async () => {
    const own = {
      ...DEFAULT_TELEMETRY.traces.otlp,
      endpoint: `${collector.url}/own/path`,
      headers: [['x-a', 'b']] as const,
    };
    const { tracing } = open({ otlp: { gzip: true, headers: [['x-general', 'c']] }, traces: { otlp: own } });
    exportCalls(tracing);
    await until('the spans arrive', () => collector.spans.length > 0);
    expect(collector.exports[0]?.path).toBe('/own/path');
    expect(collector.exports[0]?.headers.get('x-a')).toBe('b');
    expect(collector.exports[0]?.headers.get('x-general')).toBeNull();
    expect(collector.exports[0]?.headers.get('content-encoding')).toBe('gzip');
  });

  test('holds no more spans than a batch may', async () => {
    const { tracing } = open({ traces: { batchSpans: 20 } });
    exportCalls(tracing, 30);
    await until('all calls arrive', () => collector.spans.filter(({ kind }) => kind === 'server').length === 30);
    expect(collector.exports.length).toBeGreaterThan(3);
    for (const { spans } of collector.exports) expect(spans.length).toBeLessThanOrEqual(20);
  });

  test('does not start with a certificate that cannot be read, and names the setting', () => {
    expect(() => open({ otlp: { caFile: '/nowhere/ca.pem' } })).toThrow(
      'telemetry.otlp.ca_file: /nowhere/ca.pem cannot be read (ENOENT)',
    );
  });
});

describe('a collector that', () => {
  const FAST = { otlp: { timeoutMs: 200 }, traces: { exportTimeoutMs: 300, queueSpans: 40, batchSpans: 16 } };

  test.each([
    ['hangs', () => new Promise<Response>(() => {}), /no response|timed out/],
    ['fails', () => new Response('canary', { status: 500 }), /HTTP 500/],
    ['refuses the token', () => new Response('canary', { status: 401, statusText: 'canary' }), /^HTTP 401$/],
    ['redirects', () => Response.redirect(`${collector.url}/elsewhere`, 307), /^HTTP 307$/],
    ['asks for patience', () => new Response('', { status: 429, headers: { 'retry-after': '3600' } }), /retryable/],
  ])('%s loses spans within bounds, and is reported once', async (_what, answer, reason) => {
    collector.answer = answer;
    const { tracing, warnings } = open(FAST);
    exportCalls(tracing, 4);
    await until('an export fails', () => tracing.counts.failed > 0);
    exportCalls(tracing, 1_000);
    expect(tracing.waiting).toBeLessThanOrEqual(40);
    expect(tracing.counts.dropped).toBeGreaterThan(0);
    await until('the queue is empty', () => tracing.waiting === 0);
    await tracing.close(1_000);
    expect(tracing.counts.exported).toBe(0);
    expect(warnings.length).toBeLessThanOrEqual(2);
    expect(warnings[0]).toMatchObject({ signal: 'traces', reason: expect.stringMatching(reason) });
    expect(JSON.stringify(warnings)).not.toContain('canary');
  });

  test('is away loses spans, and gets later ones when it is back', async () => {
    const { port } = new URL(collector.url);
    await collector.stop();
    const { tracing } = open({ otlp: { endpoint: `http://127.0.0.1:${port}`, timeoutMs: 200 } });
    exportCalls(tracing);
    await until('the export fails', () => tracing.counts.failed > 0);
    collector = new FakeCollector(Number(port));
    exportCalls(tracing);
    await until('later spans arrive', () => collector.spans.length > 0);
  });

  test('answers with garbage has accepted the spans', async () => {
    collector.answer = () => new Response('<html>\xff\xff not protobuf', { headers: { 'content-type': 'text/html' } });
    const { tracing, warnings } = open();
    exportCalls(tracing);
    await until('the spans are exported', () => tracing.counts.exported > 0);
    expect(warnings).toEqual([]);
  });

  test('hangs does not hold up the stop', async () => {
    collector.answer = () => new Promise<Response>(() => {});
    const { tracing, warnings } = open({ traces: { delayMs: 60_000 } });
    exportCalls(tracing, 3);
    await tracing.close(50);
    exportCalls(tracing);
    expect(tracing.waiting).toBe(0);
    expect(tracing.counts.exported).toBe(0);
    expect(tracing.counts.dropped).toBeGreaterThan(0);
    expect(warnings.map(({ reason }) => reason)).toEqual(['the gateway stops', 'the gateway stops']);
  });
});

test('the stop exports what waits', async () => {
  const { tracing } = open({ traces: { delayMs: 60_000 } });
  exportCalls(tracing, 3);
  await tracing.close(5_000);
  expect(collector.spans.filter(({ kind }) => kind === 'server').length).toBe(3);
});

describe('the sample', () => {
  const client = (flags: number) => ({ traceId: TRACE_ID, spanId: 'c'.repeat(16), flags, state: 'v=1' });
  const begin = (traces: Partial<TraceSettings>, clientTrace: TraceContext | null = null) =>
    open({ traces }).tracing.begin({ requestId: REQUEST, clientRequestId: null, clientTrace });

  test('continues the trace of a client, and otherwise starts one', () => {
    expect(begin({}, client(0))).toMatchObject({ traceId: TRACE_ID, state: 'v=1', flags: SAMPLED });
    expect(begin({})).toMatchObject({ traceId: '0190a5f012347abc8def0123456789ab', state: null });
  });

  test.each([
    [1, false, SAMPLED],
    [0, false, 0],
    [0, true, SAMPLED],
    [1, true, 0],
  ])('with the ratio %d and the client followed %p', (sampleRatio, followsClient, expected) => {
    const flags = followsClient ? expected : 0;
    expect(begin({ sampleRatio, followsClient }, client(flags)).flags & SAMPLED).toBe(expected);
  });

  test.each([
    [{ failureSide: 'upstream' }, {}, true],
    [{ failureSide: 'gateway' }, {}, true],
    [{ failureSide: 'client' }, {}, false],
    [{ failureSide: 'upstream' }, { alwaysOnError: false }, false],
    [{ latencyMs: 500 }, { alwaysAboveMs: 500 }, true],
    [{ latencyMs: 499 }, { alwaysAboveMs: 500 }, false],
    [{ latencyMs: 1e9 }, {}, false],
  ] as const)('of none still has %o with %o: %p', (end, traces, isExported) => {
    const { tracing } = open({ traces: { sampleRatio: 0, ...traces } });
    const context = tracing.begin(sampleIdentity());
    expect(tracing.isExported({ context, failureSide: null, latencyMs: 1, ...end })).toBe(isExported);
  });
});
