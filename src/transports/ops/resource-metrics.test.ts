import { expect, test } from 'bun:test';
import { Histogram } from '../../domain/metrics/histogram.ts';
import type { RedisFigures } from '../../engine/ports/figures.ts';
import { MetricRegistry } from './metric-registry.ts';
import { ResourceMetrics } from './resource-metrics.ts';

const NONE = { lateMs: null, dropped: 0, failedWrites: 0 };

test('a queue has a series in each family that it knows a value for', async () => {
  const registry = new MetricRegistry();
  const resources = new ResourceMetrics(registry);
  resources.addQueue('charges', () => ({ waiting: 2, capacity: 10, lateMs: 1_500, dropped: 3, failedWrites: 4 }));
  resources.addQueue('key_uses', () => ({ ...NONE, waiting: 5, capacity: null }));
  resources.addQueue('logs', () => null);
  const redis: RedisFigures = {
    ...{ use: 'conversation_state', isAway: false, durations: new Histogram([1]), errors: 0, waiting: 1, capacity: 7 },
    writing: { ...NONE, waiting: 6, capacity: null, dropped: 8 },
  };
  resources.addRedis(registry, () => [redis]);
  const families = await registry.snapshot();
  const valuesOf = (name: string) => {
    const family = families.find((one) => one.name === name);
    if (family === undefined || family.type === 'histogram') return null;
    return Object.fromEntries(family.points.map(({ labels, value }) => [labels.queue, value]));
  };
  const ofRedis = 'redis_conversation_state';
  expect(valuesOf('switchyard_queue_length')).toEqual({
    charges: 2,
    key_uses: 5,
    [ofRedis]: 1,
    [`${ofRedis}_writes`]: 6,
  });
  expect(valuesOf('switchyard_queue_capacity')).toEqual({ charges: 10, [ofRedis]: 7 });
  expect(valuesOf('switchyard_queue_oldest_seconds')).toEqual({ charges: 1.5 });
  expect(valuesOf('switchyard_queue_dropped_total')).toMatchObject({ charges: 3, [`${ofRedis}_writes`]: 8 });
});
