import { beforeEach, expect, test } from 'bun:test';
import type { Logger } from '../engine/ports/logger.ts';
import { type Stopping, shutDown } from './shut-down.ts';

const GRACE_MS = 10_000;
const WRITE_MS = 5_000;
const never = () => new Promise<never>(() => {});

let nowMs: number;
let logged: string[];
const time = {
  nowMs: () => nowMs,
  sleep: async (ms: number) => {
    nowMs += ms;
    // Lets all other pending events happen.
    await new Promise<void>((resolve) => setImmediate(resolve));
  },
};
const note = (_fields: unknown, message: string) => void logged.push(message);
const logger: Logger = { debug: note, info: note, warn: note, error: note };

beforeEach(() => {
  nowMs = 0;
  logged = [];
});

function stopping(own: Partial<Stopping>, running = { inFlight: 0, openStreams: 0, cutOff: () => {} }): Stopping {
  return {
    gateway: { running, drain: () => {}, close: async () => {} } as Stopping['gateway'],
    server: { stop: async () => {}, pendingRequests: 0 },
    upstream: { interrupt: () => {} },
    store: { close: async () => {} },
    closeRest: async () => {},
    graceMs: GRACE_MS,
    writeMs: WRITE_MS,
    logger,
    print: () => {},
    time,
    ...own,
  };
}

test('an idle gateway stops at once, and closes everything', async () => {
  const closed: string[] = [];
  const store = { close: async () => void closed.push('store') };
  await shutDown(stopping({ store, closeRest: async () => void closed.push('rest') }));
  expect(closed).toEqual(['store', 'rest']);
  expect(nowMs).toBeLessThan(1_000);
});

test('a stop with requests that cannot be charged without the database is bounded', async () => {
  const running = { inFlight: 3, openStreams: 3, cutOff: () => {} };
  await shutDown(stopping({ store: { close: never } }, running));
  expect(nowMs).toBeLessThanOrEqual(GRACE_MS + WRITE_MS + 10);
  expect(logged).toEqual([
    'shutdown grace period is over; aborting requests in flight',
    'requests could not be charged and recorded before the stop',
    'queued writes were not finished before the stop',
  ]);
});

test('a stop is bounded if Redis, the cache or the media store does not close', async () => {
  await shutDown(stopping({ closeRest: never }));
  expect(nowMs).toBeLessThanOrEqual(GRACE_MS + WRITE_MS + 10);
  expect(logged).toEqual(['queued writes were not finished before the stop']);
});

test('a database that returns after the grace period receives the pending charges', async () => {
  const running = {
    get inFlight() {
      return nowMs < GRACE_MS + 2_000 ? 1 : 0;
    },
    openStreams: 0,
    cutOff: () => {},
  };
  await shutDown(stopping({}, running));
  expect(logged).toEqual(['shutdown grace period is over; aborting requests in flight']);
});
