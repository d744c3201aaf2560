import { describe, expect, test } from 'bun:test';
import type { Channel } from '../../src/domain/catalog/channel.ts';
import { type ChannelLimits, NO_LIMITS, type QueueSettings } from '../../src/domain/catalog/channel-limits.ts';
import { ProviderLimits } from '../../src/domain/routing/provider-limits.ts';
import { seededRandom } from '../../src/domain/routing/testing/seeded-random.ts';
import { FakeClock } from '../../src/engine/admin/testing/fake-clock.ts';
import { FullTargets } from '../../src/engine/call/full-targets.ts';
import { channelOf, MODEL, targetOf } from '../../src/engine/call/testing/sample-routes.ts';
import { ChannelLimiters, type Served, type WaitEnd } from '../../src/engine/channel-limits/channel-limiters.ts';
import { TargetPermit } from '../../src/engine/channel-limits/target-permit.ts';
import type { TextTarget } from '../../src/engine/directory/target.ts';
import { MemoryRateCounters } from '../../src/stores/in-process/rate-counters.ts';

const WAITING: QueueSettings = { maxWaiting: 10_000, maxWaitMs: 60_000 };

/** A clock whose timers run when a test advances it. */
class TimedClock extends FakeClock {
  private readonly timers = new Set<{ readonly atMs: number; readonly work: () => void }>();

  readonly timer = (ms: number, work: () => void) => {
    const timer = { atMs: this.monotonicMs() + ms, work };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  };

  get timerCount(): number {
    return this.timers.size;
  }

