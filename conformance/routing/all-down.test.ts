import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { channelTo, chatAnswer } from '../first-light/upstream.ts';
import { freePort } from '../shared/free-port.ts';
import { TestClock } from '../shared/test-clock.ts';
import { type RoutingBed, startRoutingBed } from './bed.ts';
import { type Answer, CLIENT_FORMATS, inParallel } from './client.ts';
import { unavailable, upstreamsNamed } from './upstreams.ts';

/* acceptance/process/all-channels-down.test.ts tests that memory does not grow meanwhile. */

const REQUESTS = 300;
const CONCURRENCY = 50;
const COOLDOWN_MS = 500;
const LONGEST_COOLDOWN_MS = 1_000;
const PROBES = 1;
/** The default of `minimum_requests`. */
const FAILURES_TO_OPEN = 5;
const WORDS = 'a flood of requests';

const upstreams = upstreamsNamed('one', 'two', 'three', 'sound');
const { one, two, three, sound } = upstreams;
const DOWN = [one, two, three];
const clock = new TestClock();
let bed: RoutingBed;

beforeAll(async () => {
  const breaker = { cooldown_ms: COOLDOWN_MS, max_cooldown_ms: LONGEST_COOLDOWN_MS, probes: PROBES };
  const refusing = { baseUrl: `http://127.0.0.1:${await freePort()}/v1` };
  for (const upstream of DOWN) upstream.answer = unavailable;
  const channels = DOWN.map((upstream) => channelTo(upstream, { id: upstream.id, models: ['overloaded'], breaker }));
  const gone = [1, 2, 3].map((number) => channelTo(refusing, { id: `gone-${number}`, models: ['gone'], breaker }));
  const configuration = {
    channels: [...channels, ...gone, channelTo(sound, { id: 'sound', models: ['sound', 'hidden', 'a-voice'] })],
    models: [
      { id: 'sound', tags: ['fast', 'vision'] },
      { id: 'hidden', status: 'hidden' },
      { id: 'a-voice', category: 'tts' },
    ],
  };
  bed = await startRoutingBed(configuration, clock);
});

afterAll(async () => {
  await bed?.stop();
  for (const upstream of Object.values(upstreams)) await upstream.stop();
});

/** The parts of a response on which clients base their decisions. */
const verdict = ({ status, text }: Answer) =>
  `${status} ${/all_channels_failed/.exec(text)?.[0] ?? text.slice(0, 200)}`;

async function flood(model: string): Promise<void> {
  const turns = [WORDS];
  const seen = new Set(await inParallel(REQUESTS, CONCURRENCY, async () => verdict(await bed.ask({ model, turns }))));
  expect([...seen]).toEqual(['503 all_channels_failed']);
}

/** Returns the number of client requests that each channel received. The gateway's own probes have another prompt. */
const asked = () => DOWN.map((upstream) => upstream.countOf(WORDS));

describe('while every channel of a model is down', () => {
  test('all requests get a 503 (connections refused)', () => flood('gone'));

  test('all requests get a 503, and the upstreams get probes only', async () => {
    await flood('overloaded');
    // The failures that open the breaker, and the requests in flight at that moment.
    for (const count of asked()) expect(count).toBeLessThanOrEqual(FAILURES_TO_OPEN + CONCURRENCY);
    for (let round = 0; round < 3; round++) {
      const before = asked();
      // The clock stands still meanwhile, so no probe is due.
      await flood('overloaded');
      expect(asked()).toEqual(before);
      clock.advance(LONGEST_COOLDOWN_MS);
      await flood('overloaded');
      for (const [at, count] of asked().entries()) expect(count - before[at]!).toBeLessThanOrEqual(PROBES);
    }
  });

  test.each([...CLIENT_FORMATS])('a client of %s gets Retry-After and alternatives', async (format) => {
    const whole = await bed.ask({ model: 'gone', format });
    const stream = await bed.ask({ model: 'gone', format, stream: true });
    for (const { status, headers, error } of [whole, stream]) {
      expect(status).toBe(503);
      expect(headers.get('content-type')).toContain('application/json');
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(2);
      expect(JSON.stringify(error)).not.toContain('gone-1');
    }
  });

  test('the OpenAI envelope has all fields of the contract', async () => {
    // The cooldown is over, so the next request would be a probe. A model that is only reachable by a probe is not
    // offered as an alternative.
    clock.advance(LONGEST_COOLDOWN_MS);
    const { error, headers } = await bed.ask({ model: 'gone' });
    expect(error).toMatchObject({ code: 'all_channels_failed', retryable: true });
    expect(error.retry_after).toBe(Number(headers.get('retry-after')));
    expect(error.alternatives).toEqual([{ id: 'sound', status: 'available', tags: ['fast', 'vision'] }]);
  });

  test('a retry after that time succeeds once the upstream has recovered', async () => {
    // One more refused request, so that `Retry-After` is current.
    const { headers } = await bed.ask({ model: 'overloaded' });
    for (const upstream of DOWN) upstream.answer = chatAnswer;
    clock.advance(Number(headers.get('retry-after')) * 1_000);
    expect(await bed.ask({ model: 'overloaded' })).toMatchObject({ status: 200, isComplete: true });
  });
});
