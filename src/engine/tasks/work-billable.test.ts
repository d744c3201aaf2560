import { expect, test } from 'bun:test';
import type { AskedWork, MadeItem } from '../../domain/tasks/job.ts';
import { largestPieces, workBillable } from './work-billable.ts';

const item = (durationSeconds: number | null): MadeItem => ({ source: null, mediaType: null, durationSeconds });
const asked = (more: Partial<AskedWork> = {}): AskedWork => ({ count: 1, seconds: 5, resolution: '720p', ...more });
const amounts = (work: AskedWork, ...lengths: (number | null)[]) =>
  workBillable('video', work, { items: lengths.map(item) }).quantities.map(({ unit, amount, ...rest }) =>
    'variant' in rest ? `${amount} ${unit} ${rest.variant}` : `${amount} ${unit}`,
  );

test.each([
  ['a little longer', 5.04, 5],
  ['a little shorter', 4.5, 5],
  ['clearly shorter', 3, 3],
  ['longer than requested', 60, 5],
  ['missing', null, 5],
  ['zero', 0, 5],
  ['negative', -5, 5],
  ['infinite', Number.POSITIVE_INFINITY, 5],
  ['not a number', Number.NaN, 5],
] as const)('a video whose reported length is %s', (_, said, seconds) => {
  expect(amounts(asked(), said)).toEqual([
    '1 request',
    `1 clip 720p/${seconds}s`,
    `${seconds * 1_000} millisecond 720p`,
  ]);
});

test('excess output is not paid for, and missing output costs less', () => {
  expect(amounts(asked({ count: 2 }), 5, 5, 5)).toEqual(amounts(asked({ count: 2 }), 5, 5));
  expect(amounts(asked({ count: 2 }), 5)).toEqual(amounts(asked(), 5));
  expect(amounts(asked({ count: 2 }), 5, 3)).toEqual([
    '1 request',
    '1 clip 720p/5s',
    '1 clip 720p/3s',
    '8000 millisecond 720p',
  ]);
});

test('the price depends on the traits, and on the reported resolution if none was requested', () => {
  expect(amounts(asked({ traits: ['pro', 'audio'] }), 5)[1]).toBe('1 clip 720p/5s/pro/audio');
  const made = { items: [item(5)], resolution: '4k' };
  expect(workBillable('video', asked(), made)).toMatchObject({ quantities: [{}, { variant: '720p/5s' }, {}] });
  const unknown = workBillable('video', asked({ resolution: null }), made);
  expect(unknown).toMatchObject({ quantities: [{}, { variant: '4k/5s' }, { variant: '4k' }] });
});

test('an unknown length is an estimate', () => {
  expect(workBillable('video', asked({ seconds: null }), { items: [item(null)] }).source).toBe('estimated');
  expect(workBillable('video', asked({ seconds: null }), { items: [item(7)] }).source).toBe('reported');
});

test('output is never charged above the largest reservation', () => {
  for (const said of [null, 1, 4.9, 5, 5.1, 1e9, -1]) {
    const [, , made] = workBillable('video', asked({ count: 3 }), {
      items: [said, said, said, said].map(item),
    }).quantities;
    const [, most] = largestPieces('video', asked({ count: 3 }), 60);
    expect(made?.unit).toBe('millisecond');
    expect(Number(made?.amount)).toBeLessThanOrEqual(Number(most?.amount));
  }
});

test.each([-5, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'invalid token counts (%p) are replaced by the requested ones',
  (said) => {
    const made = { items: [item(5)], tokens: { input: said, output: said } };
    const { quantities } = workBillable('video', asked({ outputTokens: 900 }), made);
    expect(quantities.filter(({ unit }) => unit.endsWith('_token'))).toEqual([{ unit: 'output_token', amount: 900 }]);
  },
);