  /** Runs all timers of the next `ms` in order, each at its time. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.monotonicMs() + ms;
    for (;;) {
      const [next] = [...this.timers].sort((one, other) => one.atMs - other.atMs);
      if (next === undefined || next.atMs > untilMs) break;
      this.timers.delete(next);
      this.advance(next.atMs - this.monotonicMs());
      next.work();
      await settled();
    }
    this.advance(untilMs - this.monotonicMs());
    await settled();
  }
}

/** Lets everything run that waits for no timer. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

function limited(limits: Partial<ChannelLimits>, fields: Partial<Channel> = {}): Channel {
  return channelOf('a', 'chatting', { limits: { ...NO_LIMITS, models: {}, ...limits }, ...fields });
}

function scene(channel: Channel, queue: QueueSettings = WAITING) {
  const clock = new TimedClock();
  const counters = new MemoryRateCounters(clock);
  let current: Channel | null = channel;
  const limiters = new ChannelLimiters({ counters, clock, timer: clock.timer, queue, channel: () => current });
  const target = targetOf(channel);
  const take = (): TargetPermit | null => {
    const taken = limiters.take(target, null);
    if (taken instanceof Promise) throw new Error('the counters of one process are synchronous');
    return taken instanceof TargetPermit ? taken : null;
  };
  const order: string[] = [];
  const wait = (accountId: string, name = accountId, targets: readonly TextTarget[] = [target]) => {
    const leaving = new AbortController();
    const full = targets.map((one) => ({ target: one, by: 'channel' as const, retryAfterMs: 0 }));
    const input = { accountId, size: null, full, signal: leaving.signal, mostMs: 600_000, waitedMs: 0 };
    const result = limiters.wait(input).then((end) => {
      order.push(typeof end === 'string' ? `${name}: ${end}` : name);
      return end;
    });
    return { result, leave: () => leaving.abort() };
  };
  const setChannel = (next: Channel | null) => {
    current = next;
  };
  return { clock, counters, limiters, target, take, wait, order, setChannel };
}

function permitOf(end: Served<TextTarget> | WaitEnd): TargetPermit {
  if (typeof end === 'string') throw new Error(`not served: ${end}`);
  return end.permit;
}

describe('a channel with limits', () => {
  test('sends no more than its limit within any minute, however its requests come', async () => {
    const { clock, take } = scene(limited({ requestsPerMinute: 10 }));
    const random = seededRandom(3);
    const sentAtMs: number[] = [];
    for (let step = 0; step < 3_000; step++) {
      clock.advance(Math.floor(random() * 2_000));
      const permit = take();
      if (permit === null) continue;
      permit.leave();
      sentAtMs.push(clock.monotonicMs());
    }
    expect(sentAtMs.length).toBeGreaterThan(300);
    for (const [index, atMs] of sentAtMs.entries()) {
      expect((sentAtMs[index + 10] ?? Number.POSITIVE_INFINITY) - atMs).toBeGreaterThanOrEqual(60_000);
    }
  });

  test('counts running requests of the channel and of each model', async () => {
    const models = { [MODEL]: { ...NO_LIMITS, maxConcurrent: 1 } };
    const { limiters, target } = scene(limited({ maxConcurrent: 2, models }));
    const first = await limiters.take(target, null);
    const second = await limiters.take(target, null);
    expect(second).toEqual({ by: 'model', retryAfterMs: 0 });
    (first as TargetPermit).leave();
    expect(await limiters.take(target, null)).toBeInstanceOf(TargetPermit);
  });

  test('counts the forecast tokens when a request is sent, and corrects them upwards at its end', async () => {
    const { limiters, target } = scene(limited({ tokensPerMinute: 1_000 }));
    const size = { inputTokens: 1_000, outputTokens: 100 };
    const first = limiters.take(target, size) as TargetPermit;
    expect(limiters.take(target, size)).toBeInstanceOf(TargetPermit);
    first.used({
      source: 'reported',
      quantities: [
        { unit: 'input_token', amount: 500 },
        { unit: 'output_token', amount: 90 },
      ],
    });
    expect(limiters.take(target, size)).toMatchObject({ by: 'channel', retryAfterMs: 60_000 });
  });

  test('sends a request above the whole limit of tokens while nothing else counts', () => {
    const { limiters, target } = scene(limited({ tokensPerMinute: 1_000 }));
    const size = { inputTokens: 1_000_000, outputTokens: 100 };
    expect(limiters.take(target, size)).toBeInstanceOf(TargetPermit);
    expect(limiters.take(target, size)).toMatchObject({ by: 'channel' });
  });
});

/** The full targets of one request, over channels for one request at a time. */
function requestTo(...ids: string[]) {
  const clock = new TimedClock();
  const channels = new Map(ids.map((id) => [id, channelOf(id, 'chatting', { limits: ONE_AT_ONCE })]));
  const channel = (id: string) => channels.get(id) ?? null;
  const counters = new MemoryRateCounters(clock);
  const limiters = new ChannelLimiters({ counters, clock, timer: clock.timer, queue: WAITING, channel });
  const targets = [...channels.values()].map((one) => targetOf(one));
  const client = { signal: new AbortController().signal };
  const full = new FullTargets<{ readonly target: (typeof targets)[number] }>({
    ...{ limiters, clock, client, accountId: 'acme', size: null, outcome: {} },
  });
  const take = (index: number) => limiters.take(targets[index] ?? expect.unreachable(), null) as TargetPermit;
  return { clock, limiters, targets, full, take };
}

const ONE_AT_ONCE: ChannelLimits = { ...NO_LIMITS, models: {}, maxConcurrent: 1 };

describe('a request to full targets', () => {
  test('holds no place of a target that could not carry it while it waits for another', async () => {
    const { limiters, targets, full, take } = requestTo('a', 'b');
    const running = take(0);
    const tried = targets.map((target) => ({ target }));
    expect(tried.map((one) => full.admits(one))).toEqual([false, true]);
    const waiting = full.next(60_000);
    const other = take(1);
    expect(other).toBeInstanceOf(TargetPermit);
    running.leave();
    const served = (await waiting)?.target ?? expect.unreachable();
    expect(served.channel.id).toBe('a');
    full.permitFor(served)?.leave();
    other.leave();
    expect([limiters.runningAt('a'), limiters.runningAt('b')]).toEqual([0, 0]);
  });

  test('waits once for a target that was full at each retry', async () => {
    const { clock, limiters, targets, full, take } = requestTo('a');
    const [target] = targets;
    if (target === undefined) return expect.unreachable();
    const running = take(0);
    expect([full.admits({ target }), full.admits({ target })]).toEqual([false, false]);
    const waiting = full.next(60_000);
    expect([limiters.waitingFor('a'), full.refusals?.length]).toEqual([1, 1]);
    running.leave();
    expect((await waiting)?.target).toBe(target);
    full.permitFor(target)?.leave();
    await settled();
    expect([limiters.runningAt('a'), limiters.waitingFor('a'), clock.timerCount]).toEqual([0, 0, 0]);
  });
});

describe('waiting requests', () => {
  test('of an account with a thousand of them do not delay that of another one', async () => {
    const { take, wait, order, limiters } = scene(limited({ maxConcurrent: 1 }));
    const permit = take();
    const [first] = Array.from({ length: 1_000 }, (_, index) => wait('many', `many ${index}`));
    const one = wait('one');
    expect(limiters.waiting).toBe(1_001);
    permit?.leave();
    permitOf(await (first?.result ?? 'refused')).leave();
    await one.result;
    expect(order).toEqual(['many 0', 'one']);
  });

  test('are served in turn, one for each place that becomes free', async () => {
    const { take, wait, order } = scene(limited({ maxConcurrent: 2 }));
    const permits = [take(), take()];
    expect(take()).toBeNull();
    const waits = ['a1', 'a2', 'b1', 'c1'].map((name) => wait(name[0] ?? '', name).result);
    permits[0]?.leave();
    await settled();
    expect(order).toEqual(['a1']);
    for (const [index, expected] of [
      ['a1', 'b1'],
      ['a1', 'b1', 'c1'],
      ['a1', 'b1', 'c1', 'a2'],
    ].entries()) {
      permitOf(await (waits[[0, 2, 3][index] ?? 0] as Promise<Served<TextTarget>>)).leave();
      await settled();
      expect(order).toEqual(expected);
    }
  });

  test('come before requests that arrive later', async () => {
    const { take, wait, order } = scene(limited({ maxConcurrent: 1 }));
    const permit = take();
    const waiting = wait('a');
    permit?.leave();
    // The place is given away by now, whether or not the waiting request has noticed.
    expect(take()).toBeNull();
    await waiting.result;
    expect(order).toEqual(['a']);
  });

  test('make later ones wait as long as the limit says', async () => {
    const { clock, limiters, target, take, wait } = scene(limited({ requestsPerMinute: 1 }));
    take();
    wait('a');
    await settled();
    await clock.pass(20_000);
    expect(limiters.take(target, null)).toEqual({ by: 'queue', retryAfterMs: 40_000 });
    limiters.stop();
  });

  test('that are named twice, or are sent while they join, leave nothing in a line', async () => {
    const { clock, take, wait, limiters, target } = scene(limited({ maxConcurrent: 1 }));
    const permit = take();
    const { result } = wait('a', 'a', [target, target]);
    expect(limiters.waitingFor('a')).toBe(1);
    permit?.leave();
    permitOf(await result).leave();
    await settled();
    expect([limiters.waitingFor('a'), limiters.runningAt('a'), clock.timerCount]).toEqual([0, 0, 0]);
  });

  test('see a place that another node has freed within a bounded time', async () => {
    const { clock, counters, limiters, wait, order } = scene(limited({ maxConcurrent: 1 }));
    const places = { scope: '{channel:a}:running', limit: 1 };
    counters.enter(places);
    wait('a');
    await clock.pass(1_000);
    expect(order).toEqual([]);
    counters.leave(places, '');
    await clock.pass(250);
    expect(order).toEqual(['a']);
    expect(limiters.waiting).toBe(0);
  });

  test('wait for a window until it has room, and at most for their time', async () => {
    const { clock, take, wait, order } = scene(limited({ requestsPerMinute: 1 }), { maxWaiting: 5, maxWaitMs: 60_000 });
    take();
    await clock.pass(30_000);
    wait('a');
    wait('b');
    await clock.pass(30_000);
    expect(order).toEqual(['a']);
    await clock.pass(30_000);
    expect(order).toEqual(['a', 'b: timeout']);
    expect(clock.timerCount).toBe(0);
  });

  test('end when their client leaves, and leave nothing behind', async () => {
    const { clock, take, wait, order, limiters } = scene(limited({ maxConcurrent: 1 }));
    const permit = take();
    const waits = Array.from({ length: 100 }, (_, index) => wait(`account ${index % 7}`));
    for (const { leave } of waits) leave();
    await settled();
    expect(order.every((end) => end.endsWith(': left'))).toBe(true);
    expect([limiters.waiting, limiters.waitingFor('a'), clock.timerCount]).toEqual([0, 0, 0]);
    permit?.leave();
    expect(take()).toBeInstanceOf(TargetPermit);
  });

  test('are refused at once if the time that the limit names is too late', async () => {
    const { limiters, target } = scene(limited({ requestsPerMinute: 1 }), { maxWaiting: 5, maxWaitMs: 1_000 });
    const { signal } = new AbortController();
    const full = [{ target, by: 'channel' as const, retryAfterMs: 5_000 }];
    const input = { accountId: 'a', size: null, full, signal, mostMs: 60_000, waitedMs: 0 };
    expect(await limiters.wait(input)).toBe('refused');
  });

  test('of an account that fills the queue make room for others', async () => {
    const { take, wait, order, limiters } = scene(limited({ maxConcurrent: 1 }), { maxWaiting: 10, maxWaitMs: 60_000 });
    take();
    for (let index = 0; index < 12; index++) wait('many', `many ${index}`);
    await settled();
    expect(order).toEqual(['many 10: refused', 'many 11: refused']);
    for (let index = 0; index < 5; index++) wait('one', `one ${index}`);
    await settled();
    expect(order.slice(2)).toEqual([9, 8, 7, 6, 5].map((index) => `many ${index}: refused`));
    wait('one', 'one 5');
    await settled();
    expect(order.at(-1)).toBe('one 5: refused');
    expect(limiters.waitingFor('a')).toBe(10);
  });

  test('ten thousand of them are held, and no more', async () => {
    const { take, wait, order, limiters } = scene(limited({ maxConcurrent: 1 }), {
      maxWaiting: 20_000,
      maxWaitMs: 60_000,
    });
    const permit = take();
    for (let index = 0; index < 10_001; index++) wait(`account ${index}`);
    await settled();
    expect(order).toEqual(['account 10000: refused']);
    permit?.leave();
    await settled();
    expect(order[1]).toBe('account 0');
    limiters.stop();
    await settled();
    expect(limiters.waiting).toBe(0);
  });

  test('of one account cannot take all places of the process', async () => {
    const queue = { maxWaiting: 10_000, maxWaitMs: 60_000 };
    const { take, wait, order, limiters } = scene(limited({ maxConcurrent: 1 }), queue);
    take();
    for (let index = 0; index < 2_501; index++) wait('many');
    await settled();
    expect(order).toEqual(['many: refused']);
    wait('other');
    expect(limiters.waiting).toBe(2_501);
    limiters.stop();
  });

  test('follow a limit that is raised, and end if the channel is taken out of use', async () => {
    const { clock, take, wait, order, setChannel } = scene(limited({ maxConcurrent: 1 }));
    take();
    wait('a');
    wait('b');
    wait('c');
    setChannel(limited({ maxConcurrent: 3 }));
    await clock.pass(250);
    expect(order).toEqual(['a', 'b']);
    setChannel(null);
    await clock.pass(250);
    expect(order).toEqual(['a', 'b', 'c: refused']);
  });

  test('wait for what a provider says is left', async () => {
    const { clock, wait, order, target } = scene(channelOf('a', 'chatting'));
    const stated = new ProviderLimits();
    target.health.stated = stated;
    const limit = { index: 0, unit: 'requests', limit: 10, remaining: 0, resetMs: 5_000, refill: 'window' } as const;
    stated.states([limit], null, clock.monotonicMs(), 300_000);
    wait('a');
    await clock.pass(4_000);
    expect(order).toEqual([]);
    await clock.pass(1_000);
    expect(order).toEqual(['a']);
  });

  test('no place is lost, whatever the order of arrivals, departures and ends', async () => {
    const { clock, take, wait, limiters } = scene(limited({ maxConcurrent: 3 }));
    const random = seededRandom(11);
    const running: TargetPermit[] = [];
    const waiting: (() => void)[] = [];
    for (let step = 0; step < 2_000; step++) {
      const what = random();
      if (what < 0.5) {
        const permit = take();
        if (permit !== null) running.push(permit);
        else {
          const { result, leave } = wait(`account ${Math.floor(random() * 5)}`);
          waiting.push(leave);
          void result.then((end) => typeof end !== 'string' && running.push(end.permit));
        }
      } else if (what < 0.8) running.splice(Math.floor(random() * running.length), 1)[0]?.leave();
      else waiting.splice(Math.floor(random() * waiting.length), 1)[0]?.();
      await settled();
      expect(running.length).toBeLessThanOrEqual(3);
      // A place is free only if nobody waits.
      if (running.length < 3) expect(limiters.waiting).toBe(0);
    }
    limiters.stop();
    for (const permit of running) permit.leave();
    await clock.pass(1_000);
    expect([take(), take(), take(), take()].filter((permit) => permit !== null)).toHaveLength(3);
  });
});
