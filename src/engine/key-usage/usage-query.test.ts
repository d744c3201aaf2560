import { expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import type { Budget } from '../../domain/money/budget.ts';
import { sampleAccount, sampleCredential } from '../ports/testing/samples.ts';
import { parseBillingPeriod, parseUsageQuery } from './usage-query.ts';

const NOW_MS = Date.parse('2026-10-25T12:34:56Z');
const BERLIN: Budget = { amountNanoUsd: 1n, per: 'day', timeZone: 'Europe/Berlin' };
const principal = { account: sampleAccount({ budget: BERLIN }), credential: sampleCredential() };
const sharing = { ...principal, credential: sampleCredential({ usageAccess: 'account' }) };

/** Returns a period as texts, or the name of the parameter at fault. */
function told(period: { fromMs: number; toMs: number } | Failure) {
  if (period instanceof Failure) return period.details.param;
  return [period.fromMs, period.toMs].map((ms) => new Date(ms).toISOString().slice(0, 16));
}
const usage = (query: string, of = principal) => parseUsageQuery(new URLSearchParams(query), of, NOW_MS);
const billing = (query: string) => told(parseBillingPeriod(new URLSearchParams(query), NOW_MS));

test('the period is the month until now, in the zone of a budget that the key may know', () => {
  expect(told(usage(''))).toEqual(['2026-10-01T00:00', '2026-10-25T12:35']);
  expect(usage('')).toMatchObject({ scope: 'key', timeZone: 'UTC', top: 20 });
  expect(told(usage('', sharing))).toEqual(['2026-09-30T22:00', '2026-10-25T12:35']);
  expect(usage('scope=key', sharing)).toMatchObject({ scope: 'key', timeZone: 'UTC' });
  expect(told(usage('to=2026-10-01'))).toEqual(['2026-09-01T00:00', '2026-10-01T00:00']);
});

test('a period has at most 100 days, also if the clocks are set back in it', () => {
  expect(told(usage('from=2026-07-17&to=2026-10-25'))).toEqual(['2026-07-17T00:00', '2026-10-25T00:00']);
  expect(told(usage('from=2026-07-26T22:00:00Z&to=2026-11-03T23:00:00Z'))).toHaveLength(2);
  expect(told(usage('from=2026-07-16&to=2026-10-25'))).toBe('from');
  expect(told(usage('from=2026-10-26'))).toBe('to');
  expect(told(usage('from=1969-12-31&to=1970-01-02'))).toBe('from');
});

test('an end of today includes today, and any other is exclusive', () => {
  expect(billing('')).toEqual(['2026-10-01T00:00', '2026-10-26T00:00']);
  expect(billing('start_date=2026-10-01&end_date=2026-10-25')).toEqual(['2026-10-01T00:00', '2026-10-26T00:00']);
  expect(billing('start_date=2026-10-01&end_date=2026-10-26')).toEqual(['2026-10-01T00:00', '2026-10-26T00:00']);
  expect(billing('start_date=2026-10-24&end_date=2026-10-25')).toEqual(['2026-10-24T00:00', '2026-10-26T00:00']);
  expect(billing('start_date=2026-10-23&end_date=2026-10-24')).toEqual(['2026-10-23T00:00', '2026-10-24T00:00']);
  expect(billing('start_date=2026-10-26&end_date=2026-10-25')).toBe('end_date');
  expect(billing('end_date=2026-11-30')).toEqual(['2026-10-01T00:00', '2026-11-30T00:00']);
});
