import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { channelTo, chatAnswer } from '../first-light/upstream.ts';
import { freePort } from '../shared/child-process.ts';
import { type RoutingBed, startRoutingBed } from './bed.ts';
import { type Answer, CLIENT_FORMATS, inParallel } from './client.ts';
import { processFilesMissing, residentMegabytes } from './process-files.ts';
import { unavailable, upstreamsNamed } from './upstreams.ts';

const REQUESTS = 10_000;
const FIRST = 2_000;
const CONCURRENCY = 50;
const MOST_GROWTH_MB = 60;
const COOLDOWN_MS = 500;
const PROBES = 1;

const upstreams = upstreamsNamed('one', 'two', 'three', 'sound');
let bed: RoutingBed;

beforeAll(async () => {
  const breaker = { cooldown_ms: COOLDOWN_MS, max_cooldown_ms: 1_000, probes: PROBES };
  const refusing = { baseUrl: `http://127.0.0.1:${await freePort()}/v1` };
  const { one, two, three, sound } = upstreams;
  for (const upstream of [one, two, three]) upstream.answer = unavailable;
  const channels = [one, two, three].map((upstream) =>
    channelTo(upstream, { id: upstream.id, models: ['overloaded'], breaker }),
  );
  const gone = [1, 2, 3].map((number) => channelTo(refusing, { id: `gone-${number}`, models: ['gone'], breaker }));
  bed = await startRoutingBed({
    channels: [...channels, ...gone, channelTo(sound, { id: 'sound', models: ['sound', 'hidden', 'a-voice'] })],
    models: [
      { id: 'sound', tags: ['fast', 'vision'] },
      { id: 'hidden', status: 'hidden' },
      { id: 'a-voice', category: 'tts' },
    ],
  });
});

afterAll(async () => {
  await bed?.stop();
  for (const upstream of Object.values(upstreams)) await upstream.stop();
});

/** What the client of one answer goes by. */
const verdict = ({ status, text }: Answer) =>
  `${status} ${/all_channels_failed/.exec(text)?.[0] ?? text.slice(0, 200)}`;

async function verdicts(model: string, count: number): Promise<ReadonlySet<string>> {
  return new Set(await inParallel(count, CONCURRENCY, async () => verdict(await bed.ask({ model }))));
}

const memory = () => (processFilesMissing === undefined ? residentMegabytes(bed.serving.pid) : 0);

async function flood(model: string): Promise<void> {
  await verdicts(model, 200);
  const startedMs = performance.now();
  const seen = new Set(await verdicts(model, FIRST));
  const before = memory();
  for (const one of await verdicts(model, REQUESTS - FIRST)) seen.add(one);
  const after = memory();
  const seconds = (performance.now() - startedMs) / 1_000;
  console.log(
    `${model}: ${Math.round(REQUESTS / seconds)} requests/s, ${before.toFixed(0)} MB after ${FIRST}, ${after.toFixed(0)} MB after ${REQUESTS}`,
  );
  expect([...seen]).toEqual(['503 all_channels_failed']);
  expect(after - before).toBeLessThan(MOST_GROWTH_MB);
}

describe('while every channel of a model is down', () => {
  test('10,000 requests are told so, and memory stays flat (connections refused)', () => flood('gone'), 60_000);

  test('10,000 requests are told so, and the upstreams are left alone (503)', async () => {
    const startedMs = performance.now();
    await flood('overloaded');
    const coolDowns = 1 + (performance.now() - startedMs) / COOLDOWN_MS;
    for (const { id, count } of [upstreams.one, upstreams.two, upstreams.three]) {
      // Until each breaker opened, and the probes since.
      expect({ id, isLeftAlone: count <= 5 + CONCURRENCY + coolDowns * PROBES, count }).toMatchObject({
        isLeftAlone: true,
      });
    }
  }, 60_000);

  test.each([...CLIENT_FORMATS])('a client of %s is told when to come back, and what works now', async (format) => {
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

  test('the whole of the contract is in the OpenAI envelope', async () => {
    // Past the cool-down, so that the next request would be a probe: a model that only probes could reach is no alternative.
    await Bun.sleep(1_100);
    const { error, headers } = await bed.ask({ model: 'gone' });
    expect(error).toMatchObject({ code: 'all_channels_failed', retryable: true });
    expect(error.retry_after).toBe(Number(headers.get('retry-after')));
    expect(error.alternatives).toEqual([{ id: 'sound', status: 'available', tags: ['fast', 'vision'] }]);
  });

  test('and who comes back after that time is answered, where the upstream has healed', async () => {
    // One more refusal, so that the time that is told is the present one.
    const { headers } = await bed.ask({ model: 'overloaded' });
    for (const upstream of [upstreams.one, upstreams.two, upstreams.three]) upstream.answer = chatAnswer;
    await Bun.sleep(Number(headers.get('retry-after')) * 1_000);
    expect(await bed.ask({ model: 'overloaded' })).toMatchObject({ status: 200, isComplete: true });
  }, 60_000);
});
