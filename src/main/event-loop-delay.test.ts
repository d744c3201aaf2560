import { afterEach, expect, test } from 'bun:test';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { until } from '../domain/testing/until.ts';
import { EventLoopDelay } from './event-loop-delay.ts';

let delay: EventLoopDelay | undefined;
afterEach(() => delay?.stop());

function block(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

test('a blocked event loop is measured', async () => {
  const ofThis = new EventLoopDelay({ monotonicMs: () => 0 });
  delay = ofThis;
  // The runtime shares one histogram in the whole process.
  monitorEventLoopDelay().reset();
  await until('there is a first sample', () => ofThis.read().maxMs > 0);
  block(200);
  await until('it is seen', () => ofThis.read().maxMs > 120);
});

/** A histogram of delays in nanoseconds that the test supplies. */
class Delays {
  given: number[] = [];

  get mean(): number {
    return this.given.reduce((sum, each) => sum + each, 0) / this.given.length;
  }
  get max(): number {
    return Math.max(...this.given);
  }
  percentile(): number {
    return this.max;
  }
  enable(): boolean {
    return true;
  }
  disable(): boolean {
    return true;
  }
  reset(): void {
    this.given = [];
  }
}

test("a minute's delays are reported until the next one is over, which starts anew", () => {
  let nowMs = 0;
  const delays = new Delays();
  delay = new EventLoopDelay({ monotonicMs: () => nowMs }, delays);
  expect(delay.read()).toEqual({ meanMs: 0, p99Ms: 0, maxMs: 0 });
  delays.given = [1e6, 200e6];
  expect(delay.read()).toEqual({ meanMs: 100.5, p99Ms: 200, maxMs: 200 });
  nowMs = 59_999;
  delay.look();
  expect(delays.given).toHaveLength(2);
  nowMs = 60_000;
  delay.look();
  delays.given = [3e6];
  expect(delay.read().maxMs).toBe(200);
  nowMs = 120_000;
  delay.look();
  expect(delay.read()).toEqual({ meanMs: 3, p99Ms: 3, maxMs: 3 });
  expect(delays.given).toEqual([]);
});
