import { expect, test } from 'bun:test';
import { chartOf } from './chart-rows.ts';

const part = (total: string | number | null, values: (string | number | null)[]) => ({
  ...{ from: '2026-11-23T10:00:00Z', to: '2026-11-23T11:00:00Z', total, values, others: 0 },
});
const AT = Date.parse('2026-11-23T10:00:00Z');

test('groups that have no series of their own are among the others', () => {
  expect(chartOf([part('0.6', ['0.3', '0.2', '0.1']), part('0', ['0', '0', '0'])], [0, 1], true)).toMatchObject({
    hasOthers: true,
    rows: [
      { at: AT, values: [0.3, 0.2, expect.closeTo(0.1)] },
      { at: AT, values: [0, 0, 0] },
    ],
  });
});

test('there is no series of others without any, nor for metrics that do not add up', () => {
  expect(chartOf([part('0.3', ['0.1', '0.2'])], [0, 1], true)).toMatchObject({
    hasOthers: false,
    rows: [{ values: [0.1, 0.2] }],
  });
  expect(chartOf([part(500, [400, null])], [0, 1], false)).toMatchObject({
    hasOthers: false,
    rows: [{ values: [400, null] }],
  });
});
