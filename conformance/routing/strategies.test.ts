import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Answering, channelTo, chatAnswer, chunk } from '../first-light/upstream.ts';
import { TestClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';
import { BETA, type RoutingBed, type RoutingConfiguration, startRoutingBed } from './bed.ts';
import { type Answer, CLIENT_FORMATS, incomplete, inParallel } from './client.ts';
import { broken, counts, forgetAll, upstreamsNamed } from './upstreams.ts';

const upstreams = upstreamsNamed('first', 'second', 'third');
const { first, second, third } = upstreams;
const CHANNELS = [first, second, third];
const clock = new TestClock();
let bed: RoutingBed;

const MODELS = ['by-default', 'cheapest', 'quickest', 'moving', 'idlest', 'in-turn', 'unpriced'];
const cost = (usd: string) => ({ input_per_1m: usd, output_per_1m: usd });
const costsOf = (usd: string) => ({ 'by-default': cost(usd), cheapest: cost(usd), unpriced: cost(usd) });

beforeAll(async () => {
  // Keeps the fault of one test from opening the breaker in the next.
  const breaker = { minimum_requests: 1_000 };
  const channel = (id: keyof typeof upstreams, extra: object) =>
    channelTo(upstreams[id], { id, models: MODELS, breaker, ...extra });
  const configuration: RoutingConfiguration = {
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
  };
  bed = await startRoutingBed(configuration, clock);
});

afterAll(async () => {
  await bed?.stop();
  for (const upstream of Object.values(upstreams)) await upstream.stop();
});

beforeEach(() => {
  for (const upstream of Object.values(upstreams)) upstream.answer = chatAnswer;
  forgetAll(upstreams);
});

describe('lowest-cost', () => {
  test('selects the cheapest channel, whatever the client format', async () => {
    const answers = await inParallel(60, 10, (index) =>
      bed.ask({ model: 'cheapest', format: CLIENT_FORMATS[index % 4]!, stream: index % 2 === 0 }),
    );
    expect(incomplete(answers)).toEqual([]);
    expect(counts(upstreams)).toEqual([0, 60, 0]);
  });

  test('falls back to the next cheapest channel', async () => {
    second.answer = broken;
    const answers = await inParallel(10, 1, () => bed.ask({ model: 'cheapest' }));
    expect(incomplete(answers)).toEqual([]);
    expect([first.count, third.count]).toEqual([0, 10]);
  });

  test('selects a channel with unknown cost last', async () => {
    await inParallel(20, 5, () => bed.ask({ model: 'unpriced' }));
    expect(counts(upstreams)).toEqual([0, 20, 0]);
    second.answer = broken;
    forgetAll(upstreams);
    await inParallel(5, 1, () => bed.ask({ model: 'unpriced' }));
    expect([first.count, third.count]).toEqual([5, 0]);
  });
});

describe('lowest-latency', () => {
  /** Makes the upstream take this long to its first byte, on the gateway's clock. */
  const takes =
    (ms: number): Answering =>
    (request) => {
      clock.advance(ms);
      return chatAnswer(request);
    };

  test('selects the shortest time to the first byte, not the shortest response', async () => {
    let goOn = () => {};
    first.answer = takes(80);
    second.answer = takes(40);
    third.answer = (request) => {
      clock.advance(5);
      const heard = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      async function* events() {
        yield chunk(request.model, { content: 'It begins early ' });
        await heard;
        clock.advance(500);
        yield `${chunk(request.model, { content: 'and ends late.' }, 'stop')}data: [DONE]\n\n`;
      }
      return new Response(events(), { headers: { 'content-type': 'text/event-stream' } });
    };
    // Each channel gets one request, so that it has a measurement.
    for (const _ of CHANNELS) {
      const stream = await bed.open({ model: 'quickest', stream: true });
      const reader = stream.body!.getReader();
      await reader.read();
      goOn();
      while (!(await reader.read()).done);
    }
    expect(counts(upstreams)).toEqual([1, 1, 1]);
    third.answer = takes(5);
    forgetAll(upstreams);
    const answers = await inParallel(10, 1, () => bed.ask({ model: 'quickest', stream: true }));
    expect(incomplete(answers)).toEqual([]);
    expect(counts(upstreams)).toEqual([0, 0, 10]);
  });

  test('selects another channel when the quickest becomes slow', async () => {
    first.answer = takes(2);
    second.answer = takes(30);
    third.answer = takes(60);
    const before = await inParallel(13, 1, () => bed.ask({ model: 'moving' }));
    expect(incomplete(before)).toEqual([]);
    // One request to each for a measurement, then the rest to the quickest.
    expect(counts(upstreams)).toEqual([11, 1, 1]);
    first.answer = takes(150);
    forgetAll(upstreams);
    const after = await inParallel(10, 1, () => bed.ask({ model: 'moving' }));
    expect(incomplete(after)).toEqual([]);
    // A single slow response raises the average above the 30 ms of the second channel.
    expect(counts(upstreams)).toEqual([1, 9, 0]);
  });
});

describe('least-busy', () => {
  test('balances the requests in flight, so a slow channel gets fewer', async () => {
    const held: Record<string, (() => void)[]> = { first: [], second: [], third: [] };
    for (const upstream of CHANNELS) {
      upstream.answer = async (request) => {
        await new Promise<void>((resolve) => held[upstream.id]?.push(resolve));
        return chatAnswer(request);
      };
    }
    const answers: Promise<Answer>[] = [];
    const askFor = async (requests: number) => {
      for (let request = 0; request < requests; request++) {
        const arrived = answers.push(bed.ask({ model: 'idlest' }));
        await until('the request has reached a channel', () => counts(upstreams).reduce((a, b) => a + b) === arrived);
      }
    };
    const levels = () => CHANNELS.map(({ inFlight }) => inFlight);
    await askFor(30);
    expect(levels()).toEqual([10, 10, 10]);
    // The first channel sends no response until the others have sent all of theirs.
    for (let round = 1; round <= 3; round++) {
      for (const { id } of [second, third]) for (const answer of held[id]?.splice(0) ?? []) answer();
      await until('the gateway has their responses', async () => (await bed.inFlight()) === 10);
      await askFor(20);
      expect(levels()).toEqual([10, 10, 10]);
    }
    expect(counts(upstreams)).toEqual([10, 40, 40]);
    for (const { id } of CHANNELS) for (const answer of held[id]?.splice(0) ?? []) answer();
    expect(incomplete(await Promise.all(answers))).toEqual([]);
  });
});

describe('the strategy', () => {
  test('of the routing section applies if neither model nor account has one', async () => {
    await inParallel(20, 5, () => bed.ask({ model: 'by-default' }));
    expect(counts(upstreams)).toEqual([0, 20, 0]);
  });

  test("of the model overrides the routing section's", async () => {
    await inParallel(30, 5, () => bed.ask({ model: 'in-turn' }));
    expect(counts(upstreams)).toEqual([10, 10, 10]);
  });

  test("of the account overrides the model's", async () => {
    await inParallel(30, 5, () => bed.ask({ model: 'cheapest', key: BETA }));
    expect(counts(upstreams)).toEqual([10, 10, 10]);
    forgetAll(upstreams);
    await inParallel(30, 5, () => bed.ask({ model: 'cheapest' }));
    expect(counts(upstreams)).toEqual([0, 30, 0]);
  });
});
