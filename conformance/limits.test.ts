import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Admitted, asked, burst, type LimitsBed, mostInOneWindow, startLimitsBed } from './limits/bed.ts';

/*
 * The window of a minute at a real gateway, which takes more than a minute. Ten minutes of bursts run in no time beside the code
 * (src/engine/limits/limits.test.ts); what clients see of limits is in one-gateway.test.ts, and several gateways in
 * shared-limits.test.ts.
 */

setDefaultTimeout(120_000);

const WINDOW_MS = 60_000;
const BURSTS_FOR_MS = 75_000;

let bed: LimitsBed;
const node = () => bed.nodes[0] ?? expect.unreachable();

beforeAll(async () => {
  bed = await startLimitsBed({ accounts: { bursts: { role: 'User' }, waiter: { role: 'User' } } });
});
afterAll(() => bed.stop());

describe('an account of the role User', () => {
  test.concurrent('is never admitted more than 60 times in 60 seconds, and not less often where it asks for more', async () => {
    const admitted: Admitted[] = [];
    const endMs = performance.now() + BURSTS_FOR_MS;
    while (performance.now() < endMs) {
      admitted.push(...(await burst(node(), 'bursts', 1 + Math.floor(Math.random() * 40))));
      await Bun.sleep(Math.random() * 4_000);
    }
    expect(mostInOneWindow(admitted, WINDOW_MS)).toBe(60);
    expect(admitted.length).toBeGreaterThan(60);
  });

  test.concurrent('is admitted when it has waited exactly as long as Retry-After says', async () => {
    expect(await burst(node(), 'waiter', 60)).toHaveLength(60);
    await Bun.sleep(5_300);
    const refused = await asked(node(), 'waiter');
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeWithin(50, 56);
    await Bun.sleep(seconds * 1_000);
    expect((await asked(node(), 'waiter')).status).toBe(200);
  });
});
