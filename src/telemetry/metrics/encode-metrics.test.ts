import { expect, test } from 'bun:test';
import { parse } from 'protobufjs';
import type { FamilySnapshot } from '../../domain/metrics/snapshot.ts';
import { encodeMetrics, pointCountOf } from './encode-metrics.ts';

/** The messages of opentelemetry-proto that matter here, with their numbers. */
const PROTO = `syntax = "proto3";
message Request { repeated ResourceMetrics resource_metrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
message Resource { repeated KeyValue attributes = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { string string_value = 1; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; }
message Scope { string name = 1; string version = 2; }
message Metric { string name = 1; string description = 2; string unit = 3; Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; }
message Gauge { repeated NumberPoint data_points = 1; }
message Sum { repeated NumberPoint data_points = 1; int32 aggregation_temporality = 2; bool is_monotonic = 3; }
message Histogram { repeated HistogramPoint data_points = 1; int32 aggregation_temporality = 2; }
message NumberPoint {
  fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3; double as_double = 4; repeated Exemplar exemplars = 5; repeated KeyValue attributes = 7;
}
message HistogramPoint {
  fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3; fixed64 count = 4; double sum = 5;
  repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7; repeated Exemplar exemplars = 8; repeated KeyValue attributes = 9;
}
message Exemplar { fixed64 time_unix_nano = 2; double as_double = 3; bytes trace_id = 5; }
`;

const REQUEST = parse(PROTO).root.lookupType('Request');
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const STARTED_AT_MS = 1_700_000_000_000;

const FAMILIES: readonly FamilySnapshot[] = [
  {
    ...{ name: 'switchyard_charged_usd_total', help: 'Money.', type: 'counter', isSummed: true },
    points: [{ labels: { model: 'ünïcode', channel: '' }, value: 0.25 }],
  },
  {
    ...{ name: 'switchyard_nodes', help: 'Nodes.', type: 'gauge', isSummed: false },
    points: [{ labels: {}, value: 2 }],
  },
  {
    ...{ name: 'gen_ai_server_request_duration_seconds', help: 'Durations.', type: 'histogram', bounds: [0.5, 1] },
    otel: {
      ...{ name: 'gen_ai.server.request.duration', unit: 's' },
      attributes: { gen_ai_request_model: 'gen_ai.request.model', error_type: 'error.type' },
    },
    points: [
      {
        ...{ labels: { gen_ai_request_model: 'm', error_type: '' }, counts: [2, 0, 300], sum: 9.5 },
        exemplars: [{ traceId: TRACE, value: 0.25, atMs: STARTED_AT_MS + 5 }, null, null],
      },
    ],
  },
  { ...{ name: 'switchyard_alerts_raised', help: 'None.', type: 'gauge', isSummed: false }, points: [] },
];

const attributes = (pairs: Readonly<Record<string, string>>) =>
  Object.entries(pairs).map(([key, stringValue]) => ({ key, value: { stringValue } }));

test('families are sums, gauges and histograms with exemplars, under the names of the conventions', () => {
  const bytes = encodeMetrics({
    resource: { 'service.name': 'mine' },
    scope: { name: 'switchyard', version: '1.0.0' },
    families: FAMILIES,
    startedAtMs: STARTED_AT_MS,
    atMs: STARTED_AT_MS + 60_000,
  });
  const times = { startTimeUnixNano: '1700000000000000000', timeUnixNano: '1700000060000000000' };
  const { timeUnixNano } = times;
  expect(REQUEST.toObject(REQUEST.decode(bytes), { longs: String, bytes: String })).toEqual({
    resourceMetrics: [
      {
        resource: { attributes: attributes({ 'service.name': 'mine' }) },
        scopeMetrics: [
          {
            scope: { name: 'switchyard', version: '1.0.0' },
            metrics: [
              {
                ...{ name: 'switchyard.charged_usd', description: 'Money.', unit: '{USD}' },
                sum: {
                  dataPoints: [{ ...times, asDouble: 0.25, attributes: attributes({ model: 'ünïcode' }) }],
                  ...{ aggregationTemporality: 2, isMonotonic: true },
                },
              },
              {
                ...{ name: 'switchyard.nodes', description: 'Nodes.' },
                gauge: { dataPoints: [{ timeUnixNano, asDouble: 2 }] },
              },
              {
                ...{ name: 'gen_ai.server.request.duration', description: 'Durations.', unit: 's' },
                histogram: {
                  dataPoints: [
                    {
                      ...{ ...times, count: '302', sum: 9.5 },
                      ...{ bucketCounts: ['2', '0', '300'], explicitBounds: [0.5, 1] },
                      exemplars: [
                        {
                          ...{ timeUnixNano: '1700000000005000000', asDouble: 0.25 },
                          traceId: Buffer.from(TRACE, 'hex').toString('base64'),
                        },
                      ],
                      attributes: attributes({ 'gen_ai.request.model': 'm' }),
                    },
                  ],
                  aggregationTemporality: 2,
                },
              },
            ],
          },
        ],
      },
    ],
  });
});

test('points are counted', () => {
  expect(pointCountOf(FAMILIES)).toBe(3);
});
