import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { channelTo, chatAnswer } from '../first-light/upstream.ts';
import { type Replay, startReplay } from '../shared/replay.ts';
import { wholeChatSample } from '../shared/sample-recordings.ts';
import { until } from '../shared/until.ts';
import { fileOf, type RoutingBed, type RoutingConfiguration, startRoutingBed } from './bed.ts';
import { incomplete, inParallel } from './client.ts';
import { broken, counts, forgetAll, upstreamsNamed } from './upstreams.ts';

const CONCURRENCY = 20;
const BREAKER = { window_ms: 30_000, failure_rate: 0.5, minimum_requests: 5, cooldown_ms: 60_000, probes: 3 };
const FAULTS = ['status-500', 'status-503', 'status-429', 'reset', 'hang'] as const;

describe('of three channels with weights 5:3:2 the first fails', () => {
  const upstreams = upstreamsNamed('three', 'two');
  let replay: Replay;
  let bed: RoutingBed;

  beforeAll(async () => {
    replay = await startReplay();
    const id = wholeChatSample().id;
    const faulty = Object.fromEntries(FAULTS.map((fault) => [fault, `fault.${fault}.${id}`]));
    const channel = (to: { readonly baseUrl: string }, extra: object) =>
      channelTo(to, { breaker: BREAKER, timeouts: { first_byte_ms: 300 }, ...extra });
    bed = await startRoutingBed({
      channels: [
        channel(replay, { id: 'five', weight: 5, models: faulty }),
        channel(upstreams.three, { id: 'three', weight: 3, models: FAULTS }),
        channel(upstreams.two, { id: 'two', weight: 2, models: FAULTS }),
      ],
    });
  }, 60_000);

  afterAll(async () => {
    await bed?.stop();
    await replay?.stop();
    for (const upstream of Object.values(upstreams)) await upstream.stop();
  });

  for (const fault of FAULTS) {
    test(`with ${fault}: no client sees it, the breaker opens, the others share what comes`, async () => {
      await replay.clearJournal();
      forgetAll(upstreams);
      const send = (count: number) =>
        inParallel(count, CONCURRENCY, (index) => bed.ask({ model: fault, stream: index % 2 === 0 }));
      const opening = await send(300);
      expect(incomplete(opening)).toEqual([]);
      const tried = (await replay.journal()).length;
      expect(tried).toBeGreaterThan(0);
      // What was on its way when the breaker opened has come, too; no probe is due within the cool-down.
      expect(tried).toBeLessThanOrEqual(BREAKER.minimum_requests + CONCURRENCY);
      forgetAll(upstreams);
      const after = await send(500);
      expect(incomplete(after)).toEqual([]);
      // The 429 says to come back after a second, in which case a few do; all else rests for the cool-down.
      const mostProbes = fault === 'status-429' ? CONCURRENCY : 0;
      expect((await replay.journal()).length - tried).toBeLessThanOrEqual(mostProbes);
      expect(after.filter(({ retryCount }) => retryCount > 0).length).toBeLessThanOrEqual(mostProbes);
      const [three = 0, two = 0] = counts(upstreams);
      expect(three + two).toBe(500);
      expect(Math.abs(three - 300)).toBeLessThanOrEqual(5);
    }, 60_000);
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
  let bed: RoutingBed;

  beforeAll(async () => {
    bed = await startRoutingBed(configuration());
  });

  afterAll(async () => {
    await bed?.stop();
    for (const upstream of Object.values(upstreams)) await upstream.stop();
  });

  test('lets probes through while it is open, and closes when the upstream has healed', async () => {
    upstreams.five.answer = broken;
    const failing = await inParallel(200, CONCURRENCY, () => bed.ask({ model: 'healing' }));
    expect(incomplete(failing)).toEqual([]);
    forgetAll(upstreams);
    // While it is down, each time that its cool-down is over a few requests try it, and are answered by another.
    const stopAt = performance.now() + 1_500;
    const probing = await inParallel(CONCURRENCY, CONCURRENCY, async () => {
      const answers = [];
      while (performance.now() < stopAt) {
        answers.push(await bed.ask({ model: 'healing' }));
        await Bun.sleep(10);
      }
      return answers;
    });
    expect(incomplete(probing.flat())).toEqual([]);
    expect(upstreams.five.count).toBeGreaterThan(0);
    const openings = 1 + Math.ceil(1_500 / cooldown.cooldown_ms);
    expect(upstreams.five.count).toBeLessThanOrEqual(openings * BREAKER.probes);

    upstreams.five.answer = chatAnswer;
    const answersAgain = async () => (await bed.ask({ model: 'healing' })).channel === 'five';
    await until('the healed channel answers again', answersAgain, 3_000);
    // Until its window has forgotten the failures a probe more or less may go out first.
    await inParallel(40, 4, () => bed.ask({ model: 'healing' }));
    forgetAll(upstreams);
    const healed = await inParallel(200, CONCURRENCY, () => bed.ask({ model: 'healing' }));
    expect(incomplete(healed)).toEqual([]);
    const [five = 0, three = 0, two = 0] = counts(upstreams);
    expect({ five, three, two, isFair: Math.abs(five - 100) <= 4 && Math.abs(three - 60) <= 4 }).toMatchObject({
      isFair: true,
    });
  }, 60_000);

  test('stays open over a new configuration that leaves the channel as it is', async () => {
    upstreams.five.answer = broken;
    await inParallel(20, 1, () => bed.ask({ model: 'lasting' }));
    forgetAll(upstreams);
    await bed.apply(fileOf(configuration([channelTo(upstreams.two, { id: 'newcomer', models: ['new-model'] })])));
    const isInForce = async () => (await bed.ask({ model: 'new-model' })).isComplete;
    await until('the new configuration is in force', isInForce);
    const answers = await inParallel(20, 4, () => bed.ask({ model: 'lasting' }));
    expect(incomplete(answers)).toEqual([]);
    expect(upstreams.five.count).toBe(0);
  }, 60_000);
});
