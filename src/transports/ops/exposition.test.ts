import { expect, test } from 'bun:test';
import type { FamilySnapshot } from '../../domain/metrics/snapshot.ts';
import { formatFor } from './exposition.ts';
import { written } from './testing/exposition.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const families: readonly FamilySnapshot[] = [
  {
    ...{ name: 'switchyard_charged_usd_total', help: 'Money, "charged".', type: 'counter', isSummed: true },
    points: [
      { labels: { model: 'a"b\\c\nd' }, value: 0.25, exemplar: { traceId: TRACE, value: 1, atMs: 1_700_000_000_123 } },
    ],
  },
  {
    ...{ name: 'took_seconds', help: 'How long.', type: 'histogram', bounds: [0.5, 1] },
    points: [
      {
        ...{ labels: {}, counts: [2, 0, 1], sum: 9.5 },
        exemplars: [null, null, { traceId: TRACE, value: 9, atMs: 1_700_000_000_000 }],
      },
    ],
  },
  {
    ...{ name: 'worth', help: 'Numbers.', type: 'gauge', isSummed: false },
    points: [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1.5e-9].map((value, index) => ({
      labels: { n: String(index) },
      value,
    })),
  },
];

test('OpenMetrics has units, exemplars and an end', async () => {
  const { body, contentType } = await written(families, 'openmetrics');
  expect(contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(body).toBe(`# HELP switchyard_charged_usd Money, \\"charged\\".
# TYPE switchyard_charged_usd counter
# UNIT switchyard_charged_usd usd
switchyard_charged_usd_total{model="a\\"b\\\\c\\nd"} 0.25 # {trace_id="${TRACE}"} 1 1700000000.123
# HELP took_seconds How long.
# TYPE took_seconds histogram
# UNIT took_seconds seconds
took_seconds_bucket{le="0.5"} 2
took_seconds_bucket{le="1.0"} 2
took_seconds_bucket{le="+Inf"} 3 # {trace_id="${TRACE}"} 9 1700000000
took_seconds_sum 9.5
took_seconds_count 3
# HELP worth Numbers.
# TYPE worth gauge
worth{n="0"} NaN
worth{n="1"} +Inf
worth{n="2"} -Inf
worth{n="3"} -1.5e-9
# EOF
`);
});

test('the text format has neither', async () => {
  const { body, contentType } = await written(families, 'text');
  expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(body).not.toMatch(/trace_id|# UNIT|# EOF|le="1\.0"/);
  expect(body).toContain('# TYPE switchyard_charged_usd_total counter\n');
});

test('OpenMetrics is only for scrapers that name it', () => {
  const prometheus =
    'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.1';
  expect(formatFor(prometheus)).toBe('openmetrics');
  for (const accept of [null, '*/*', 'text/plain']) expect(formatFor(accept)).toBe('text');
});

test('labels without meaning in UTF-8, and control characters, are replaced', async () => {
  const points = [{ labels: { model: 'a\0b\rc\ud800d\u001b[2J', channel: '模型👩' }, value: 1 }];
  const { body } = await written([{ name: 'up', help: 'Up.', type: 'gauge', isSummed: false, points }], 'text');
  expect(body.split('\n')[2]).toBe('up{model="a\ufffdb\ufffdc\ufffdd\ufffd[2J",channel="模型👩"} 1');
});
