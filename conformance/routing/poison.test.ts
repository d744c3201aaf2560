import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Answering, channelTo, chatAnswer, refusal } from '../first-light/upstream.ts';
import { TestClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';
import { BETA, type RoutingBed, startRoutingBed } from './bed.ts';
import { type Answer, CLIENT_FORMATS, incomplete, inParallel } from './client.ts';
import { broken, forgetAll, upstreamsNamed } from './upstreams.ts';

/* One account whose requests make the upstream fail, while another account uses the same channel. */

const POISON = 'a prompt that the upstream cannot bear';
const BREAKER = {
  ...{ window_ms: 30_000, failure_rate: 0.5, minimum_requests: 5 },
  ...{ cooldown_ms: 200, max_cooldown_ms: 400, probes: 1 },
};

/**
 * The timeout of channels that hang. The gateway waits for it in real time, and the other channels respond
 * sooner.
 */
const FIRST_BYTE_MS = 2_000;
const ROUNDS = 12;
/** The number of poisoned requests per round. */
const POISONED = 6;

const HARMS: Readonly<Record<string, Answering>> = {
  'answers 500': () => refusal(500, 'The server had an error.'),
  'answers 503 with Retry-After': () => refusal(503, 'Overloaded.', { 'retry-after': '86400' }),
  'answers 429 with Retry-After': () => refusal(429, 'Slow down.', { 'retry-after': '86400' }),
  'answers 402': () => refusal(402, 'Insufficient balance.'),
  'answers 403': () => refusal(403, 'Forbidden'),
  'answers 401': () => refusal(401, 'Incorrect API key provided.'),
  'answers 404': () => refusal(404, 'Not Found'),
  'answers with an HTML page': () => new Response('<html>Blocked</html>', { headers: { 'content-type': 'text/html' } }),
  'cuts the response off': ({ stream }) =>
    new Response(stream ? 'data: {"id":"c-1","cho' : '{"id":"c-1","cho', {
      headers: { 'content-type': stream ? 'text/event-stream' : 'application/json' },
    }),
  hangs: async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return new Response(null, { status: 499 });
  },
};

describe('an account whose prompts make the upstream fail', () => {
  const upstreams = upstreamsNamed('lone', 'first', 'second');
  const { lone, first, second } = upstreams;
  const clock = new TestClock();
  let bed: RoutingBed;

  beforeAll(async () => {
    const models = [...Object.keys(HARMS), 'recovering'].map((name) => name.replaceAll(' ', '-'));
    const breaker = BREAKER;
    // Channels that do not hang have no such timeout, so a slow machine cannot make them seem to.
    const timeoutsOf = (name: string) => (name === 'hangs' ? { timeouts: { first_byte_ms: FIRST_BYTE_MS } } : {});
    const channels = models.flatMap((name) => [
      // One model per channel, so that the health of one model cannot help another.
      channelTo(lone, { id: `lone-${name}`, models: [name], breaker, ...timeoutsOf(name) }),
      channelTo(first, { id: `first-${name}`, models: [`pair-${name}`], priority: 0, breaker, ...timeoutsOf(name) }),
      channelTo(second, { id: `second-${name}`, models: [`pair-${name}`], priority: 1, breaker }),
    ]);
    bed = await startRoutingBed({ channels }, clock);
  });

  afterAll(async () => {
    await bed?.stop();
    for (const upstream of Object.values(upstreams)) await upstream.stop();
  });

  beforeEach(() => forgetAll(upstreams));

  const poisoned = (harm: Answering): Answering => {
    return (request) => (request.text.includes(POISON) ? harm(request) : chatAnswer(request));
  };

  for (const [harm, answering] of Object.entries(HARMS)) {
    test(`other accounts lose no request and no channel if the upstream ${harm}`, async () => {
      for (const upstream of [lone, first]) upstream.answer = poisoned(answering);
      const name = harm.replaceAll(' ', '-');
      const poisoning: Promise<Answer>[] = [];
      const others: Answer[] = [];
      // Each round is long enough for some cooldowns to end, so poisoned requests reach the upstream again.
      for (let round = 0; round < ROUNDS; round++) {
        for (let index = 0; index < POISONED; index++) {
          const asked = { format: CLIENT_FORMATS[index % 4]!, stream: index % 3 === 0, turns: [POISON] };
          poisoning.push(bed.ask({ model: index % 2 === 0 ? name : `pair-${name}`, ...asked }));
        }
        const asked = { key: BETA, format: CLIENT_FORMATS[round % 4]!, stream: round % 3 === 0 };
        others.push(await bed.ask({ model: name, ...asked }));
        others.push(await bed.ask({ model: `pair-${name}`, ...asked }));
        clock.advance(BREAKER.cooldown_ms / 2);
      }
      await Promise.all(poisoning);
      expect(incomplete(others)).toEqual([]);
      expect([...new Set(others.map(({ channel }) => channel))].sort()).toEqual([`first-${name}`, `lone-${name}`]);
      expect(others.filter(({ retryCount }) => retryCount > 0)).toHaveLength(0);
    });
  }

  test('the account’s own breaker limits its requests to the channel', async () => {
    first.answer = poisoned(broken);
    const model = 'pair-recovering';
    const send = async () => {
      const answers = await inParallel(40, 4, () => bed.ask({ model, turns: [POISON] }));
      expect(incomplete(answers)).toEqual([]);
      return first.countOf(POISON);
    };
    let before = await send();
    // The requests that opened the breaker, and those in flight at that moment.
    expect(before).toBeLessThanOrEqual(BREAKER.minimum_requests + 3);
    for (let round = 0; round < 4; round++) {
      const after = await send();
      expect(after).toBe(before);
      clock.advance(BREAKER.max_cooldown_ms);
      before = await send();
      expect(before - after).toBe(BREAKER.probes);
    }
  });

  test('a channel that fails for everyone is avoided by all, and recovers for other accounts', async () => {
    const model = 'pair-recovering';
    const turns = ['Something harmless'];
    first.answer = broken;
    const both = (index: number) => bed.ask({ model, turns, ...(index % 2 === 0 ? { key: BETA } : {}) });
    expect(incomplete(await inParallel(60, 6, both))).toEqual([]);
    forgetAll(upstreams);
    const left = await inParallel(30, 1, () => bed.ask({ model, key: BETA, turns }));
    expect(incomplete(left)).toEqual([]);
    expect(first.countOf(turns[0]!)).toBe(0);

    first.answer = poisoned(broken);
    let isOver = false;
    const poisoning = inParallel(4, 4, async () => {
      while (!isOver) await bed.ask({ model, turns: [POISON] });
    });
    await until('the channel answers the other account again', async () => {
      clock.advance(BREAKER.cooldown_ms);
      return (await bed.ask({ model, key: BETA })).channel === 'first-recovering';
    });
    const others = await inParallel(100, 2, () => bed.ask({ model, key: BETA }));
    isOver = true;
    await poisoning;
    expect(incomplete(others)).toEqual([]);
    expect(new Set(others.map(({ channel }) => channel))).toEqual(new Set(['first-recovering']));
  });
});
