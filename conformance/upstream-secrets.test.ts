import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { channelOf } from './faults/channels.ts';
import { type FakeUpstream, startUpstream } from './first-light/upstream.ts';
import type { ClientFormat } from './readers/index.ts';
import { type RoutingBed, startRoutingBed } from './routing/bed.ts';
import { CLIENT_FORMATS } from './routing/client.ts';
import { TestClock } from './shared/test-clock.ts';

/* Upstreams that quote the channel's key wherever a provider could. No client, log, metric or file may contain it. */

const KEY = 'Zq7Wn3kL9pX2/vB8mTyR4cH6jD1fG5sAe0';
const SPELLINGS = [
  KEY,
  encodeURIComponent(KEY),
  Buffer.from(KEY).toString('base64').slice(0, 40),
  Buffer.from(KEY).toString('hex'),
  KEY.slice(0, 14),
  KEY.slice(-14),
];
/** A text with any of these contains a part of the key. */
const PARTS = [KEY.slice(0, 12), KEY.slice(8, 20), KEY.slice(-12), ...SPELLINGS];

const ERROR = {
  message: `Refused: ${SPELLINGS.join(' ')} (${KEY.slice(0, 4)}****${KEY.slice(-4)})`,
  ...{ type: KEY.slice(0, 14), code: KEY.slice(-14), param: KEY, status: KEY, failed_generation: KEY },
  details: [{ reason: KEY, [KEY]: KEY }],
};
const BODY = JSON.stringify({ type: 'error', error: ERROR, detail: KEY, message: KEY });

/** The events of a stream before the error. */
const OPENING: Readonly<Record<ClientFormat, string>> = {
  'openai-chat': `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] })}\n\n`,
  'openai-responses': `event: response.created\ndata: ${JSON.stringify({ type: 'response.created', sequence_number: 0, response: { id: 'r', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] } })}\n\nevent: response.output_text.delta\ndata: ${JSON.stringify({ type: 'response.output_text.delta', sequence_number: 1, item_id: 'i', output_index: 0, content_index: 0, delta: 'Hi' })}\n\n`,
  'anthropic-messages': `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } })}\n\nevent: content_block_start\ndata: ${JSON.stringify({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } })}\n\n`,
  gemini: `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, index: 0 }] })}\n\n`,
};

const HOWS = ['http-500', 'http-400', 'http-429', 'in-200', 'first-event', 'mid-stream', 'http-401'] as const;

function answering(how: string, format: ClientFormat): Response {
  const status = Number(/^http-(\d+)/.exec(how)?.[1] ?? 200);
  if (status !== 200 || how === 'in-200') {
    return new Response(BODY, { status, headers: { 'content-type': 'application/json', 'retry-after-ms': '1' } });
  }
  const name = format === 'anthropic-messages' || format === 'openai-responses' ? 'event: error\n' : '';
  const frame = `${name}data: ${BODY}\n\n`;
  const text = how === 'mid-stream' ? OPENING[format] + frame : frame;
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

describe('an upstream that quotes the key of its channel', () => {
  const upstreams = new Map<ClientFormat, FakeUpstream>();
  const clock = new TestClock();
  let bed: RoutingBed;

  beforeAll(async () => {
    const channels = CLIENT_FORMATS.map((format) => {
      const upstream = startUpstream(() => answering(how, format));
      upstreams.set(format, upstream);
      return {
        ...channelOf({ id: `to-${format}`, format, baseUrl: upstream.baseUrl, models: { [format]: 'm' } }),
        ...{ api_key: KEY, breaker: { minimum_requests: 100_000 } },
      };
    });
    bed = await startRoutingBed({ channels }, clock);
  });

  afterAll(async () => {
    await bed?.stop();
    for (const upstream of upstreams.values()) await upstream.stop();
  });

  let how = '';
  const partsIn = (text: string) => PARTS.filter((part) => text.toLowerCase().includes(part.toLowerCase()));

  for (const kind of HOWS) {
    for (const client of CLIENT_FORMATS) {
      test(`${kind}: a client of ${client} does not see it`, async () => {
        how = kind;
        for (const upstream of CLIENT_FORMATS) {
          // A refused key takes the channel out of use, so it is tried once.
          const isLast = kind === 'http-401';
          if (isLast && client !== upstream) continue;
          for (const stream of isLast ? [false] : [false, true]) {
            // A channel with a cooldown waits for a millisecond.
            clock.advance(2);
            const answer = await bed.ask({ model: upstream, format: client, stream });
            const all = `${answer.status}\n${[...answer.headers].join('\n')}\n\n${answer.text}`;
            expect({ upstream, stream, parts: partsIn(all) }).toEqual({ upstream, stream, parts: [] });
            expect(answer.isComplete).toBe(false);
          }
        }
      });
    }
  }

  test('a channel test does not print it', async () => {
    for (const kind of ['http-401', 'mid-stream'] as const) {
      how = kind;
      for (const format of CLIENT_FORMATS) {
        const { stdout, stderr } = await bed.space.run(['channels', 'test', `to-${format}`, '--stream']);
        expect({ kind, format, parts: partsIn(stdout + stderr) }).toEqual({ kind, format, parts: [] });
      }
    }
  });

  test('no log, metric or file contains it', async () => {
    const metrics = await (await fetch(`${bed.serving.origin}/metrics`)).text();
    const { stdout } = await bed.space.run(['channels', 'list']);
    await bed.serving.stop();
    expect(partsIn(metrics + stdout + bed.serving.stdout + bed.serving.stderr)).toEqual([]);
    for (const part of PARTS) {
      const files = await bed.space.dataFilesWith(part);
      expect({ part, files }).toEqual({ part, files: [] });
    }
  });
});
