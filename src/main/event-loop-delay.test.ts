import { afterEach, expect, test } from 'bun:test';
import { EventLoopDelay } from './event-loop-delay.ts';

let delay: EventLoopDelay | undefined;
afterEach(() => delay?.stop());

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('a minute tells how long the process was held up, and the next one begins anew', async () => {
  let nowMs = 0;
  delay = new EventLoopDelay({ monotonicMs: () => nowMs });
  expect(delay.read()).toEqual({ meanMs: 0, p99Ms: 0, maxMs: 0 });
  await Bun.sleep(100);
  block(200);
  await Bun.sleep(100);
  expect(delay.read().maxMs).toBeGreaterThan(120);
  nowMs = 60_000;
  delay.look();
  expect(delay.read().maxMs).toBeGreaterThan(120);
  await Bun.sleep(100);
  nowMs = 120_000;
  delay.look();
  expect(delay.read().maxMs).toBeLessThan(120);
});
