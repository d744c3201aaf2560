import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { seededRandom } from '../../src/domain/routing/testing/seeded-random.ts';
import { TestClock } from '../shared/test-clock.ts';
import { asked, burst, type LimitsBed, startLimitsBed } from './bed.ts';

/*
 * The window of a minute at a gateway, whose clock the test moves. What clients see of limits is in one-gateway.test.ts, and several
 * gateways are in acceptance/redis/shared-limits.test.ts.
 */

const MINUTE_MS = 60_000;
const BURSTS_FOR_MS = 10 * MINUTE_MS;

const clock = new TestClock();
let bed: LimitsBed;
const node = () => bed.nodes[0] ?? expect.unreachable();

beforeAll(async () => {
  const accounts = { bursts: { role: 'User' }, waiter: { role: 'User' } };
  bed = await startLimitsBed({ accounts, clock });
});
afterAll(() => bed.stop());

describe('an account of the role User', () => {
  test('is never admitted more than 60 times in 60 seconds, and reaches that rate if it asks for more', async () => {
    const random = seededRandom(7);
    const admittedAtMs: number[] = [];
    while (clock.monotonicMs() < BURSTS_FOR_MS) {
      const admitted = await burst(node(), 'bursts', 1 + Math.floor(random() * 60));
      for (let count = 0; count < admitted; count++) admittedAtMs.push(clock.monotonicMs());
      clock.advance(random() * 20_000);
    }
    expect(mostInOneWindow(admittedAtMs, MINUTE_MS)).toBe(60);
    // The test sends about 180 requests a minute.
    expect(admittedAtMs.length).toBeGreaterThan(0.9 * 60 * (BURSTS_FOR_MS / MINUTE_MS));
  });

  test('is admitted exactly after Retry-After, and not a second earlier', async () => {
    expect(await burst(node(), 'waiter', 60)).toBe(60);
    clock.advance(5_300);
    const refused = await asked(node(), 'waiter');
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBe(55);
    clock.advance((seconds - 1) * 1_000);
    expect((await asked(node(), 'waiter')).status).toBe(429);
    clock.advance(1_000);
    expect((await asked(node(), 'waiter')).status).toBe(200);
  });
});

/** The most times within one window. */
function mostInOneWindow(times: readonly number[], windowMs: number): number {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + windowMs).length));
}
