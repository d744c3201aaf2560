import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Failure } from '../../../domain/failure/failure.ts';
import { applyEdits } from '../../shared/json/json-patch.ts';
import type { ParsedRequest, RelayPatch } from '../client-request.ts';
import { openaiChat } from './index.ts';
import { ChatStreamRelay } from './relay.stream.ts';

const routing = {
  channel: { id: 'c', name: 'C', provider: 'p', channelType: 'PLATFORM' },
  cached: false,
  retryCount: 0,
} as const;
const patch: RelayPatch = {
  publicModel: 'public',
  routing: { json: JSON.stringify(routing) },
  created: 1,
  newId: String,
};
const request = (wantsStreamUsage: boolean): ParsedRequest => ({
  call: { purpose: 'generate', model: null, stream: null, framing: 'sse' },
  model: 'public',
  stream: true,
  wantsStreamUsage,
  bytes: new Uint8Array(0),
  body: {},
});

const content = (text: string) =>
  `data: {"id":"1","object":"chat.completion.chunk","created":7,"model":"up-1",  "choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}},"finish_reason":null}]}\n\n`;
const FINISH =
  'data: {"id":"1","object":"chat.completion.chunk","created":7,"model":"up-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const USAGE =
  'data: {"id":"1","object":"chat.completion.chunk","created":7,"model":"up-1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":3}}}\n\n';
const DONE = 'data: [DONE]\n\n';
const routed = (event: string) =>
  event.replace('"up-1"', '"public"').replace(/\}\n\n$/, `,"_routing":${patch.routing.json}}\n\n`);
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

test('content added to a stream has the id and time of the response, not those of Azure’s first chunk', () => {
  const verdict = 'data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[]}\n\n';
  const call =
    'data: {"id":"1","object":"chat.completion.chunk","created":7,"model":"up-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"now","arguments":""}}]},"finish_reason":null}]}\n\n';
  const { text } = relayAll(verdict + call + FINISH.replace('"stop"', '"tool_calls"') + DONE);
  expect(text).toContain(
    '"id":"1","created":7,"object":"chat.completion.chunk","model":"public","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}',
  );
});

describe('a cache_control', () => {
  function relayed(sent: string, upstreamModel = 'up'): string {
    const call = { purpose: 'generate', model: null, stream: null, framing: 'sse' } as const;
    const parsed = openaiChat.parseRequest(new TextEncoder().encode(sent), call);
    if (parsed instanceof Failure) throw parsed;
    return new TextDecoder().decode(applyEdits(parsed.bytes, openaiChat.relayEdits(parsed, upstreamModel)));
  }
  const MESSAGES =
    '"messages" : [{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]';

  test.each([
    ...['default', 'no_cache', 'no_store', 'response_only', 'semantic_only'].map((type) => JSON.stringify({ type })),
    ...['{"type":"no_cache", "max_age":60}', '{"max_age":60}', '{"type":null}', '{}', 'null'],
  ])('for the gateway, %s, is sent to no upstream, at any position', (control) => {
    const own = `"cache_control" : ${control}`;
    const expected = `{ "model":"up", ${MESSAGES}, "x":1.50 }`;
    expect(relayed(`{ ${own} , "model":"m", ${MESSAGES}, "x":1.50 }`)).toBe(expected);
    expect(relayed(`{ "model":"m", ${own}, ${MESSAGES}, "x":1.50 }`)).toBe(expected);
    expect(relayed(`{ "model":"m", ${MESSAGES}, "x":1.50 , ${own} }`)).toBe(`${expected.slice(0, -2)}  }`);
    expect(relayed(`{ "model":"m", ${MESSAGES}, "x":1.50, "cache\\u005fcontrol":${control} }`, 'm')).toBe(
      expected.replace('up', 'm'),
    );
    expect(JSON.parse(relayed(`{ "model":"m", "stream":true, ${MESSAGES}, ${own}}`))).toEqual({
      ...JSON.parse(`{ "model":"up", "stream":true, ${MESSAGES} }`),
      stream_options: { include_usage: true },
    });
  });

  test.each(['{"type":"ephemeral"}', '{ "ttl":"1h", "type" : "ephemeral" }'])(
    'for a provider, %s, is kept',
    (control) => {
      const sent = `{ "model":"m", "cache_control" : ${control}, ${MESSAGES}, "tools":[{"type":"function","cache_control":${control},"function":{"name":"f"}}] }`;
      expect(relayed(sent)).toBe(sent.replace('"m"', '"up"'));
    },
  );
});

describe('a server that sends every member', () => {
  const everywhere = (text: string) =>
    `data: {"id":"1","object":"chat.completion.chunk","created":7,"model":"up-1","choices":[{"index":0,"delta":{"content":"${text}","tool_calls":null},"finish_reason":""}],` +
    '"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0},"error":{"code":0,"message":""}}\n\n';

  test('does not end its stream with an empty finish reason, and its zeros replace no usage', () => {
    expect(relayAll(everywhere('a')).relay.failure?.kind).toBe('truncated_stream');
    const { relay, text } = relayAll(everywhere('a') + FINISH + USAGE + everywhere('') + DONE, true);
    expect(relay).toMatchObject({ failure: null, finished: true, usage: { input: 4, cachedInput: 3, output: 5 } });
    expect(text.startsWith(renamed(everywhere('a')))).toBe(true);
  });

  test('gets the public model added if it names none', () => {
    expect(relayAll(everywhere('a').replace('up-1', '') + FINISH + DONE).text).toContain('"model":"public"');
  });
});

