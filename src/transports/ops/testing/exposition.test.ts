import { expect, test } from 'bun:test';
import { parseExposition } from './exposition.ts';

const HEAD = '# HELP up A help with a \\\\ in it.\n# TYPE up gauge\n';
const HISTOGRAM = '# HELP h Seconds.\n# TYPE h histogram\n';

test('labels and values are unescaped', () => {
  const up = parseExposition(`${HEAD}up{a="x\\"\\\\\\n",b=""} 1.5e-7\nup +Inf\n`).get('up');
  expect(up).toMatchObject({ help: 'A help with a \\ in it.', type: 'gauge' });
  expect(up?.samples).toEqual([
    { name: 'up', labels: { a: 'x"\\\n', b: '' }, value: 1.5e-7 },
    { name: 'up', labels: {}, value: Number.POSITIVE_INFINITY },
  ]);
});

test.each([
  ['a series that is there twice', `${HEAD}up{a="1",b="2"} 1\nup{b="2",a="1"} 2\n`],
  ['a family that is there twice', `${HEAD}up 1\n${HEAD}`],
  ['a sample outside of its family', `${HEAD}down 1\n`],
  ['a sample without a family', 'up 1\n'],
  ['a type without a help', '# TYPE up gauge\nup 1\n'],
  ['a label that is there twice', `${HEAD}up{a="1",a="2"} 1\n`],
  ['a quote that is not escaped', `${HEAD}up{a="1"2"} 1\n`],
  ['an escape that there is not', `${HEAD}up{a="\\t"} 1\n`],
  ['a line end in a label', `${HEAD}up{a="1\n2"} 1\n`],
  ['a value that is no number', `${HEAD}up undefined\n`],
  ['a last line without an end', `${HEAD}up 1`],
  ['buckets that fall', `${HISTOGRAM}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`],
  ['buckets without +Inf', `${HISTOGRAM}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`],
])('refuses %s', (_what, text) => {
  expect(() => parseExposition(text)).toThrow('Prometheus');
});
