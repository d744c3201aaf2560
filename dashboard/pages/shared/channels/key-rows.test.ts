import { expect, test } from 'bun:test';
import type { Channel } from '../../../api/schema.ts';
import { changesOf, creationOf, NEW_CHANNEL, probeOf } from './form-values.ts';
import { heirOf, keyRowsOf, keysSaid, NEW_KEY } from './key-rows.ts';

const STORED = [
  { name: 'main', key_preview: '…aaaa', weight: 3, enabled: true, spend_cap: null },
  {
    ...{ name: 'spare', key_preview: null, weight: 0, enabled: false },
    spend_cap: { usd: '50', per: 'day', time_zone: 'Europe/Berlin' },
  },
] as unknown as Channel['api_keys'];

test('a stored key is kept without its credential, and renamed by its earlier name', () => {
  const [main, spare] = keyRowsOf(STORED);
  const added = { ...NEW_KEY, name: ' third ', key: ' sk-third ', spend_cap: { ...NEW_KEY.spend_cap, usd: '1.50' } };
  expect(keysSaid([{ ...main!, name: 'first' }, spare!, added])).toEqual([
    { name: 'first', rename_from: 'main', weight: 3, enabled: true, spend_cap: null },
    {
      ...{ name: 'spare', weight: 0, enabled: false },
      spend_cap: { usd: '50', per: 'day', time_zone: 'Europe/Berlin' },
    },
    { name: 'third', key: 'sk-third', weight: null, enabled: true, spend_cap: { usd: '1.50', per: 'month' } },
  ]);
});

test('a total has no time zone, and invalid numbers are sent unchanged', () => {
  const cap = { usd: 'much', per: 'total', time_zone: 'Europe/Berlin' } as const;
  const [said] = keysSaid([{ ...NEW_KEY, name: 'a', weight: 'heavy', spend_cap: cap }]);
  expect(said).toEqual({
    name: 'a',
    weight: 'heavy' as never,
    enabled: true,
    spend_cap: { usd: 'much', per: 'total' },
  });
});

test('a change of the number of keys replaces one member by the other', () => {
  const one = { ...NEW_CHANNEL, provider: 'openai' };
  const several = { ...one, keys: 'several' as const, api_keys: keyRowsOf(STORED) };
  expect(changesOf(several, several, undefined)).toEqual({});
  expect(changesOf(several, { ...several, keys: 'one', api_key: 'sk-x' }, undefined)).toEqual({
    ...{ api_key: 'sk-x', api_keys: null },
  });
  const rows = [{ ...NEW_KEY, name: 'main' }];
  expect(changesOf(one, { ...one, keys: 'several', api_key: 'sk-typed-before', api_keys: rows }, undefined)).toEqual({
    api_keys: [{ name: 'main', weight: null, enabled: true, spend_cap: null }],
  });
  expect(creationOf({ ...one, api_key: 'sk-x' }, undefined)).not.toHaveProperty('api_keys');
});

test('the first row without a key takes the only key that the channel has', () => {
  const typed = { ...NEW_KEY, key: 'sk-x' };
  expect(heirOf([typed, NEW_KEY, NEW_KEY])).toBe(1);
  expect(heirOf([typed])).toBe(-1);
});

test('a test sends only the first typed key', () => {
  const rows = [...keyRowsOf(STORED), { ...NEW_KEY, name: 'c', key: 'sk-c' }, { ...NEW_KEY, name: 'd', key: 'sk-d' }];
  const values = { ...NEW_CHANNEL, provider: 'openai', keys: 'several' as const, api_keys: rows };
  expect(probeOf(values, undefined)).toEqual({ provider: 'openai', api_key: 'sk-c' });
  expect(probeOf({ ...values, keys: 'one', api_key: 'sk-x' }, undefined)).toMatchObject({ api_key: 'sk-x' });
});
