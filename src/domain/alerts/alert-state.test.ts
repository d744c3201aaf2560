import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type AlertState,
  type AlertStep,
  nextAlertState,
  type Patience,
  type Reading,
  type Verdict,
} from './alert-state.ts';
import { RETRY_DELAYS_MS, retryDelayMs } from './delivery-schedule.ts';
import { balanceVerdict, countedAs, errorRateVerdict, percentSpent, spentVerdict } from './thresholds.ts';

const NOW = 1_000_000;
const PATIENCE: Patience = { holdMs: 0, repeatMs: null };
const reading = (verdict: Verdict, periodStartMs: number | null = null): Reading => ({ verdict, periodStartMs });
const raised = (change: Partial<AlertState> = {}): AlertState => ({
  status: 'raised',
  sinceMs: NOW - 100,
  periodStartMs: null,
  toldAtMs: NOW - 100,
  ...change,
});
const pending = (change: Partial<AlertState> = {}): AlertState => raised({ status: 'pending', ...change });
const FRESH: AlertState = { status: 'raised', sinceMs: NOW, periodStartMs: null, toldAtMs: NOW };

const STEPS: [string, AlertState | null, Reading | null, Partial<Patience>, AlertStep][] = [
  ['nothing happens below the threshold', null, reading('under'), {}, { state: null, event: null }],
  ['nothing begins in the margin', null, reading('between'), {}, { state: null, event: null }],
  ['a crossing is reported', null, reading('over'), {}, { state: FRESH, event: 'raised' }],
  ['an ongoing alert is not reported again', raised(), reading('over'), {}, { state: raised(), event: null }],
  ['the margin keeps it raised', raised(), reading('between'), {}, { state: raised(), event: null }],
  ['the end is reported', raised(), reading('under'), {}, { state: null, event: 'resolved' }],
  ['a missing subject ends the alert', raised(), null, {}, { state: null, event: 'resolved' }],
  ['an unreported alert ends silently', pending(), reading('under'), { holdMs: 200 }, { state: null, event: null }],
  [
    'it waits for the minimum duration',
    null,
    reading('over'),
    { holdMs: 1 },
    { state: { ...FRESH, status: 'pending' }, event: null },
  ],
  ['it still waits', pending(), reading('over'), { holdMs: 101 }, { state: pending(), event: null }],
  [
    'the margin does not end the wait',
    pending(),
    reading('between'),
    { holdMs: 101 },
    { state: pending(), event: null },
  ],
  [
    'it has lasted for the minimum duration',
    pending(),
    reading('over'),
    { holdMs: 100 },
    { state: raised({ toldAtMs: NOW }), event: 'raised' },
  ],
  ['it is too early to repeat', raised(), reading('over'), { repeatMs: 101 }, { state: raised(), event: null }],
  [
    'it is repeated',
    raised(),
    reading('over'),
    { repeatMs: 100 },
    { state: raised({ toldAtMs: NOW }), event: 'repeated' },
  ],
  [
    'a new period ends the alert of the previous one',
    raised({ periodStartMs: 1 }),
    reading('over', 2),
    {},
    { state: null, event: 'resolved' },
  ],
];

test.each(STEPS)('%s', (_name, before, now, patience, expected) => {
  expect(nextAlertState(before, now, { ...PATIENCE, ...patience }, NOW)).toEqual(expected);
});

test('raised and resolved alternate, and nothing is reported twice', () => {
  const verdict = fc.constantFrom<Verdict>('over', 'between', 'under');
  const measured = fc.option(fc.record({ verdict, periodStartMs: fc.constantFrom(null, 1, 2) }));
  const history = fc.array(fc.record({ measured, afterMs: fc.nat(100) }), { maxLength: 60 });
  fc.assert(
    fc.property(history, fc.nat(150), (steps, holdMs) => {
      let state: AlertState | null = null;
      let isRaised = false;
      let nowMs = NOW;
      for (const { measured: now, afterMs } of steps) {
        nowMs += afterMs;
        const step: AlertStep = nextAlertState(state, now, { holdMs, repeatMs: null }, nowMs);
        if (step.event === 'raised') {
          expect(isRaised).toBe(false);
          expect(now?.verdict).toBe('over');
        } else if (step.event === 'resolved') expect(isRaised).toBe(true);
        else expect(step.event).toBeNull();
        isRaised = step.event === null ? isRaised : step.event === 'raised';
        expect(step.state?.status === 'raised').toBe(isRaised);
        state = step.state;
      }
    }),
  );
});

describe('thresholds', () => {
  test.each<[bigint, Verdict]>([
    [99n, 'over'],
    [100n, 'between'],
    [104n, 'between'],
    [105n, 'under'],
  ])('a balance of %p against 100', (balance, verdict) => expect(balanceVerdict(balance, 100n)).toBe(verdict));

  test.each<[bigint, bigint, Verdict, number]>([
    [79n, 100n, 'under', 79],
    [80n, 100n, 'over', 80],
    [0n, 0n, 'over', 100],
    [1n, 3n, 'under', 33.33],
  ])('%p spent of %p against 80 percent', (spent, limit, verdict, percent) => {
    expect(spentVerdict(spent, limit, 80)).toBe(verdict);
    expect(percentSpent(spent, limit)).toBe(percent);
  });

  test.each<[number, number, Verdict]>([
    [20, 2, 'over'],
    [19, 19, 'between'],
    [10, 1, 'between'],
    [9, 9, 'under'],
    [100, 9, 'between'],
    [100, 8, 'under'],
    [0, 0, 'under'],
  ])('%p requests with %p errors against 10 percent of at least 20', (requests, errors, verdict) => {
    expect(errorRateVerdict({ requests, errors }, { percent: 10, minimumRequests: 20 })).toBe(verdict);
  });

  test('client errors do not count; a stream that broke off counts as failed', () => {
    expect(countedAs({ status: 404, requests: 3, errors: 3 })).toEqual({ requests: 0, errors: 0 });
    expect(countedAs({ status: 200, requests: 3, errors: 1 })).toEqual({ requests: 3, errors: 1 });
    expect(countedAs({ status: 502, requests: 3, errors: 3 })).toEqual({ requests: 3, errors: 3 });
  });
});

test('retry delays grow, vary by a fifth, and end', () => {
  expect(retryDelayMs(1, 0.5)).toBe(10_000);
  expect([retryDelayMs(2, 0), retryDelayMs(2, 1)]).toEqual([48_000, 72_000]);
  expect(retryDelayMs(RETRY_DELAYS_MS.length, 0.5)).toBe(36_000_000);
  expect(retryDelayMs(RETRY_DELAYS_MS.length + 1, 0.5)).toBeNull();
});
