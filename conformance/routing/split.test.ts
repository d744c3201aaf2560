import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { channelTo } from '../first-light/upstream.ts';
import type { ClientFormat } from '../readers/index.ts';
import { type RoutingBed, startRoutingBed } from './bed.ts';
import { CLIENT_FORMATS, incomplete, inParallel } from './client.ts';
import { counts, forgetAll, upstreamsNamed } from './upstreams.ts';

const REQUESTS = 300;
const SHARES = { five: 150, three: 90, two: 60 } as const;
/** One percent of all requests. */
const TOLERANCE = 3;

const upstreams = upstreamsNamed('five', 'three', 'two');
let bed: RoutingBed;

beforeAll(async () => {
  const channel = (id: keyof typeof SHARES, extra: object) =>
    channelTo(upstreams[id], { id, models: ['split', 'in-turn'], ...extra });
  bed = await startRoutingBed({
    channels: [channel('five', { weight: 5 }), channel('three', { weight: 3 }), channel('two', { weight: 2 })],
  });
});

afterAll(async () => {
  await bed?.stop();
  for (const upstream of Object.values(upstreams)) await upstream.stop();
});

beforeEach(() => forgetAll(upstreams));

describe('three channels with weights 5:3:2', () => {
  const CASES: readonly [string, readonly ClientFormat[]][] = [
    ['one client format', ['openai-chat']],
    ['two client formats, mixed', ['openai-chat', 'anthropic-messages']],
    ['all four client formats, mixed', CLIENT_FORMATS],
  ];
  test.each(CASES as [string, readonly ClientFormat[]][])(
    'share 300 requests of 20 clients by weight, within 1 percent (%s)',
    async (_name, formats) => {
      const answers = await inParallel(REQUESTS, 20, (index) =>
        bed.ask({ model: 'split', format: formats[index % formats.length]!, stream: index % 3 === 0 }),
      );
      expect(incomplete(answers)).toEqual([]);
      for (const [id, share] of Object.entries(SHARES)) {
        const { count } = upstreams[id as keyof typeof SHARES];
        expect({ id, count, isFair: Math.abs(count - share) <= TOLERANCE }).toEqual({ id, count, isFair: true });
        expect(answers.filter(({ channel }) => channel === id).length).toBe(count);
      }
    },
  );

  test('take turns, so the shares also hold for every ten requests', async () => {
    const answers = await inParallel(60, 1, () => bed.ask({ model: 'in-turn' }));
    const order = answers.map(({ channel }) => channel);
    for (let at = 0; at + 10 <= order.length; at++) {
      const window = order.slice(at, at + 10);
      for (const [id, share] of Object.entries(SHARES)) {
        const count = window.filter((channel) => channel === id).length;
        const isFair = Math.abs(count - (share * 10) / REQUESTS) <= 1;
        expect({ id, window, isFair }).toEqual({ id, window, isFair: true });
      }
    }
    // A rotation starts at a random position, so each count may be off by one.
    for (const [index, fair] of [30, 18, 12].entries()) {
      expect(Math.abs((counts(upstreams)[index] ?? 0) - fair)).toBeLessThanOrEqual(1);
    }
  });
});
