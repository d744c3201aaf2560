import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { AnswerPatch, ParsedRequest } from '../format.ts';
import { ChatStreamRelay } from './relay.ts';

const routing = {
  channel: { id: 'c', name: 'C', provider: 'p', channelType: 'PLATFORM' },
  cached: false,
  retryCount: 0,
} as const;
const patch: AnswerPatch = { publicModel: 'public', routingJson: JSON.stringify(routing) };
const request = (wantsStreamUsage: boolean): ParsedRequest => ({
  call: { operation: 'generate', model: null, stream: null, framing: 'sse' },
  model: 'public',
  stream: true,
  wantsStreamUsage,
  bytes: new Uint8Array(0),
  body: {},
});

const content = (text: string) =>
  `data: {"id":"1","model":"up-1",  "choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}},"finish_reason":null}]}\n\n`;
const FINISH = 'data: {"id":"1","model":"up-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const USAGE =
  'data: {"id":"1","model":"up-1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":3}}}\n\n';
const DONE = 'data: [DONE]\n\n';
const routed = (event: string) =>
  event.replace('"up-1"', '"public"').replace(/\}\n\n$/, `,"_routing":${patch.routingJson}}\n\n`);
const renamed = (event: string) => event.replace('"up-1"', '"public"');

function relayAll(stream: string, wantsUsage = false, cuts: readonly number[] = []) {
  const relay = new ChatStreamRelay(request(wantsUsage), patch);
  const bytes = new TextEncoder().encode(stream);
  const out: Uint8Array[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    out.push(relay.push(bytes.subarray(from, cut)).slice());
    from = cut;
  }
  out.push(relay.end());
  return { relay, text: Buffer.concat(out).toString() };
}

describe('a stream that is complete', () => {
  test('keeps every byte but the model id, and the last chunk before [DONE] carries _routing', () => {
    const { relay, text } = relayAll(content('a') + content('b') + FINISH + DONE);
    expect(text).toBe(renamed(content('a')) + renamed(content('b')) + routed(FINISH) + DONE);
    expect(relay.failure).toBeNull();
    expect(relay.finished).toBe(true);
  });

  test('is the same at every split', () => {
    const stream = `: hello\r\n\r\n${content('ü€')}${content('x')}${FINISH}${USAGE}${DONE}`;
    const whole = relayAll(stream).text;
    fc.assert(
      fc.property(fc.array(fc.nat(Buffer.byteLength(stream))), (cuts) => {
        expect(
          relayAll(
            stream,
            false,
            cuts.sort((left, right) => left - right),
          ).text,
        ).toBe(whole);
      }),
    );
  });

  test('hides the usage chunk that only the gateway asked for, and still reads it', () => {
    const { relay, text } = relayAll(content('a') + FINISH + USAGE + DONE);
    expect(text).toBe(renamed(content('a')) + routed(FINISH) + DONE);
    expect(relay.usage).toMatchObject({
      input: 4,
      cachedInput: 3,
      cacheWrite: 0,
      output: 5,
      reasoning: 0,
      source: 'reported',
    });
  });

  test('reads the usage that Groq reports in a member of its own', () => {
    const usage = { prompt_tokens: 12, completion_tokens: 24, total_tokens: 36 };
    const chunk = FINISH.replace('{', `{"x_groq":${JSON.stringify({ id: 'req_1', usage })},`);
    expect(relayAll(content('a') + chunk + DONE).relay.usage).toMatchObject({ input: 12, output: 24 });
  });

  test('shows the usage chunk to a client that asked for it', () => {
    expect(relayAll(content('a') + FINISH + USAGE + DONE, true).text).toBe(
      renamed(content('a')) + renamed(FINISH) + routed(USAGE) + DONE,
    );
  });

  test('passes content on at once, without waiting for the next event', () => {
    const relay = new ChatStreamRelay(request(false), patch);
    expect(Buffer.from(relay.push(Buffer.from(content('now')))).toString()).toBe(renamed(content('now')));
  });

  test('gets a chunk for _routing where no chunk could wait for it', () => {
    const { text } = relayAll(content('a') + DONE);
    const added = text.slice(renamed(content('a')).length, -DONE.length);
    expect(JSON.parse(added.replace('data: ', ''))).toMatchObject({
      id: '1',
      model: 'public',
      choices: [],
      _routing: routing,
    });
  });

  test('without an end mark gets one', () => {
    expect(relayAll(content('a') + FINISH).text).toBe(renamed(content('a')) + routed(FINISH) + DONE);
  });

  test('whose last event lacks its blank line loses nothing', () => {
    expect(relayAll(content('a') + FINISH.trimEnd()).text).toBe(renamed(content('a')) + routed(FINISH) + DONE);
    expect(relayAll(content('a') + FINISH + DONE.trimEnd()).text).toBe(
      renamed(content('a')) + routed(FINISH) + DONE.trimEnd(),
    );
  });

  test("replaces another gateway's _routing", () => {
    const chained = FINISH.replace(/\}\n\n$/, ',"_routing":{"old":1}}\n\n');
    expect(relayAll(content('a') + chained + DONE).text).toBe(
      renamed(content('a')) + renamed(FINISH).replace(/\}\n\n$/, `,"_routing":${patch.routingJson}}\n\n`) + DONE,
    );
  });
});

describe('a stream that is not', () => {
  test.each([
    ['truncated_stream', content('a')],
    ['empty_stream', ''],
    ['empty_stream', ': comment\n\n'],
    ['error_in_200', `${content('a')}data: {"error":{"message":"model is down"}}\n\n`],
    ['error_in_200', 'data: {"error":{"message":"model is down"},"choices":[]}\n\n'],
  ])('is a failure of kind %s', (kind, stream) => {
    const { relay } = relayAll(stream);
    expect(relay.failure?.kind).toBe(kind);
    expect(relay.finished).toBe(false);
  });

  test('has started only once a chunk has come', () => {
    expect(relayAll(': comment\n\n').relay.started).toBe(false);
    expect(relayAll(content('a')).relay.started).toBe(true);
  });
});
