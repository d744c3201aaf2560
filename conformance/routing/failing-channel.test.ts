import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { channelTo, chatAnswer } from '../first-light/upstream.ts';
import { type Replay, startReplay } from '../shared/replay.ts';
import { wholeChatSample } from '../shared/sample-recordings.ts';
import { TestClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';
import { fileOf, type RoutingBed, type RoutingConfiguration, startRoutingBed } from './bed.ts';
import { incomplete, inParallel } from './client.ts';
import { broken, counts, forgetAll, upstreamsNamed } from './upstreams.ts';

const CONCURRENCY = 20;
const BREAKER = { window_ms: 30_000, failure_rate: 0.5, minimum_requests: 5, cooldown_ms: 60_000, probes: 3 };
/** The clients' prompt; the gateway's own probes use another. */
const WORDS = 'Hello';
const FAULTS = ['status-500', 'status-503', 'status-429', 'reset', 'hang'] as const;

describe('the first of three channels with weights 5:3:2 fails', () => {
  const upstreams = upstreamsNamed('three', 'two');
  let replay: Replay;
  let bed: RoutingBed;

  beforeAll(async () => {
    replay = await startReplay();
    const id = wholeChatSample().id;
    const faulty = Object.fromEntries(FAULTS.map((fault) => [fault, `fault.${fault}.${id}`]));
    const timeouts = { first_byte_ms: 300 };
    const configuration = {
      channels: [
        channelTo(replay, { id: 'five', weight: 5, models: faulty, breaker: BREAKER, timeouts }),
        channelTo(upstreams.three, { id: 'three', weight: 3, models: FAULTS }),
        channelTo(upstreams.two, { id: 'two', weight: 2, models: FAULTS }),
      ],
    };
    // The breakers' clock stands still.
    bed = await startRoutingBed(configuration, new TestClock());
  });

  afterAll(async () => {
    await bed?.stop();
    await replay?.stop();
    for (const upstream of Object.values(upstreams)) await upstream.stop();
  });

  const tried = () => replay.journal().filter(({ body }) => body.includes(WORDS)).length;

  for (const fault of FAULTS) {
    test(`with ${fault}: clients get no error, the breaker opens, and the others share the requests`, async () => {
      replay.clearJournal();
      const send = (count: number) =>
        inParallel(count, CONCURRENCY, (index) => bed.ask({ model: fault, stream: index % 2 === 0, turns: [WORDS] }));
      const opening = await send(100);
      expect(incomplete(opening)).toEqual([]);
      const before = tried();
      expect(before).toBeGreaterThan(0);
      // Includes the requests that were in flight when the breaker opened.
      expect(before).toBeLessThanOrEqual(BREAKER.minimum_requests + CONCURRENCY);
      forgetAll(upstreams);
      const after = await send(200);
      expect(incomplete(after)).toEqual([]);
      expect(tried()).toBe(before);
      expect(after.filter(({ retryCount }) => retryCount > 0)).toHaveLength(0);
      const [three = 0, two = 0] = counts(upstreams);
      expect(three + two).toBe(200);
      expect(Math.abs(three - 120)).toBeLessThanOrEqual(2);
    });
  }
});

describe('the breaker of a channel', () => {
  const upstreams = upstreamsNamed('five', 'three', 'two');
  const cooldown = { cooldown_ms: 400, max_cooldown_ms: 800 };
  const configuration = (extra: readonly object[] = []): RoutingConfiguration => ({
    channels: [
      channelTo(upstreams.five, {
        ...{ id: 'five', weight: 5, models: ['healing'], breaker: { ...BREAKER, ...cooldown } },
      }),
      channelTo(upstreams.three, { id: 'three', weight: 3, models: ['healing'] }),
      channelTo(upstreams.two, { id: 'two', weight: 2, models: ['healing'] }),
      channelTo(upstreams.five, { id: 'lasting', priority: -1, models: ['lasting'], breaker: BREAKER }),
      channelTo(upstreams.two, { id: 'steady', models: ['lasting'] }),
      ...extra,
    ],
  });
  const clock = new TestClock();
  let bed: RoutingBed;

  beforeAll(async () => {
    bed = await startRoutingBed(configuration(), clock);
  });

  afterAll(async () => {
    await bed?.stop();
    for (const upstream of Object.values(upstreams)) await upstream.stop();
  });

  test('admits probes after each cooldown, and closes when the upstream has recovered', async () => {
    upstreams.five.answer = broken;
    const failing = await inParallel(60, CONCURRENCY, () => bed.ask({ model: 'healing', turns: [WORDS] }));
    expect(incomplete(failing)).toEqual([]);
    // While the channel is down, a few requests probe it after each cooldown and are then answered by another
    // channel.
    for (let round = 0; round < 4; round++) {
      const before = upstreams.five.countOf(WORDS);
      clock.advance(cooldown.max_cooldown_ms);
      const probing = await inParallel(60, CONCURRENCY, () => bed.ask({ model: 'healing', turns: [WORDS] }));
      expect(incomplete(probing)).toEqual([]);
      const probes = upstreams.five.countOf(WORDS) - before;
      expect(probes).toBeGreaterThan(0);
      expect(probes).toBeLessThanOrEqual(BREAKER.probes);
    }

    upstreams.five.answer = chatAnswer;
    await until('the recovered channel answers again', async () => {
      clock.advance(cooldown.max_cooldown_ms);
      return (await bed.ask({ model: 'healing' })).channel === 'five';
    });
    // The failures are outside the breaker's window now.
    clock.advance(BREAKER.window_ms);
    forgetAll(upstreams);
    const healed = await inParallel(100, CONCURRENCY, () => bed.ask({ model: 'healing' }));
    expect(incomplete(healed)).toEqual([]);
    const [five = 0, three = 0, two = 0] = counts(upstreams);
    expect({ five, three, two, isFair: Math.abs(five - 50) <= 2 && Math.abs(three - 30) <= 2 }).toMatchObject({
      isFair: true,
    });
  });

  test('stays open if a new configuration does not change the channel', async () => {
    upstreams.five.answer = broken;
    await inParallel(20, 1, () => bed.ask({ model: 'lasting', turns: [WORDS] }));
    forgetAll(upstreams);
    await bed.apply(fileOf(configuration([channelTo(upstreams.two, { id: 'newcomer', models: ['new-model'] })])));
    const isInForce = async () => (await bed.ask({ model: 'new-model' })).isComplete;
    await until('the new configuration applies', isInForce);
    const answers = await inParallel(20, 4, () => bed.ask({ model: 'lasting', turns: [WORDS] }));
    expect(incomplete(answers)).toEqual([]);
    expect(upstreams.five.countOf(WORDS)).toBe(0);
  });
});
