import { expect, test } from 'bun:test';
import { definitionOf, METRICS, type MetricName } from './catalogue/catalogue.ts';
import { CounterFamily, HistogramFamily, OVERFLOW, ReadFamily, sharedRead } from './families.ts';
import { MetricRegistry } from './metric-registry.ts';

test('a family has a maximum of series, and counts further ones together', async () => {
  const registry = new MetricRegistry();
  const family = new CounterFamily(registry, 'switchyard_attempts_total');
  for (let number = 0; number < 1_005; number++) {
    family.labels({ channel: `c${number}`, outcome: 'answered' }).add(1);
  }
  const [snapshot] = await registry.snapshot();
  const points = snapshot?.type === 'counter' ? snapshot.points : [];
  expect(points).toHaveLength(1_001);
  expect(points.at(-1)).toEqual({ labels: { channel: OVERFLOW, outcome: OVERFLOW }, value: 5 });
  expect([...registry.overflows]).toEqual([['switchyard_attempts_total', 5]]);
  // A series that is known keeps its own count.
  expect(family.labels({ channel: 'c7', outcome: 'answered' }).value).toBe(1);
});

test('a histogram has fewer series, and a gauge leaves out what is too much', async () => {
  const registry = new MetricRegistry();
  const histogram = new HistogramFamily(registry, 'switchyard_attempt_first_byte_seconds');
  for (let number = 0; number < 300; number++) histogram.labels({ channel: `c${number}` }).observe(1);
  const readings = Array.from({ length: 1_010 }, (_, number) => ({ labels: { channel: `c${number}` }, value: 1 }));
  new ReadFamily(registry, 'switchyard_channel_up', () => readings);
  const snapshots = await registry.snapshot();
  expect(snapshots.map(({ points }) => points.length)).toEqual([201, 1_000]);
  expect(registry.overflows.get('switchyard_channel_up')).toBe(10);
});

test('whole nano-USD add up exactly', async () => {
  const registry = new MetricRegistry();
  const charged = new CounterFamily(registry, 'switchyard_charged_usd_total', { per: 1e9 });
  const counter = charged.labels({ model: 'm', channel: 'c' });
  for (let number = 0; number < 10; number++) counter.add(100_000_000);
  counter.add(1);
  const [snapshot] = await registry.snapshot();
  expect(snapshot?.points).toEqual([{ labels: { model: 'm', channel: 'c' }, value: 1.000000001 }]);
});

test('a source that fails has no series, and the other families stay', async () => {
  const registry = new MetricRegistry();
  new ReadFamily(registry, 'switchyard_alerts_raised', () => Promise.reject(new Error('the database is away')));
  new ReadFamily(registry, 'switchyard_nodes', () => {
    throw new Error('not yet');
  });
  new ReadFamily(registry, 'switchyard_media_stored_files', () => [{ labels: {}, value: 3 }]);
  expect((await registry.snapshot()).map(({ name }) => name)).toEqual(['switchyard_media_stored_files']);
});

test('a source that does not answer is left out, and is not asked again meanwhile', async () => {
  const registry = new MetricRegistry(1);
  const { promise, resolve } = Promise.withResolvers<[{ labels: Record<never, string>; value: number }]>();
  let asked = 0;
  new ReadFamily(registry, 'switchyard_alerts_raised', () => {
    asked++;
    return promise;
  });
  new ReadFamily(registry, 'switchyard_media_stored_files', () => [{ labels: {}, value: 3 }]);
  for (const _scrape of [1, 2]) {
    expect((await registry.snapshot()).map(({ name }) => name)).toEqual(['switchyard_media_stored_files']);
  }
  expect(asked).toBe(1);
  resolve([{ labels: {}, value: 1 }]);
  expect((await registry.snapshot()).map(({ name }) => name)).toEqual([
    'switchyard_alerts_raised',
    'switchyard_media_stored_files',
  ]);
});

test('families with the same source share a read', async () => {
  let reads = 0;
  const read = sharedRead(async () => ++reads);
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  expect(await read()).toBe(2);
});

test('names and labels follow the conventions', () => {
  for (const name of Object.keys(METRICS) as MetricName[]) {
    const { type, labels, bounds, help, otel } = definitionOf(name);
    expect(name).toMatch(/^(switchyard|gen_ai)_[a-z_]+$/);
    expect({ name, isCounter: type === 'counter' }).toEqual({ name, isCounter: name.endsWith('_total') });
    expect({ name, unit: /milli|nano|micro|_ms_|_mb_|minutes|hours|_percent/.test(name) }).toEqual({
      name,
      unit: false,
    });
    expect(labels.filter((label) => !/^[a-z_]+$/.test(label) || label === 'le' || label === 'worker')).toEqual([]);
    expect(bounds === undefined).toBe(type !== 'histogram');
    expect(bounds?.every((bound, index) => bound > (bounds[index - 1] ?? 0)) ?? true).toBe(true);
    expect(help).toMatch(/[.]$/);
    if (otel !== undefined) expect(labels.filter((label) => !(label in otel.attributes))).toEqual([]);
  }
});
