import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Answering, channelTo, chatAnswer, refusal } from '../first-light/upstream.ts';
import { until } from '../shared/until.ts';
import { BETA, type RoutingBed, startRoutingBed } from './bed.ts';
import { type Answer, CLIENT_FORMATS, incomplete, inParallel } from './client.ts';
import { broken, forgetAll, upstreamsNamed } from './upstreams.ts';

/* One account whose requests make the upstream fail, while another one's are answered by the same channel. */

const POISON = 'a prompt that the upstream cannot bear';
const REQUESTS = 200;
const BREAKER = { window_ms: 30_000, failure_rate: 0.5, minimum_requests: 5, cooldown_ms: 200, max_cooldown_ms: 400 };

const HARMS: Readonly<Record<string, Answering>> = {
  'answers 500': () => refusal(500, 'The server had an error.'),
  'answers 503 with Retry-After': () => refusal(503, 'Overloaded.', { 'retry-after': '86400' }),
  'answers 429 with Retry-After': () => refusal(429, 'Slow down.', { 'retry-after': '86400' }),
  'answers 402': () => refusal(402, 'Insufficient balance.'),
  'answers 403': () => refusal(403, 'Forbidden'),
  'answers 401': () => refusal(401, 'Incorrect API key provided.'),
  'answers 404': () => refusal(404, 'Not Found'),
  'answers a page of HTML': () => new Response('<html>Blocked</html>', { headers: { 'content-type': 'text/html' } }),
  'is cut off': ({ stream }) =>
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
  let bed: RoutingBed;

  beforeAll(async () => {
    const extra = { breaker: BREAKER, timeouts: { first_byte_ms: 300 } };
    const models = [...Object.keys(HARMS), 'recovering'].map((name) => name.replaceAll(' ', '-'));
    const pairs = models.map((name) => `pair-${name}`);
    bed = await startRoutingBed({
      channels: [
        // Of one model each: whatever is learned of one may not help another.
        ...models.map((name) => channelTo(lone, { id: `lone-${name}`, models: [name], ...extra })),
        channelTo(first, { id: 'first', priority: 0, models: pairs, ...extra }),
        channelTo(second, { id: 'second', priority: 1, models: pairs, ...extra }),
      ],
    });
  }, 60_000);

  afterAll(async () => {
    await bed?.stop();
    for (const upstream of Object.values(upstreams)) await upstream.stop();
  });

  beforeEach(() => forgetAll(upstreams));

  const poisoned = (harm: Answering): Answering => {
    return (request) => (request.text.includes(POISON) ? harm(request) : chatAnswer(request));
  };

  for (const [harm, answering] of Object.entries(HARMS)) {
    test(`that ${harm} for them: the others lose no request and no channel`, async () => {
      for (const upstream of [lone, first]) upstream.answer = poisoned(answering);
      const name = harm.replaceAll(' ', '-');
      let isOver = false;
      const poisoning = inParallel(REQUESTS, 20, (index) =>
        bed.ask({
          model: index % 2 === 0 ? name : `pair-${name}`,
          format: CLIENT_FORMATS[index % 4]!,
          stream: index % 3 === 0,
          turns: [POISON],
        }),
      ).finally(() => {
        isOver = true;
      });
      const others: Answer[] = [];
      while (!isOver || others.length < 40) {
        const format = CLIENT_FORMATS[others.length % 4]!;
        const stream = others.length % 3 === 0;
        others.push(await bed.ask({ model: name, key: BETA, format, stream }));
        others.push(await bed.ask({ model: `pair-${name}`, key: BETA, format, stream }));
        await Bun.sleep(5);
      }
      await poisoning;
      expect(incomplete(others)).toEqual([]);
      expect([...new Set(others.map(({ channel }) => channel))].sort()).toEqual(['first', `lone-${name}`]);
      expect(others.filter(({ retryCount }) => retryCount > 0)).toHaveLength(0);
    }, 60_000);
  }

  test('the account itself is spared the channel, and asks it no more than its breaker lets it', async () => {
    first.answer = poisoned(broken);
    const model = 'pair-recovering';
    const answers = await inParallel(REQUESTS, 4, () => bed.ask({ model, turns: [POISON] }));
    expect(incomplete(answers)).toEqual([]);
    // Opened by five, and by a few each time that it lets some through; and a probe of the gateway's own.
    expect(first.count).toBeLessThan(REQUESTS / 4);
    expect(second.count).toBeGreaterThan(REQUESTS / 2);
  }, 60_000);

  test('a channel that really fails is left by all, and heals for the others while the poison goes on', async () => {
    const model = 'pair-recovering';
    first.answer = broken;
    const failing = await inParallel(60, 6, (index) => bed.ask({ model, ...(index % 2 === 0 ? { key: BETA } : {}) }));
    expect(incomplete(failing)).toEqual([]);
    forgetAll(upstreams);
    const left = await inParallel(30, 1, () => bed.ask({ model, key: BETA }));
    expect(incomplete(left)).toEqual([]);
    expect(first.count).toBeLessThanOrEqual(6);

    first.answer = poisoned(broken);
    let isOver = false;
    const poisoning = inParallel(4, 4, async () => {
      while (!isOver) await bed.ask({ model, turns: [POISON] });
    });
    const isBack = async () => (await bed.ask({ model, key: BETA })).channel === 'first';
    await until('the channel answers the other account again', isBack, 5_000);
    const others = await inParallel(100, 2, () => bed.ask({ model, key: BETA }));
    isOver = true;
    await poisoning;
    expect(incomplete(others)).toEqual([]);
    expect(new Set(others.map(({ channel }) => channel))).toEqual(new Set(['first']));
  }, 60_000);
});
