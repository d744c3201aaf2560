import { beforeEach, expect, test } from 'bun:test';
import { StoreWatch } from './store-watch.ts';

let problem: string | null;
let checks: (() => void)[];
let nowMs: number;
let logged: string[];
let watch: StoreWatch;

const health = {
  get problem() {
    return problem;
  },
  check: () => new Promise<void>((resolve) => void checks.push(resolve)),
};

beforeEach(() => {
  problem = null;
  checks = [];
  nowMs = 1_000;
  logged = [];
  const note = (level: string) => (_fields: object, message: string) => void logged.push(`${level}: ${message}`);
  const logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  watch = new StoreWatch({ health, clock: { nowMs: () => nowMs, monotonicMs: () => nowMs }, logger });
});

async function answer(found: string | null): Promise<void> {
  problem = found;
  checks.shift()?.();
  await Bun.sleep(0);
}

test('the watch reports the state of the store, and logs changes', async () => {
  watch.look();
  await answer(null);
  expect([watch.problem, logged]).toEqual([null, []]);
  for (let second = 0; second < 3; second++) {
    watch.look();
    await answer('the disk is full');
  }
  expect(watch.problem).toBe('the disk is full');
  watch.look();
  await answer(null);
  expect(watch.problem).toBeNull();
  expect(logged).toEqual([
    'error: the store is not writable: requests with a cost are refused',
    'info: the store is writable again',
  ]);
});

test('a problem that a charge met is known before the next check', () => {
  problem = 'the database is unavailable';
  expect(watch.problem).toBe('the database is unavailable');
});

test('a store that does not respond is a problem until it does, and is checked once', async () => {
  for (let second = 0; second <= 4; second++, nowMs += 1_000) watch.look();
  expect(watch.problem).toBeNull();
  watch.look();
  expect([watch.problem, checks.length]).toEqual(['the database does not respond', 1]);
  await answer(null);
  expect(watch.problem).toBeNull();
  watch.look();
  expect(checks).toHaveLength(1);
});

test('a store that does not respond for a second gets no new requests, before charges are refused', async () => {
  watch.look();
  nowMs += 999;
  expect(watch.notReady).toBeNull();
  nowMs += 1;
  expect([watch.notReady, watch.problem]).toEqual(['the database does not respond', null]);
  await answer(null);
  expect(watch.notReady).toBeNull();
  problem = 'the disk is full';
  expect(watch.notReady).toBe('the disk is full');
});
