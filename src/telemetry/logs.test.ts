import { afterEach, beforeEach, expect, test } from 'bun:test';
import { parse } from 'protobufjs';
import type { LogFields } from '../domain/logs/fields.ts';
import { until } from '../domain/testing/until.ts';
import { DEFAULT_TELEMETRY, type LogExportSettings } from '../engine/settings/telemetry.ts';
import { OtlpLogs } from './logs.ts';
import { resourceAttributes } from './resource.ts';

/** The parts of opentelemetry-proto's log messages that the tests read. */
const TYPE = parse(`
syntax = "proto3";
message Request { repeated ResourceLogs resource_logs = 1; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeLogs { Scope scope = 1; repeated LogRecord log_records = 2; }
message Scope { string name = 1; string version = 2; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; }
}
message ArrayValue { repeated AnyValue values = 1; }
message LogRecord {
  fixed64 time_unix_nano = 1; int32 severity_number = 2; string severity_text = 3; AnyValue body = 5; repeated KeyValue attributes = 6;
  fixed32 flags = 8; bytes trace_id = 9; bytes span_id = 10; string event_name = 12;
}`).root.lookupType('Request');

interface Decoded {
  readonly resourceLogs: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeLogs: readonly { readonly logRecords: readonly Record[] }[];
  }[];
}

interface Record {
  readonly timeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: object;
  readonly attributes: readonly KeyValue[];
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly eventName: string;
}

interface KeyValue {
  readonly key: string;
  readonly value: object;
}

let bodies: Uint8Array[];
let paths: string[];
let status = 200;
let collector: ReturnType<typeof Bun.serve>;
beforeEach(() => {
  bodies = [];
  paths = [];
  status = 200;
  collector = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: async (request) => {
      paths.push(new URL(request.url).pathname);
      if (status === 200) bodies.push(await request.bytes());
      return new Response(new Uint8Array(0), { status, headers: { 'content-type': 'application/x-protobuf' } });
    },
  });
});
afterEach(() => collector.stop(true));

function open(logs: Partial<LogExportSettings> = {}) {
  const warnings: LogFields[] = [];
  const settings = {
    ...DEFAULT_TELEMETRY,
    otlp: { ...DEFAULT_TELEMETRY.otlp, endpoint: `http://127.0.0.1:${collector.port}` },
    logs: { ...DEFAULT_TELEMETRY.logs, isOn: true, delayMs: 10, ...logs },
  };
  const exporter = new OtlpLogs({
    ...{ settings, version: '1.2.3', logger: { warn: (fields: LogFields) => void warnings.push(fields) } },
    resource: resourceAttributes(settings, { version: '1.2.3', instanceId: 'one' }),
    clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        const end = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener('abort', end);
        if (signal.aborted) end();
      }),
  });
  return { exporter, warnings };
}

const decoded = () => bodies.map((body) => TYPE.toObject(TYPE.decode(body), { longs: String }) as unknown as Decoded);
const records = () =>
  decoded().flatMap(({ resourceLogs }) =>
    resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
  );
const valuesOf = (attributes: readonly KeyValue[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const LINE = {
  ...{ time: '2026-11-29T12:00:00.123Z', level: 'warn', component: 'requests', event: 'request_failed' },
  ...{ msg: 'request failed', request_id: 'req_1', trace_id: 'ab'.repeat(16), span_id: 'cd'.repeat(8) },
  ...{ client_address: '203.0.113.7', status: 502, latency_ms: 12.5, client_gone: true, problems: ['a', 'b'] },
};

test('a line becomes a record with its level, event, trace and span, under the names of the conventions', async () => {
  const { exporter } = open();
  exporter.read(`${JSON.stringify(LINE)}\n`);
  await until('the export arrives', () => records().length === 1);
  expect(paths).toEqual(['/v1/logs']);
  const [record] = records();
  expect(record).toMatchObject({
    ...{ severityNumber: 13, severityText: 'WARN', eventName: 'request_failed' },
    body: { stringValue: 'request failed' },
    timeUnixNano: String(BigInt(Date.parse(LINE.time)) * 1_000_000n),
  });
  expect(Buffer.from(record?.traceId ?? []).toString('hex')).toBe(LINE.trace_id);
  expect(Buffer.from(record?.spanId ?? []).toString('hex')).toBe(LINE.span_id);
  expect(valuesOf(record?.attributes ?? [])).toMatchObject({
    ...{ 'switchyard.request.id': 'req_1', 'client.address': '203.0.113.7', 'http.response.status_code': '502' },
    ...{ 'switchyard.log.component': 'requests', 'switchyard.log.latency_ms': 12.5, 'switchyard.client.gone': true },
  });
  const [resource] = decoded().flatMap(({ resourceLogs }) => resourceLogs);
  expect(valuesOf(resource?.resource.attributes ?? [])).toMatchObject({ 'service.name': 'switchyard' });
  await exporter.close(1_000);
});

test('a line of a trace without a span of the gateway belongs to the trace', async () => {
  const { exporter } = open();
  exporter.read(JSON.stringify({ ...LINE, span_id: undefined }));
  await until('the export arrives', () => records().length === 1);
  expect(Buffer.from(records()[0]?.traceId ?? []).toString('hex')).toBe(LINE.trace_id);
  expect(records()[0]?.spanId ?? new Uint8Array(0)).toHaveLength(0);
  await exporter.close(1_000);
});

test('lines beyond the queue are dropped and counted, and one warning says so', async () => {
  const { exporter, warnings } = open({ queueLines: 16, delayMs: 60_000, batchLines: 1_000 });
  for (let number = 0; number < 100; number++) exporter.read(JSON.stringify(LINE));
  expect([exporter.waiting, exporter.counts.dropped, warnings.length]).toEqual([16, 84, 1]);
  await exporter.close(5_000);
  expect([records().length, exporter.counts.exported]).toEqual([16, 16]);
});

test('lines that the collector refuses are counted', async () => {
  status = 400;
  const { exporter, warnings } = open();
  exporter.read(JSON.stringify(LINE));
  await until('the failure is counted', () => exporter.counts.failed === 1);
  expect(warnings).toMatchObject([{ signal: 'logs', reason: 'HTTP 400' }]);
  await exporter.close(1_000);
});

test('a long line counts as several, so that the queue bounds memory', async () => {
  const { exporter } = open({ queueLines: 16, delayMs: 60_000, batchLines: 1_000 });
  for (let number = 0; number < 100; number++) exporter.read(JSON.stringify({ ...LINE, stack: 'x'.repeat(10_000) }));
  expect([exporter.waiting, exporter.counts.dropped]).toEqual([12, 98]);
  await exporter.close(5_000);
  expect(records().length).toBe(2);
});
