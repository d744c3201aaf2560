import { expect, test } from 'bun:test';
import type { FamilySnapshot } from '../../domain/metrics/snapshot.ts';
import { summedAtOnce } from './summed-metrics.ts';
import { written } from './testing/exposition.ts';

const exemplar = (traceId: string, atMs: number) => ({ traceId, value: 0.25, atMs });

const familiesOf = (count: number, more: { readonly traceId?: string; readonly status?: string } = {}) => {
  const { traceId, status = '200' } = more;
  const families: readonly FamilySnapshot[] = [
    {
      ...{ name: 'switchyard_requests_total', help: 'Finished requests.', type: 'counter', isSummed: true },
      points: [{ labels: { model: 'a b', status }, value: count }],
    },
    {
      ...{ name: 'switchyard_requests_in_flight', help: 'Requests.', type: 'gauge', isSummed: true },
      points: [{ labels: {}, value: count }],
    },
    {
      ...{ name: 'took', help: 'How long.', type: 'histogram', bounds: [0.5] },
      points: [
        {
          ...{ labels: { model: 'm' }, counts: [count, 1], sum: 0.25 },
          ...(traceId !== undefined && { exemplars: [exemplar(traceId, count), null] }),
        },
      ],
    },
    {
      ...{ name: 'up', help: 'Whether a channel may be used.', type: 'gauge', isSummed: false },
      points: [{ labels: { channel: 'c' }, value: 1 }],
    },
  ];
  return families;
};

test('counters, histograms and summed gauges are added up, and other gauges get a worker label', async () => {
  const summed = summedAtOnce([
    { worker: 1, families: familiesOf(2) },
    { worker: 3, families: familiesOf(40) },
    { worker: 4, families: familiesOf(7, { status: '500' }) },
  ]);
  expect((await written(summed, 'text')).body).toBe(`# HELP switchyard_requests_total Finished requests.
# TYPE switchyard_requests_total counter
switchyard_requests_total{model="a b",status="200"} 42
switchyard_requests_total{model="a b",status="500"} 7
# HELP switchyard_requests_in_flight Requests.
# TYPE switchyard_requests_in_flight gauge
switchyard_requests_in_flight 49
# HELP took How long.
# TYPE took histogram
took_bucket{le="0.5",model="m"} 49
took_bucket{le="+Inf",model="m"} 52
took_sum{model="m"} 0.75
took_count{model="m"} 52
# HELP up Whether a channel may be used.
# TYPE up gauge
up{channel="c",worker="1"} 1
up{channel="c",worker="3"} 1
up{channel="c",worker="4"} 1
`);
});

test('the latest exemplar of all processes is kept', async () => {
  const summed = summedAtOnce([
    { worker: 1, families: familiesOf(2, { traceId: 'a'.repeat(32) }) },
    { worker: 2, families: familiesOf(9, { traceId: 'b'.repeat(32) }) },
    { worker: 3, families: familiesOf(3) },
  ]);
  expect((await written(summed, 'openmetrics')).body).toContain(
    `took_bucket{le="0.5",model="m"} 14 # {trace_id="${'b'.repeat(32)}"} 0.25 0.009\n`,
  );
});

test('a process with other buckets is left out of a histogram', async () => {
  const other = familiesOf(5).map((family) => (family.type === 'histogram' ? { ...family, bounds: [0.7] } : family));
  const summed = summedAtOnce([
    { worker: 1, families: familiesOf(2) },
    { worker: 2, families: other },
  ]);
  expect((await written(summed, 'text')).body).toContain('took_count{model="m"} 3\n');
});

test('no processes have no metrics', async () => {
  expect(summedAtOnce([])).toEqual([]);
});

test('of two processes with one number, a gauge is that of the later one', async () => {
  const [up] = familiesOf(1).slice(-1);
  const off = up?.type === 'gauge' ? [{ ...up, points: [{ labels: { channel: 'c' }, value: 0 }] }] : [];
  const processes = [
    { worker: 1, families: familiesOf(2) },
    { worker: 1, families: off },
  ];
  expect((await written(summedAtOnce(processes), 'text')).body).toContain('up{channel="c",worker="1"} 0\n');
});
