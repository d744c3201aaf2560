import { expect, test } from 'bun:test';
import { isInSample } from './sampling.ts';

const random = () => crypto.randomUUID().replaceAll('-', '');

test('the share of the traces is about the ratio', () => {
  const traces = Array.from({ length: 20_000 }, random);
  for (const ratio of [0.05, 0.5]) {
    const share = traces.filter((trace) => isInSample(trace, ratio)).length / traces.length;
    expect(Math.abs(share - ratio)).toBeLessThan(0.02);
  }
});

test('a larger share contains each smaller one', () => {
  for (let count = 0; count < 1_000; count++) {
    const trace = random();
    if (isInSample(trace, 0.1)) expect(isInSample(trace, 0.3)).toBe(true);
  }
});

test.each([
  ['0'.repeat(31).concat('1'), 0.999_999, false],
  ['0'.repeat(18).concat('f'.repeat(14)), 0.000_001, true],
  // OpenTelemetry's threshold of one half is 0x80000000000000 of 56 bits.
  ['f'.repeat(18).concat('80000000000000'), 0.5, true],
  ['f'.repeat(18).concat('7fffffffffffff'), 0.5, false],
  ['f'.repeat(32), 0, false],
  ['0'.repeat(31).concat('1'), 1, true],
])('the trace %s with the ratio %d: %p', (traceId, ratio, isKept) => {
  expect(isInSample(traceId, ratio)).toBe(isKept);
});
