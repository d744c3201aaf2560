import { expect, test } from 'bun:test';
import type { FamilySnapshot } from '../../domain/metrics/snapshot.ts';
import { summedAtOnce } from '../../transports/ops/summed-metrics.ts';
import { GroupMetrics } from './group-metrics.ts';

const familiesOf = (count: number): readonly FamilySnapshot[] => [
  {
    ...{ name: 'switchyard_requests_total', help: 'Requests.', type: 'counter', isSummed: true },
    points: [{ labels: { model: 'm' }, value: count }],
  },
  {
    ...{ name: 'took_seconds', help: 'Durations.', type: 'histogram', bounds: [1] },
    points: [{ labels: {}, counts: [count, 0], sum: count / 2 }],
  },
  {
    ...{ name: 'switchyard_requests_in_flight', help: 'Requests.', type: 'gauge', isSummed: true },
    points: [{ labels: {}, value: count }],
  },
];

function valuesOf(metrics: ReturnType<GroupMetrics['all']>) {
  const summed = summedAtOnce(metrics);
  return summed.map((family) => (family.type === 'histogram' ? family.points[0]?.counts[0] : family.points[0]?.value));
}

test('a worker that exits keeps its counts, and takes its gauges with it', () => {
  const group = new GroupMetrics();
  const [first, second] = [{ number: 1 }, { number: 2 }];
  const both = [
    { worker: first, families: familiesOf(10) },
    { worker: second, families: familiesOf(5) },
  ];
  expect(valuesOf(group.all(both))).toEqual([15, 15, 15]);
  group.exited(second);
  const next = { number: 2 };
  const after = [
    { worker: first, families: familiesOf(11) },
    { worker: next, families: familiesOf(0) },
  ];
  expect(valuesOf(group.all(after))).toEqual([16, 16, 11]);
  group.exited(next);
  group.exited(first);
  expect(valuesOf(group.all([{ worker: { number: 1 }, families: familiesOf(1) }]))).toEqual([17, 17, 1]);
});

test('a worker that does not answer keeps what it reported last', () => {
  const group = new GroupMetrics();
  const [first, second] = [{ number: 1 }, { number: 2 }];
  const answer = (families: readonly FamilySnapshot[] | null) => [
    { worker: first, families: familiesOf(10) },
    { worker: second, families },
  ];
  expect(valuesOf(group.all(answer(null)))).toEqual([10, 10, 10]);
  expect(valuesOf(group.all(answer(familiesOf(5))))).toEqual([15, 15, 15]);
  expect(valuesOf(group.all(answer(null)))).toEqual([15, 15, 15]);
});

test('an answer that arrives after the exit is not counted twice', () => {
  const group = new GroupMetrics();
  const worker = { number: 1 };
  group.all([{ worker, families: familiesOf(10) }]);
  group.exited(worker);
  expect(valuesOf(group.all([{ worker, families: familiesOf(12) }]))).toEqual([10, 10]);
});

test('the last report of a worker that stops is final', () => {
  const group = new GroupMetrics();
  const worker = { number: 1 };
  group.ending(worker, familiesOf(12));
  expect(valuesOf(group.all([{ worker, families: familiesOf(10) }]))).toEqual([12, 12, 12]);
  group.exited(worker);
  group.ending(worker, familiesOf(13));
  expect(valuesOf(group.all([]))).toEqual([12, 12]);
});
