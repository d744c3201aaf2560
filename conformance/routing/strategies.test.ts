import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { channelTo, streamedAnswer, wholeAnswer } from '../first-light/upstream.ts';
import { BETA, type RoutingBed, startRoutingBed } from './bed.ts';
import { type Answer, CLIENT_FORMATS, incomplete, inParallel } from './client.ts';
import { broken, counts, forgetAll, upstreamsNamed } from './upstreams.ts';

const upstreams = upstreamsNamed('first', 'second', 'third');
const { first, second, third } = upstreams;
const CHANNELS = [first, second, third];
let bed: RoutingBed;

const MODELS = ['by-default', 'cheapest', 'quickest', 'moving', 'idlest', 'in-turn', 'unpriced'];
const cost = (usd: string) => ({ input_per_1m: usd, output_per_1m: usd });
const costsOf = (usd: string) => ({ 'by-default': cost(usd), cheapest: cost(usd), unpriced: cost(usd) });

beforeAll(async () => {
  // What one fault teaches of a channel is not to spoil the next test.
  const breaker = { minimum_requests: 1_000 };
  const channel = (id: keyof typeof upstreams, extra: object) =>
    channelTo(upstreams[id], { id, models: MODELS, breaker, ...extra });
  bed = await startRoutingBed({
    routing: { strategy: 'lowest-cost' },
    channels: [
      channel('first', { costs: costsOf('3.00') }),
      channel('second', { costs: costsOf('0.5') }),
      channel('third', { costs: { 'by-default': cost('1'), cheapest: cost('1') } }),
    ],
    models: [
      { id: 'cheapest', strategy: 'lowest-cost' },
      { id: 'unpriced', strategy: 'lowest-cost' },
      { id: 'quickest', strategy: 'lowest-latency' },
      { id: 'moving', strategy: 'lowest-latency' },
      { id: 'idlest', strategy: 'least-busy' },
      { id: 'in-turn', strategy: 'weighted' },
    ],
    beta: { strategy: 'weighted' },
  });
});

afterAll(async () => {
  await bed?.stop();
  for (const upstream of Object.values(upstreams)) await upstream.stop();
});

beforeEach(() => {
  for (const upstream of Object.values(upstreams))
    upstream.answer = (request) => (request.stream ? streamedAnswer(request) : wholeAnswer(request));
  forgetAll(upstreams);
});

/** The share of the answers that this channel gave. */
const shareOf = (answers: readonly Answer[], id: string) =>
  answers.filter(({ channel }) => channel === id).length / answers.length;

describe('lowest-cost', () => {
  test('goes to the channel that costs least, whatever the client speaks', async () => {
    const answers = await inParallel(60, 10, (index) =>
      bed.ask({ model: 'cheapest', format: CLIENT_FORMATS[index % 4]!, stream: index % 2 === 0 }),
    );
    expect(incomplete(answers)).toEqual([]);
    expect(counts(upstreams)).toEqual([0, 60, 0]);
  });

  test('goes to the next in cost where that one fails', async () => {
    second.answer = broken;
    const answers = await inParallel(10, 1, () => bed.ask({ model: 'cheapest' }));
    expect(incomplete(answers)).toEqual([]);
    expect([first.count, third.count]).toEqual([0, 10]);
  });

  test('takes a channel whose cost is not known only after those whose cost is', async () => {
    await inParallel(20, 5, () => bed.ask({ model: 'unpriced' }));
    expect(counts(upstreams)).toEqual([0, 20, 0]);
    second.answer = broken;
    forgetAll(upstreams);
    await inParallel(5, 1, () => bed.ask({ model: 'unpriced' }));
    expect([first.count, third.count]).toEqual([5, 0]);
  });
});

describe('lowest-latency', () => {
  test('goes to the quickest first byte, not to the shortest answer', async () => {
    const late = (ms: number) => async (request: Parameters<typeof wholeAnswer>[0]) => {
      await Bun.sleep(ms);
      return streamedAnswer(request);
    };
    first.answer = late(80);
    second.answer = late(40);
    third.answer = (request) => streamedAnswer(request, { pieces: 10, gapMs: 15 });
    await inParallel(30, 3, () => bed.ask({ model: 'quickest', stream: true }));
    const answers = await inParallel(60, 6, () => bed.ask({ model: 'quickest', stream: true }));
    expect(incomplete(answers)).toEqual([]);
    expect(shareOf(answers, 'third')).toBeGreaterThan(0.8);
  }, 60_000);

  test('moves on when the quickest has become slow', async () => {
    const late = (ms: number) => async (request: Parameters<typeof wholeAnswer>[0]) => {
      await Bun.sleep(ms);
      return wholeAnswer(request);
    };
    first.answer = late(2);
    second.answer = late(30);
    third.answer = late(60);
    await inParallel(30, 3, () => bed.ask({ model: 'moving' }));
    const before = await inParallel(40, 4, () => bed.ask({ model: 'moving' }));
    expect(shareOf(before, 'first')).toBeGreaterThan(0.8);
    first.answer = late(150);
    await inParallel(40, 4, () => bed.ask({ model: 'moving' }));
    const after = await inParallel(40, 4, () => bed.ask({ model: 'moving' }));
    expect(shareOf(after, 'first')).toBeLessThan(0.2);
    expect(shareOf(after, 'second')).toBeGreaterThan(0.6);
  }, 60_000);
});

describe('least-busy', () => {
  test('keeps the requests in flight level, so that a slow channel gets fewer', async () => {
    const levels: (readonly number[])[] = [];
    // Of different lengths, so that the requests of a channel do not all end at once.
    const counted = (ms: number) => async (request: Parameters<typeof wholeAnswer>[0]) => {
      levels.push(CHANNELS.map(({ inFlight }) => inFlight));
      await Bun.sleep(ms * (0.5 + (levels.length % 11) / 10));
      return wholeAnswer(request);
    };
    first.answer = counted(120);
    second.answer = counted(20);
    third.answer = counted(20);
    const answers = await inParallel(450, 30, () => bed.ask({ model: 'idlest' }));
    expect(incomplete(answers)).toEqual([]);
    // Thirty clients: ten for each channel, were all of it seen at once. By weights the slow one would have 22.
    const steady = levels.slice(30, -30);
    const means = CHANNELS.map((_, at) => steady.reduce((sum, level) => sum + level[at]!, 0) / steady.length);
    expect({ means, isLevel: Math.max(...means) - Math.min(...means) < 4 }).toMatchObject({ isLevel: true });
    expect(first.count).toBeLessThan(second.count / 2);
    expect(Math.abs(second.count - third.count)).toBeLessThan(450 * 0.1);
  }, 60_000);
});

describe('which strategy holds', () => {
  test("the routing section's, where neither model nor account has one", async () => {
    await inParallel(20, 5, () => bed.ask({ model: 'by-default' }));
    expect(counts(upstreams)).toEqual([0, 20, 0]);
  });

  test("the model's before that", async () => {
    await inParallel(30, 5, () => bed.ask({ model: 'in-turn' }));
    expect(counts(upstreams)).toEqual([10, 10, 10]);
  });

  test("the account's before the model's", async () => {
    await inParallel(30, 5, () => bed.ask({ model: 'cheapest', key: BETA }));
    expect(counts(upstreams)).toEqual([10, 10, 10]);
    forgetAll(upstreams);
    await inParallel(30, 5, () => bed.ask({ model: 'cheapest' }));
    expect(counts(upstreams)).toEqual([0, 30, 0]);
  });
});
