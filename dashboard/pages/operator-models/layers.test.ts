import { expect, test } from 'bun:test';
import { layerRows } from './layers.ts';

const SHIPPED = {
  name: 'A',
  pricing: { input_per_1m: '1' },
  tags: [],
  capabilities: { context_tokens: 8, features: ['tools'] },
};

test('the later layer takes precedence, and of two list prices the newer one', () => {
  const synced = {
    source: { url: 'https://l', date: '2026-01-01' },
    facts: { pricing: { input_per_1m: '2' }, capabilities: { context: 16 } },
  };
  const rows = layerRows({ price_layer: 'shipped', layers: { shipped: SHIPPED, synced, stated: { name: 'B' } } });
  expect(rows.map(({ field, holds }) => [field, holds])).toEqual([
    ['name', 'stated'],
    ['pricing', 'shipped'],
    ['features', 'shipped'],
    ['context', 'synced'],
  ]);
  expect(rows[3]?.values).toEqual({ shipped: 8, synced: 16, stated: undefined });
});
