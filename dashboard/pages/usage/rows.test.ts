import { expect, test } from 'bun:test';
import type { UsageBreakdown } from '../../api/schema.ts';
import { narrowedTo, nextGroup, tableRows } from './rows.ts';

const SUMS = {
  ...{ requests: 1, errors: 0, cache_hits: 0, input_tokens: 0, cached_input_tokens: 0, cache_write_tokens: 0 },
  ...{ output_tokens: 0, reasoning_tokens: 0, latency_ms: 1, first_byte_ms: 1, cost_usd: '0', saved_usd: '0' },
  ...{ unpriced_requests: 0, latency_p50_ms: 1, latency_p95_ms: 1, latency_p99_ms: 1 },
};
const BREAKDOWN: UsageBreakdown = {
  ...{ object: 'usage_breakdown', from: '', to: '', group_by: ['model', 'end_user'], metric: 'spend', total: SUMS },
  data: [
    { ...SUMS, model: 'large', within: { data: [{ ...SUMS, model: 'large', tag: 'ann' }], others: SUMS } },
    { ...SUMS, model: null, within: { data: [{ ...SUMS, model: null, tag: null }], others: null } },
  ],
  ...{ others: SUMS, series: [] },
};

test('each group is followed by those within it, and the total is last', () => {
  const rows = tableRows(BREAKDOWN, 'model', 'end_user');
  expect(rows.map(({ key, kind }) => [key, kind])).toEqual([
    ['0', 'group'],
    ['0/0', 'group'],
    ['0/others', 'others'],
    ['1', 'group'],
    ['1/0', 'group'],
    ['others', 'others'],
    ['total', 'total'],
  ]);
  expect(rows.map((row) => narrowedTo(row, 'model'))).toEqual([
    { model: 'large' },
    { model: 'large', tag: 'end_user=ann' },
    null,
    null,
    null,
    null,
    null,
  ]);
});

test('a row leads to the next group that is not used yet', () => {
  const [group, part] = tableRows(BREAKDOWN, 'model', 'end_user');
  if (group === undefined || part === undefined) throw new Error('There are two rows.');
  expect(nextGroup(group, 'model', 'end_user', false)).toBe('end_user');
  expect(nextGroup(part, 'model', 'end_user', false)).toBe('key');
  expect(nextGroup(group, 'key', null, false)).toBe('model');
  expect(nextGroup(group, 'account', null, true)).toBe('model');
  expect(nextGroup(group, 'model', null, true)).toBe('account');
});
