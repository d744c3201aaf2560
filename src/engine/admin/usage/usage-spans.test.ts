import { describe, expect, test } from 'bun:test';
import { isKept, keptSums, refuseForgotten, usageSpans, widened } from './usage-spans.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-28T18:20:30Z');
const SETTINGS = { minuteSumsMs: 3 * DAY_MS, hourSumsMs: 30 * DAY_MS };
const kept = keptSums(SETTINGS, { minutesBeforeMs: 0, hoursBeforeMs: 0, ranksBeforeMs: 0 }, NOW_MS);
const at = Date.parse;

describe('the kept usage sums', () => {
  test('begin on a whole hour and a whole day', () => {
    expect(kept.minutesFromMs).toBe(at('2026-11-25T19:00:00Z'));
    expect(kept.quartersFromMs).toBe(at('2026-10-29T00:00:00Z'));
  });

  test('are limited by earlier, shorter retention', () => {
    const before = { minutesBeforeMs: at('2026-11-27T01:00:00Z'), hoursBeforeMs: at('2026-11-09T00:00:00Z') };
    const thinned = { ...before, ranksBeforeMs: at('2025-11-09T00:00:00Z') };
    expect(keptSums(SETTINGS, thinned, NOW_MS)).toEqual({
      minutesFromMs: thinned.minutesBeforeMs,
      quartersFromMs: thinned.hoursBeforeMs,
      ranksFromMs: thinned.ranksBeforeMs,
    });
  });

  test.each([
    ['2026-11-27T10:07:00Z', '2026-11-28T18:21:00Z', '2026-11-27T10:07:00Z', '2026-11-28T18:21:00Z'],
    ['2026-11-20T10:07:00Z', '2026-11-28T18:21:00Z', '2026-11-20T10:00:00Z', '2026-11-28T18:21:00Z'],
    ['2026-11-20T10:07:00Z', '2026-11-21T10:07:00Z', '2026-11-20T10:00:00Z', '2026-11-21T10:15:00Z'],
    ['2026-09-20T10:07:00Z', '2026-09-21T10:07:00Z', '2026-09-20T00:00:00Z', '2026-09-22T00:00:00Z'],
  ])('widen a range from %s to %s to %s to %s', (from, to, widerFrom, widerTo) => {
    expect(widened({ fromMs: at(from), toMs: at(to) }, kept)).toEqual({ fromMs: at(widerFrom), toMs: at(widerTo) });
  });

  test.each([
    ['minute', 'UTC', '2026-11-20T10:00:00Z', /quarter of an hour \(retention\.minute_sums_days\)/],
    ['hour', 'UTC', '2026-09-20T00:00:00Z', /day \(UTC\) \(retention\.hour_sums_days\)/],
    ['day', 'Asia/Kolkata', '2026-09-20T00:00:00Z', /^bucket: .*choose larger buckets/],
  ] as const)('refuse buckets of a %s in %s from %s on', (bucket, timeZone, from, message) => {
    const spans = usageSpans({ fromMs: at(from), toMs: at(from) + 2 * DAY_MS, bucket, timeZone });
    expect(() => refuseForgotten(spans, kept)).toThrow(message);
    expect(isKept(spans, kept)).toBe(false);
  });

  test.each([
    ['minute', 'UTC', '2026-11-26T10:00:00Z'],
    ['day', 'Asia/Kathmandu', '2026-11-01T18:15:00Z'],
    ['day', 'UTC', '2020-01-01T00:00:00Z'],
  ] as const)('serve buckets of a %s in %s from %s on', (bucket, timeZone, from) => {
    const spans = usageSpans({ fromMs: at(from), toMs: at(from) + 2 * DAY_MS, bucket, timeZone });
    refuseForgotten(spans, kept);
    expect(isKept(spans, kept)).toBe(true);
  });
});
