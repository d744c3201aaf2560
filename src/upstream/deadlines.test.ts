import { describe, expect, test } from 'bun:test';
import { Failure } from '../domain/failure/failure.ts';
import { DeadlineWatch, UNWATCHED, type Watched } from './deadlines.ts';

/** Counts how often its deadline is read. */
class Entry implements Watched {
  slot = UNWATCHED;
  dueMs = 0;
  before: Watched | null = null;
  after: Watched | null = null;
  looks = 0;
  readonly firedAtMs: number[] = [];
  verdict: Failure | null = null;
  private limitMs: number;

  constructor(
    private readonly watch: DeadlineWatch,
    limitMs: number,
    private readonly then: (entry: Entry, nowMs: number) => void = () => this.end(),
  ) {
    this.limitMs = limitMs;
    watch.add(this);
  }

  get deadlineMs(): number {
    this.looks++;
    return this.limitMs;
  }

  set deadlineMs(limitMs: number) {
    this.limitMs = limitMs;
    this.watch.moved(this);
  }

  onDeadline(nowMs: number): void {
    this.firedAtMs.push(nowMs);
    this.then(this, nowMs);
  }

  cut(verdict: Failure): void {
    this.verdict = verdict;
    this.end();
  }

  end(): void {
    this.watch.delete(this);
  }
}

/** Returns a watch whose sweeps the test drives, without a timer. */
function wheelAt(startMs: number) {
  const watch = new DeadlineWatch();
  const inner = watch as unknown as { tick: number; timer: unknown; sweep(nowMs: number): void };
  inner.tick = Math.floor(startMs / 25);
  inner.timer = 0;
  // The watch stops when it has no entries.
  new Entry(watch, Number.MAX_SAFE_INTEGER);
  return { watch, sweepTo: (nowMs: number) => inner.sweep(nowMs) };
}

/** Advances the wheel as its timer would. */
function pass(wheel: ReturnType<typeof wheelAt>, fromMs: number, toMs: number): void {
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += 25) wheel.sweepTo(nowMs);
}

describe('a deadline', () => {
  test.each([0, 1, 24, 25, 26, 500, 6_375, 6_399, 6_400, 6_401, 12_799, 12_800, 60_001, 600_000, 1_700_000, 7_200_000])(
    'of %d ms fires after its time, and at most one tick later',
    (limitMs) => {
      for (const startMs of [3, 6_390, 10_000, 1_000_000]) {
        const wheel = wheelAt(startMs);
        const entry = new Entry(wheel.watch, startMs + limitMs);
        pass(wheel, startMs, startMs + limitMs + 100);
        expect(entry.firedAtMs).toHaveLength(1);
        const lateMs = (entry.firedAtMs[0] ?? 0) - startMs - limitMs;
        expect(lateMs).toBeGreaterThanOrEqual(0);
        expect(lateMs).toBeLessThanOrEqual(50);
      }
    },
  );

  test('does not fire early after it was extended, nor late after it was shortened', () => {
    const wheel = wheelAt(0);
    const later = new Entry(wheel.watch, 200);
    const sooner = new Entry(wheel.watch, 500_000);
    pass(wheel, 0, 100);
    later.deadlineMs = 30_000;
    sooner.deadlineMs = 400;
    pass(wheel, 125, 29_975);
    expect([later.firedAtMs, sooner.firedAtMs]).toEqual([[], [400]]);
    pass(wheel, 30_000, 31_000);
    expect(later.firedAtMs).toEqual([30_000]);
  });

  test('can be set again after it fired', () => {
    const wheel = wheelAt(0);
    const entry = new Entry(wheel.watch, 100, (self, nowMs) => {
      if (self.firedAtMs.length === 3) self.end();
      else self.deadlineMs = nowMs + 10_000;
    });
    pass(wheel, 0, 60_000);
    expect(entry.firedAtMs).toEqual([100, 10_100, 20_100]);
  });

  test('fires after the process was paused, also if another deadline in its slot ended', () => {
    const wheel = wheelAt(0);
    const others: Entry[] = [];
    const first = new Entry(wheel.watch, 300, (self) => {
      for (const other of others) other.end();
      self.end();
    });
    const late = new Entry(wheel.watch, 90_000);
    others.push(new Entry(wheel.watch, 300), new Entry(wheel.watch, 290));
    wheel.sweepTo(100_000);
    expect(first.firedAtMs.length + others.reduce((sum, { firedAtMs }) => sum + firedAtMs.length, 0)).toBeGreaterThan(
      0,
    );
    expect(late.firedAtMs).toEqual([100_000]);
    expect([first, late, ...others].map(({ slot }) => slot)).toEqual([-1, -1, -1, -1]);
  });
});

test('10,000 distant deadlines cost almost no checks', () => {
  const wheel = wheelAt(0);
  const waiting = Array.from({ length: 10_000 }, (_, index) => new Entry(wheel.watch, 600_000 + index));
  const soon = new Entry(wheel.watch, 500_000);
  const looks = () => waiting.reduce((sum, entry) => sum + entry.looks, 0);
  const before = looks();
  pass(wheel, 0, 590_000);
  expect(soon.firedAtMs).toEqual([500_000]);
  // Far less than once each per sweep: in 10 minutes a list would be swept 23,600 times.
  expect(looks() - before).toBeLessThanOrEqual(10_000);
});

test('all can be cut at once, and nothing is watched afterwards', () => {
  const wheel = wheelAt(0);
  const entries = [10, 10, 7_000, 10_000_000].map((limitMs) => new Entry(wheel.watch, limitMs));
  const verdict = new Failure('internal_error', { message: 'over' });
  wheel.watch.cutAll(verdict);
  expect(entries.every((entry) => entry.verdict === verdict && entry.slot === UNWATCHED)).toBe(true);
  pass(wheel, 0, 20_000);
  expect(entries.flatMap(({ firedAtMs }) => firedAtMs)).toEqual([]);
});

test('any random changes give the same result as a plain list', () => {
  let state = 7;
  const draw = (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const wheel = wheelAt(0);
  const expected = new Map<Entry, number>();
  for (let nowMs = 0; nowMs < 120_000; nowMs += 25) {
    for (let left = draw(3); left > 0; left--) {
      const limitMs = nowMs + draw(draw(2) === 0 ? 300 : 30_000);
      expected.set(new Entry(wheel.watch, limitMs), limitMs);
    }
    const [some] = [...expected.keys()].slice(draw(expected.size + 1));
    if (some !== undefined) {
      const limitMs = nowMs + draw(20_000);
      some.deadlineMs = limitMs;
      expected.set(some, limitMs);
    }
    wheel.sweepTo(nowMs + 25);
    for (const [entry, limitMs] of expected) {
      const isDue = limitMs <= nowMs;
      if (isDue || entry.firedAtMs.length > 0) {
        expect({ limitMs, nowMs, fired: entry.firedAtMs.length }).toEqual({ limitMs, nowMs, fired: 1 });
        expect(entry.firedAtMs[0]).toBeGreaterThanOrEqual(limitMs);
        expected.delete(entry);
      }
    }
  }
});
