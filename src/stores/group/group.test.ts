import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../domain/testing/until.ts';
import { MemoryConversationState } from '../in-process/conversation-state.ts';
import { MemoryRateCounters } from '../in-process/rate-counters.ts';
import { connectToPeer, listenForPeers, type Peer } from '../shared/link/peer.ts';
import { conversationStateTests, kindOf } from '../shared/testing/conversation-state-contract.ts';
import { rateCountersTests, taken } from '../shared/testing/rate-counters-contract.ts';
import { GroupConversationState, OfferedStates, STATES } from './conversation-state.ts';
import { COUNTERS, GroupRateCounters, OfferedCounters } from './counters.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
/** Time passes only when a test advances it. */
let timeMs = 0;
const monotonicMs = () => timeMs;
const wait = (ms: number) => {
  timeMs += ms;
};
let folder: string;
let stop: () => void;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-group-'));
  const counters = new MemoryRateCounters({ monotonicMs });
  const states = new OfferedStates(new MemoryConversationState(), monotonicMs);
  const offer = (peer: () => Peer) => {
    const offered = new OfferedCounters(counters);
    queueMicrotask(() => void peer().ended.then(() => offered.ended()));
    return { [COUNTERS]: offered, [STATES]: states };
  };
  const listener = listenForPeers(join(folder, 's'), offer, logger);
  stop = () => listener.stop(true);
});

afterAll(() => {
  stop();
  rmSync(folder, { recursive: true, force: true });
});

const joined = () => connectToPeer(join(folder, 's'), {}, logger);

describe('counters shared by a group', () => {
  let counters: GroupRateCounters;
  beforeAll(async () => {
    counters = new GroupRateCounters(await joined());
  });

  rateCountersTests(test, () => ({ counters, nowMs: monotonicMs, wait }));

  test('are told a number only of quotas that are used again, and refused requests hold no place', async () => {
    const told: unknown[][] = [];
    const offered = new OfferedCounters(new MemoryRateCounters({ monotonicMs }));
    const far = new Proxy(offered, {
      get:
        (of, name) =>
        (...args: [never, never]) => {
          told.push([name, ...args]);
          return of[name as 'takeNew'](...args);
        },
    });
    const group = new GroupRateCounters({ far: () => far } as unknown as Peer);
    const quota = { windows: [], places: { scope: '{other}:places', limit: 1 } };
    for (let count = 0; count < 3; count++) await taken(group, quota);
    expect(told).toEqual([
      ['takeOnce', quota],
      ['takeNew', 1, quota],
      ['take', 1],
    ]);
    offered.leave('{other}:places', '');
    offered.leave('{other}:places', '');
    expect((await taken(group, quota)).isAdmitted).toBe(true);
    expect((await taken(group, quota)).isAdmitted).toBe(false);
  });

  test('only the places of an ended process become free', async () => {
    const quota = { windows: [], places: { scope: '{acme}:places', limit: 3 } };
    const [mortal, other] = [await joined(), await joined()];
    const [one, two] = [new GroupRateCounters(mortal), new GroupRateCounters(other)];
    const held = await taken(one, quota);
    await taken(one, quota);
    await taken(two, quota);
    expect((await taken(two, quota)).hasFreePlace).toBe(false);
    one.leave(quota.places, held.place ?? '');
    one.leave(quota.places, held.place ?? '');
    one.leave(quota.places, held.place ?? '');
    mortal.close();
    await mortal.ended;
    for (let places = 0; places < 2; places++) {
      await until('its place is free', async () => (await taken(two, quota)).hasFreePlace);
    }
    expect((await taken(two, quota)).hasFreePlace).toBe(false);
    other.close();
    await other.ended;
    const away = await two.take(quota);
    expect('retryAfterMs' in away).toBe(true);
  });
});

describe('conversation state shared by a group', () => {
  conversationStateTests(test, async () => new GroupConversationState(await joined(), new MemoryConversationState()));

  async function two(extra = {}) {
    const open = async () =>
      new GroupConversationState(await joined(), new MemoryConversationState()).open(kindOf(1_000_000, extra));
    return [await open(), await open()] as const;
  }

  test('is returned by account and key until it expires', async () => {
    const [one, other] = await two({ keptMs: 200, absentMs: 0 });
    one.set('umbrella', 'k', 'said');
    await one.fetch('umbrella', ['written']);
    await other.fetch('initech', ['k']);
    await other.fetch('umbrella', ['k', 'unknown']);
    expect([other.get('umbrella', 'k'), other.get('initech', 'k'), other.get('umbrella', 'unknown')]).toEqual([
      ...['said', undefined, undefined],
    ]);
    expect(other.fetch('umbrella', ['k'])).toBeNull();
    wait(250);
    const [later] = await two();
    await later.fetch('umbrella', ['k']);
    expect(later.get('umbrella', 'k')).toBeUndefined();
  });

  test('is not asked for again soon if no process has it', async () => {
    const [one] = await two();
    await one.fetch('acme', ['nobody']);
    expect(one.fetch('acme', ['nobody'])).toBeNull();
  });

  test('is replaced by a newer value of another process', async () => {
    const isNewer = (value: string, than: string) => value > than;
    const [one, other] = await two({ name: 'sessions', absentMs: 0, isNewer });
    one.set('acme', 'k', '1');
    await one.fetch('acme', ['k']);
    await other.fetch('acme', ['k']);
    expect(other.get('acme', 'k')).toBe('1');
    other.set('acme', 'k', '2');
    await other.fetch('acme', ['k']);
    await one.fetch('acme', ['k']);
    expect([one, other].map((memory) => memory.get('acme', 'k'))).toEqual(['2', '2']);
  });

  test('is a collision after two different values, if its kind supports collisions', async () => {
    const collision = { value: 'COLLIDED', isLikely: () => true };
    const [one, other] = await two({ name: 'conversations', collision });
    one.set('acme', 'same', 'x');
    other.set('acme', 'same', 'x');
    one.set('acme', 'k', 'one');
    other.set('acme', 'k', 'other');
    for (const memory of [one, other]) await memory.fetch('acme', ['k', 'same']);
    for (const memory of [one, other]) await memory.fetch('acme', ['k', 'same']);
    expect([one, other].map((memory) => [memory.get('acme', 'k'), memory.get('acme', 'same')])).toEqual([
      ['COLLIDED', 'x'],
      ['COLLIDED', 'x'],
    ]);
  });
});
