import { beforeEach, expect, test } from 'bun:test';
import type { Logger } from '../engine/ports/logger.ts';
import { type Stopping, shutDown } from './shut-down.ts';
import { StopRequest } from './stop-request.ts';

const DRAIN_MS = 5_000;
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

function gatewayWith(running: { inFlight: number; openStreams: number; cutOff(): void }): Stopping['gateway'] {
  return { running, drain: () => {}, closeSockets: () => {}, close: async () => {} };
}

/** The steps of a stop, with the time of each. */
function recorded(request: StopRequest, own: Partial<Stopping> = {}) {
  const steps: [string, number][] = [];
  const note = (step: string) => void steps.push([step, nowMs]);
  const gateway = {
    ...gatewayWith({ inFlight: 0, openStreams: 0, cutOff: () => {} }),
    drain: () => note('answers close their connections'),
    closeSockets: () => note('sockets are closed'),
  };
  const stop = async () => note('the listener is closed');
  const server = { stop, pendingRequests: 0 };
  return { steps, done: shutDown(stopping({ request, gateway, server, ...own })) };
}

function stopping(own: Partial<Stopping>, running = { inFlight: 0, openStreams: 0, cutOff: () => {} }): Stopping {
  return {
    request: new StopRequest(0, false),
    gateway: gatewayWith(running),
    server: { stop: async () => {}, pendingRequests: 0 },
    upstream: { interrupt: () => {} },
    store: { close: async () => {} },
    closeRest: async () => {},
    drainMs: DRAIN_MS,
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

test('a drain keeps the listener and the sockets open for its time, while answers close their connections', async () => {
  const { steps, done } = recorded(new StopRequest(0, true));
  await done;
  expect(steps.slice(0, 3)).toEqual([
    ['answers close their connections', 0],
    ['sockets are closed', DRAIN_MS],
    ['the listener is closed', DRAIN_MS],
  ]);
});

test.each([
  ['a request without a drain', new StopRequest(0, false), DRAIN_MS],
  ['a drain of no time', new StopRequest(0, true), 0],
])('%s closes the listener at once', async (_case, request, drainMs) => {
  const printed: string[] = [];
  const { steps, done } = recorded(request, { drainMs, print: (line) => void printed.push(line) });
  await done;
  expect(steps[2]).toEqual(['the listener is closed', 0]);
  expect(printed).toEqual([]);
});

test('a further request ends the drain', async () => {
  const request = new StopRequest(0, true);
  const { steps, done } = recorded(request);
  while (nowMs < 1_000) await new Promise<void>((resolve) => setImmediate(resolve));
  request.endDrain();
  const endedAtMs = nowMs;
  await done;
  expect(steps.map(([step]) => step)).toContain('the listener is closed');
  expect(steps[2]?.[1]).toBeLessThanOrEqual(endedAtMs + 100);
});

test('after its time the drain is over, so that a further request ends the process', async () => {
  const request = new StopRequest(0, true);
  await recorded(request).done;
  expect(request.drains).toBe(false);
  await request.drained;
});

test('the grace period begins when the drain has ended', async () => {
  const running = { inFlight: 1, openStreams: 0, cutOff: () => {} };
  await shutDown(stopping({ request: new StopRequest(0, true) }, running));
  expect(nowMs).toBeGreaterThan(DRAIN_MS + GRACE_MS);
  expect(nowMs).toBeLessThanOrEqual(DRAIN_MS + GRACE_MS + WRITE_MS + 10);
});
