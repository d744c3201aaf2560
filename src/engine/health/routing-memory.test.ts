import { beforeEach, describe, expect, test } from 'bun:test';
import type { Channel } from '../../domain/catalog/channel.ts';
import { DEFAULT_BREAKER } from '../../domain/routing/breaker-settings.ts';
import { sampleChannel } from '../ports/testing/samples.ts';
import { RoutingMemory } from './routing-memory.ts';

const MODEL = 'upstream-model';
const ACCOUNT = 'acme';
const ALONE = { hasSeveralAccounts: false };

function channel(fields: Partial<Channel> = {}): Channel {
  return sampleChannel({
    ...{ id: 'one', name: 'One', provider: 'openai-compatible', baseUrl: 'http://one.example/v1', apiKey: 'secret' },
    models: { public: MODEL },
    ...fields,
  });
}

const platform = (...channels: readonly Channel[]) => new Map([[null, channels]]);

describe('what routing has learned of a channel', () => {
  let timeMs = 0;
  let memory: RoutingMemory;
  const clock = { nowMs: () => 1_700_000_000_000 + timeMs, monotonicMs: () => timeMs };
  const health = () => memory.health('one').model(MODEL);
  const admits = () => health().admits(ACCOUNT, timeMs);

  beforeEach(() => {
    timeMs = 1_000;
    memory = new RoutingMemory(clock, Math.random);
    memory.adopt(platform(channel()), ALONE);
  });

  function failOften(): void {
    for (let count = 0; count < DEFAULT_BREAKER.minimumRequests; count++) {
      health().breaker.begin(ACCOUNT, timeMs)?.failed(timeMs, false);
    }
    health().isNews = true;
  }

  test('survives an unrelated change of the configuration', () => {
    failOften();
    const models = { public: MODEL, other: 'other' };
    memory.adopt(platform(channel({ priority: 7, weight: 3, models }), channel({ id: 'two' })), ALONE);
    expect(admits()).toBe(false);
    expect(memory.health('two').model(MODEL).admits(ACCOUNT, timeMs)).toBe(true);
  });

  test('is dropped when the upstream changes', () => {
    failOften();
    memory.adopt(platform(channel({ baseUrl: 'http://elsewhere.example/v1' })), ALONE);
    expect(admits()).toBe(true);
  });

  test('is dropped when an operator resets it', () => {
    failOften();
    memory.adopt(platform(channel({ resetAtMs: clock.nowMs() })), ALONE);
    expect(admits()).toBe(true);
  });

  test('keeps a block that is not stored yet, until a reset', () => {
    memory.health('one').block = { atMs: clock.nowMs(), reason: 'The key was revoked.' };
    memory.adopt(platform(channel({ weight: 2 })), ALONE);
    expect(admits()).toBe(false);
    expect(health().availableAtMs(ACCOUNT, timeMs)).toBe(Number.POSITIVE_INFINITY);
    memory.adopt(platform(channel({ weight: 2, resetAtMs: clock.nowMs() })), ALONE);
    expect(admits()).toBe(true);
  });

  test('is restored in the next process', () => {
    failOften();
    const [row] = memory.takeNews();
    expect(row).toMatchObject({ channelId: 'one', upstreamModel: MODEL, state: 'open', openings: 1 });
    expect(row?.availableAtMs).toBe(clock.nowMs() + DEFAULT_BREAKER.cooldownMs);
    const next = new RoutingMemory(clock, Math.random);
    next.restore(row ? [row] : []);
    next.adopt(platform(channel()), ALONE);
    const restored = next.health('one').model(MODEL);
    expect(restored.admits(ACCOUNT, timeMs)).toBe(false);
    expect(restored.admits(ACCOUNT, timeMs + DEFAULT_BREAKER.cooldownMs)).toBe(true);
  });

  test('is not restored from before a reset', () => {
    failOften();
    const rows = memory.takeNews();
    const next = new RoutingMemory(clock, Math.random);
    next.restore(rows);
    next.adopt(platform(channel({ resetAtMs: clock.nowMs() + 1 })), ALONE);
    expect(next.health('one').model(MODEL).admits(ACCOUNT, timeMs)).toBe(true);
  });

  test('is reported once, and again when time changes it', () => {
    expect(memory.takeNews()).toHaveLength(0);
    failOften();
    expect(memory.takeNews()).toHaveLength(1);
    timeMs += DEFAULT_BREAKER.cooldownMs;
    expect(memory.takeNews()).toMatchObject([{ state: 'half-open' }]);
    expect(memory.takeNews()).toHaveLength(0);
  });
});
