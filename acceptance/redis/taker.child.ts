import { MemoryRateCounters } from '../../src/stores/in-process/rate-counters.ts';
import { RedisRateCounters } from '../../src/stores/redis/rate-counters.ts';

/*
 * Runs a gateway's counters in its own process: sends random bursts until the given number of admissions, and prints for each the times
 * (milliseconds since 1970) between which it happened.
 */

const [url = '', limit = '0', windowMs = '0', wanted = '0'] = process.argv.slice(2);
const silent = () => {};
const counters = await RedisRateCounters.connect({
  url,
  whenAway: 'refuse',
  local: new MemoryRateCounters({ monotonicMs: () => performance.now() }),
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  patience: () => 1_000,
});
const nowMs = () => performance.timeOrigin + performance.now();
const windows = [{ scope: '{taker}:requests', limit: Number(limit), windowMs: Number(windowMs), amount: 1 }];
const admissions: [number, number][] = [];
while (admissions.length < Number(wanted)) {
  const burst = 1 + Math.floor(Math.random() * Number(limit));
  await Promise.all(
    Array.from({ length: burst }, async () => {
      const fromMs = nowMs();
      const answer = await counters.take({ windows, places: null });
      if ('decisions' in answer && answer.isAdmitted) admissions.push([fromMs, nowMs()]);
    }),
  );
  await Bun.sleep(Math.random() * Number(windowMs) * 0.2);
}
await counters.close();
process.stdout.write(JSON.stringify(admissions));