describe('a stream without a finish reason', () => {
  const call = '{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}';
  const calls = `data: {"id":"1","object":"chat.completion.chunk","created":7,"model":"up-1","choices":[{"index":1,"delta":{"tool_calls":[${call}]},"finish_reason":null}]}\n\n`;

  test('gets that of its calls, per choice, before its usage', () => {
    const { relay, text } = relayAll(content('a') + calls + USAGE + DONE, true);
    expect(relay.failure).toBeNull();
    const chunks = text.split('\n\n').filter((line) => line.startsWith('data: {'));
    const ended = JSON.parse(chunks.at(-2)?.slice(6) ?? '');
    expect(ended.choices).toEqual([0, 1].map((index) => ({ index, delta: {}, finish_reason: 'tool_calls' })));
    expect(JSON.parse(chunks.at(-1)?.slice(6) ?? '')).toMatchObject({ choices: [], usage: {}, _routing: routing });
  });
});

describe('an error within a stream', () => {
  const error = { message: 'Failed to call a function.', type: 'invalid_request_error', code: 'tool_use_failed' };
  const failed = (beside: object) => `data: ${JSON.stringify({ id: '1', model: 'up-1', ...beside })}\n\n`;

  test('that is a client error keeps its code and its details', () => {
    const { relay } = relayAll(content('a') + failed({ error: { ...error, failed_generation: '<f>\n{}' } }));
    expect(relay.failure).toMatchObject({
      code: 'invalid_request',
      status: 400,
      details: { publicCode: 'tool_use_failed', upstreamDetails: { failed_generation: '<f>\n{}' } },
    });
  });

  test('after content lets the content out first', () => {
    const choices = [{ index: 0, delta: { content: 'b' }, finish_reason: 'error' }];
    const { relay, text } = relayAll(content('a') + failed({ choices, error: { message: 'down', code: 502 } }));
    expect(relay.failure).toMatchObject({ kind: 'error_in_200', message: 'down' });
    const last = JSON.parse(text.trim().split('\n\n').at(-1)?.slice(6) ?? '');
    expect(last).toEqual({
      id: '1',
      model: 'public',
      choices: [{ index: 0, delta: { content: 'b' }, finish_reason: null }],
    });
  });
});

describe('a complete stream', () => {
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

  test('hides the usage chunk that only the gateway requested, and reads it', () => {
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

  test("has Groq's usage read from its own member", () => {
    const usage = { prompt_tokens: 12, completion_tokens: 24, total_tokens: 36 };
    const chunk = FINISH.replace('{', `{"x_groq":${JSON.stringify({ id: 'req_1', usage })},`);
    expect(relayAll(content('a') + chunk + DONE).relay.usage).toMatchObject({ input: 12, output: 24 });
  });

  test('shows the usage chunk to a client that requested it', () => {
    expect(relayAll(content('a') + FINISH + USAGE + DONE, true).text).toBe(
      renamed(content('a')) + renamed(FINISH) + routed(USAGE) + DONE,
    );
  });

  test('passes content on at once', () => {
    const relay = new ChatStreamRelay(request(false), patch);
    expect(Buffer.from(relay.push(Buffer.from(content('now')))).toString()).toBe(renamed(content('now')));
  });

  test('without a finish reason gets one, in the chunk for _routing if no chunk could be held back', () => {
    const { text, relay } = relayAll(content('a') + DONE);
    expect(relay.failure).toBeNull();
    const added = text.slice(renamed(content('a')).length, -DONE.length);
    expect(JSON.parse(added.replace('data: ', ''))).toMatchObject({
      id: '1',
      model: 'public',
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      _routing: routing,
    });
  });

  test('ends with its end mark, whatever follows', () => {
    expect(relayAll(`${content('a') + FINISH + DONE}data: garbage\n\n`).text).toBe(
      renamed(content('a')) + routed(FINISH) + DONE,
    );
  });

  test('may begin with a byte order mark', () => {
    const { relay, text } = relayAll(`\ufeff${content('a')}${FINISH}${DONE}`);
    expect([relay.started, text]).toEqual([true, renamed(content('a')) + routed(FINISH) + DONE]);
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
      renamed(content('a')) + renamed(FINISH).replace(/\}\n\n$/, `,"_routing":${patch.routing.json}}\n\n`) + DONE,
    );
  });
});

describe('an incomplete stream', () => {
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

  test('has started only after its first chunk', () => {
    expect(relayAll(': comment\n\n').relay.started).toBe(false);
    expect(relayAll(content('a')).relay.started).toBe(true);
  });
});
