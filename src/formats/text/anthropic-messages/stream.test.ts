import { describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { unwrapState } from '../shared/state-token.ts';
import { anthropicMessages } from './index.ts';
import { context, decodeStream, event, parse, patch, routing, source, streamed } from './testing/samples.ts';

const START = event('message_start', {
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 4, output_tokens: 1 },
  },
});
const STOPPED = { unified: 'stop', raw: null } as const;
const block = (index: number, content: object) => event('content_block_start', { index, content_block: content });
const delta = (index: number, of: object) => event('content_block_delta', { index, delta: of });
const stop = (index: number) => event('content_block_stop', { index });
const END =
  event('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 30 } }) +
  event('message_stop');

const BLOCKS = [
  block(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'hm' }),
  delta(0, { type: 'signature_delta', signature: 'sig' }),
  stop(0),
  block(1, { type: 'text', text: '' }),
  delta(1, { type: 'text_delta', text: 'Grüße ' }),
  delta(1, {
    type: 'citations_delta',
    citation: {
      type: 'char_location',
      cited_text: 'c',
      document_index: 0,
      document_title: 't',
      start_char_index: 0,
      end_char_index: 1,
    },
  }),
  delta(1, { type: 'text_delta', text: '👋' }),
  stop(1),
  block(2, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
  delta(2, { type: 'input_json_delta', partial_json: '{"query":' }),
  delta(2, { type: 'input_json_delta', partial_json: '"q"}' }),
  stop(2),
  block(3, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
  stop(3),
  block(4, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
  delta(4, { type: 'input_json_delta', partial_json: '' }),
  delta(4, { type: 'input_json_delta', partial_json: '{"a": ' }),
  delta(4, { type: 'input_json_delta', partial_json: '1.0}' }),
  stop(4),
].join('');

const STREAM = `${START}event: ping\ndata: {"type": "ping"}\n\n${BLOCKS}${END}`;

const PARTS: StreamPart[] = [
  { type: 'start', id: 'msg_1', created: null, model: 'claude-x' },
  { type: 'usage', usage: expect.objectContaining({ input: 10, cachedInput: 4, output: 1 }) },
  { type: 'reasoning-start', candidate: 0 },
  { type: 'reasoning-delta', candidate: 0, text: 'hm' },
  {
    type: 'reasoning-end',
    candidate: 0,
    state: { family: 'anthropic', data: 'sig', provider: 'anthropic', channel: 'main' },
  },
  { type: 'text-start', candidate: 0 },
  { type: 'text-delta', candidate: 0, text: 'Grüße ' },
  expect.objectContaining({ type: 'citation' }),
  { type: 'text-delta', candidate: 0, text: '👋' },
  { type: 'text-end', candidate: 0 },
  {
    type: 'unknown',
    candidate: 0,
    part: {
      type: 'unknown',
      format: 'anthropic-messages',
      value: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
    },
  },
  expect.objectContaining({ type: 'unknown' }),
  { type: 'tool-call-start', candidate: 0, id: 'toolu_1', name: 'f' },
  { type: 'tool-call-delta', candidate: 0, arguments: '{"a": ' },
  { type: 'tool-call-delta', candidate: 0, arguments: '1.0}' },
  { type: 'tool-call-end', candidate: 0 },
  { type: 'finish', candidate: 0, finish: { unified: 'tool-calls', raw: 'tool_use' } },
  {
    type: 'usage',
    usage: expect.objectContaining({ input: 10, cachedInput: 4, cacheWrite: 0, output: 30, reasoning: 0 }),
  },
  { type: 'end' },
];

describe("an upstream's stream", () => {
  test('becomes parts, with server tools whole', () => {
    expect(decodeStream(STREAM)).toEqual(PARTS);
  });

  test('is the same at every split and with any line ends', () => {
    const crlf = STREAM.replaceAll('\n', '\r\n').trimEnd();
    fc.assert(
      fc.property(fc.constantFrom(STREAM, crlf), fc.array(fc.nat(STREAM.length)), (text, cuts) => {
        expect(decodeStream(text, cuts)).toEqual(PARTS);
      }),
      { numRuns: 100 },
    );
  });

  test('of interleaved blocks is put in sequence', () => {
    const text = [
      START,
      block(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
      block(1, { type: 'tool_use', id: 'b', name: 'g', input: { whole: 1 } }),
      delta(0, { type: 'input_json_delta', partial_json: '{}' }),
      stop(1),
      stop(0),
      END,
    ].join('');
    expect(decodeStream(text).map((part) => ('id' in part ? `${part.type} ${part.id}` : part.type))).toEqual([
      'start msg_1',
      'usage',
      ...['tool-call-start a', 'tool-call-delta', 'tool-call-end'],
      ...['tool-call-start b', 'tool-call-delta', 'tool-call-end'],
      ...['finish', 'usage', 'end'],
    ]);
  });

  test('that breaks off, never starts or is not JSON ends in an error', () => {
    const kind = (text: string) => {
      const last = decodeStream(text).at(-1);
      return last?.type === 'error' ? last.failure.kind : last?.type;
    };
    expect(kind(START + BLOCKS)).toBe('truncated_stream');
    expect(kind(STREAM.replace(event('message_stop'), ''))).toBe('truncated_stream');
    expect(kind('')).toBe('empty_stream');
    expect(kind(': only a comment\n\n')).toBe('empty_stream');
    expect(kind(`${START}event: content_block_delta\ndata: {"type":\n\n`)).toBe('garbage');
  });

  test('has an empty object for a call without arguments, like a whole response', () => {
    const call = block(0, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }) + stop(0);
    const empty = block(0, { type: 'tool_use', id: 'toolu_1', name: 'f' }) + stop(0);
    const pieces = block(0, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} });
    for (const blocks of [
      call,
      empty,
      `${pieces}${delta(0, { type: 'input_json_delta', partial_json: '' })}${stop(0)}`,
    ]) {
      const deltas = decodeStream(START + blocks + END).filter(({ type }) => type === 'tool-call-delta');
      expect(deltas).toEqual([{ type: 'tool-call-delta', candidate: 0, arguments: '{}' }]);
    }
  });

  test('without content has failed, unless it ends for a known reason', () => {
    const ended = (stop_reason: string, blocks = '') =>
      decodeStream(`${START}${blocks}${event('message_delta', { delta: { stop_reason } })}${event('message_stop')}`).at(
        -1,
      );
    expect(ended('end_turn')).toEqual({ type: 'end' });
    expect(ended('brand_new')).toMatchObject({ type: 'error', failure: { side: 'upstream' } });
    expect(ended('brand_new', block(0, { type: 'text', text: 'Hi' }) + stop(0))).toEqual({ type: 'end' });
  });

  test('that carries an error reports whose it is', () => {
    const overloaded = event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
    const parts = decodeStream(START + overloaded + END);
    expect(parts).toHaveLength(3);
    expect(parts[2]).toMatchObject({ type: 'error', failure: { code: 'upstream_error', kind: 'http_529' } });
    const limited = decodeStream(event('error', { error: { type: 'rate_limit_error', message: 'Slow' } }));
    expect(limited[0]).toMatchObject({ failure: { code: 'rate_limit_exceeded' } });
  });
});

/** Returns how the SDK reads the gateway's output. */
async function sdkReads(body: string) {
  const client = new Anthropic({
    apiKey: 'sk-x',
    maxRetries: 0,
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
  });
  const stream = client.messages.stream({ model: 'public', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] });
  return stream.finalMessage();
}

describe("a client's stream", () => {
  test('is assembled by the SDK into the same message', async () => {
    const message = await sdkReads(streamed(decodeStream(STREAM)));
    expect(message).toMatchObject({
      id: 'msg_1',
      model: 'public',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'text', text: 'Grüße 👋', citations: [{ type: 'char_location' }] },
        { type: 'server_tool_use', input: { query: 'q' } },
        { type: 'web_search_tool_result' },
        { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
      ],
      usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 30 },
    });
  });

  test('is decoded into the parts it was made of', () => {
    const [start, ...rest] = decodeStream(streamed(decodeStream(STREAM)));
    expect(start).toMatchObject({ type: 'start', model: 'public' });
    expect(rest).toEqual(PARTS.slice(1));
  });

  test('counts the prompt in message_start if the upstream has counted it by then', () => {
    const [first] = streamed(decodeStream(STREAM)).split('\n\n');
    expect(first).toContain('"input_tokens":10');
    expect(first).toStartWith('event: message_start\n');
  });

  test('starts with an estimate of the prompt if the upstream counts at the end', () => {
    const [start, usage, ...rest] = partsOfResponse({
      ...{ id: 'x', created: null, candidates: [{ index: 0, parts: [{ type: 'text', text: 'Hi' }], finish: STOPPED }] },
      usage: { input: 5, cachedInput: 0, cacheWrite: 0, output: 2, reasoning: 0, source: 'reported' },
    });
    if (start === undefined || usage === undefined) throw new Error('an answer has a start and a usage');
    const inputTokens = (parts: readonly StreamPart[]) =>
      [...streamed(parts).matchAll(/"input_tokens":(\d+)/g)].map(([, count]) => Number(count));
    expect(inputTokens([start, ...rest.slice(0, -1), usage, ...rest.slice(-1)])).toEqual([8, 5]);
    expect(inputTokens([start, usage, ...rest])).toEqual([5, 5]);
    expect(inputTokens([start, ...rest])).toEqual([8, 0]);
  });

  test('describes an image in text, like a whole response', async () => {
    const image = {
      type: 'image',
      mediaType: 'image/png',
      source: { kind: 'base64', data: 'A'.repeat(4_096) },
    } as const;
    const parts = [{ type: 'text', text: 'Look:' }, image] as const;
    const response = { id: 'x', created: null, candidates: [{ index: 0, parts, finish: STOPPED }], usage: null };
    const whole = JSON.parse(anthropicMessages.encodeAnswer(response, context()));
    expect(whole.content.map(({ text }: { text: string }) => text)).toEqual([
      'Look:',
      expect.stringContaining('image (image/png, 3 KB)'),
    ]);
    expect((await sdkReads(streamed(partsOfResponse(response)))).content).toEqual(whole.content);
  });

  test('has _routing in message_stop, and sends every delta at once', () => {
    const encoder = anthropicMessages.encodeStream(context());
    encoder.encode({ type: 'start', id: null, created: null });
    encoder.encode({ type: 'text-start', candidate: 0 });
    const text = encoder.encode({ type: 'text-delta', candidate: 0, text: 'now' });
    expect(text).toStartWith('event: content_block_start\n');
    expect(text).toContain('"text":"now"');
    const end = encoder.encode({ type: 'end' });
    expect(end).toEndWith(
      `event: message_stop\ndata: {"type":"message_stop","_routing":${JSON.stringify(routing)}}\n\n`,
    );
  });

  test("keeps another family's state in blocks that the client sends back", async () => {
    const state = { family: 'google', data: 'thought', provider: 'google', channel: 'g' } as const;
    const message = await sdkReads(
      streamed([
        { type: 'start', id: 'r1', created: null },
        { type: 'reasoning-start', candidate: 0 },
        { type: 'reasoning-delta', candidate: 0, text: 'so' },
        { type: 'reasoning-end', candidate: 0, state },
        { type: 'tool-call-start', candidate: 0, id: 'a', name: 'f', state },
        { type: 'tool-call-delta', candidate: 0, arguments: '{}' },
        { type: 'tool-call-end', candidate: 0, state },
        { type: 'text-start', candidate: 0 },
        { type: 'text-delta', candidate: 0, text: 'x' },
        { type: 'text-end', candidate: 0, state },
        { type: 'finish', candidate: 0, finish: { unified: 'stop', raw: 'STOP' } },
        { type: 'end' },
      ]),
    );
    expect(message.id).toBe('msg_new');
    expect(message.stop_reason).toBe('tool_use');
    // Nothing may follow the last text, so the gateway remembers its state.
    const types: string[] = message.content.map(({ type }) => type);
    expect(types).toEqual(['thinking', 'redacted_thinking', 'tool_use', 'text']);
    const [thinking, redacted] = message.content as any[];
    expect(unwrapState(thinking.signature)).toEqual(state);
    expect(unwrapState(redacted.data)).toEqual(state);
  });

  test('has no empty texts and no other candidates, and refusals as a finish reason', async () => {
    const message = await sdkReads(
      streamed([
        { type: 'start', id: null, created: null },
        { type: 'text-start', candidate: 0 },
        { type: 'text-end', candidate: 0 },
        { type: 'text-start', candidate: 1 },
        { type: 'text-delta', candidate: 1, text: 'other' },
        { type: 'refusal-start', candidate: 0 },
        { type: 'refusal-delta', candidate: 0, text: 'No.' },
        { type: 'refusal-end', candidate: 0 },
        { type: 'finish', candidate: 0, finish: { unified: 'stop', raw: 'stop' } },
        { type: 'end' },
      ]),
    );
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'No.' }], stop_reason: 'refusal' });
  });

  test('that fails is raised by the SDK as the right type', async () => {
    const failure = new Failure('rate_limit_exceeded', { message: 'Wait', retryAfterMs: 2_000 });
    const begun = streamed([
      { type: 'start', id: null, created: null },
      { type: 'text-start', candidate: 0 },
    ]);
    const error = await sdkReads(begun + anthropicMessages.encodeStreamFailure(failure, null)).catch(
      (raised) => raised,
    );
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error.type).toBe('rate_limit_error');
  });

  test('equals the whole response', async () => {
    const answer = {
      id: 'msg_9',
      type: 'message',
      content: [
        { type: 'redacted_thinking', data: 'ZGF0YQ==' },
        { type: 'text', text: 'a' },
        { type: 'tool_use', id: 't', name: 'f', input: { b: [1] } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: {
        input_tokens: 1,
        output_tokens: 2,
        cache_creation_input_tokens: 3,
        cache_creation: { ephemeral_1h_input_tokens: 2 },
        service_tier: 'standard',
      },
    };
    const decoded = anthropicMessages.decodeAnswer(new TextEncoder().encode(JSON.stringify(answer)), source);
    if (decoded instanceof Failure) throw new Error(decoded.message);
    const whole = JSON.parse(anthropicMessages.encodeAnswer(decoded, context()));
    const message: any = await sdkReads(streamed(partsOfResponse(decoded)));
    expect(message.content.map(({ caller: _, ...rest }: any) => rest)).toEqual(
      whole.content.map(({ caller: _, ...rest }: any) => rest),
    );
    expect(whole).toMatchObject({
      ...answer,
      model: 'public',
      content: [{}, {}, { input: { b: [1] } }],
      _routing: routing,
    });
    expect(message.usage).toMatchObject({ input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 3 });
  });

  test.each([
    [['{"a', '":1}'], false, { a: 1 }],
    [[' ', '{}'], false, {}],
    [[], false, {}],
    [['nu', 'll'], false, {}],
    [['[1', ']'], false, { arguments: '[1]' }],
    [['SELECT', ' 1'], true, { input: 'SELECT 1' }],
    [['{"a":', '1}'], true, { input: '{"a":1}' }],
  ])(
    'wraps the arguments %j (of a custom tool: %p) in an object, like a whole response',
    async (pieces, custom, input) => {
      const call = { id: 'call_1', name: 'f', ...(custom && { custom }) };
      const message: any = await sdkReads(
        streamed([
          { type: 'start', id: null, created: null },
          { type: 'tool-call-start', candidate: 0, ...call },
          ...pieces.map((piece) => ({ type: 'tool-call-delta', candidate: 0, arguments: piece }) as const),
          { type: 'tool-call-end', candidate: 0 },
          { type: 'finish', candidate: 0, finish: { unified: 'tool-calls', raw: null } },
          { type: 'end' },
        ]),
      );
      expect(message.content[0].input).toEqual(input);
      const parts = [{ type: 'tool-call' as const, ...call, arguments: pieces.join('') }];
      const finish = { unified: 'tool-calls', raw: null } as const;
      const response = { id: null, created: null, candidates: [{ index: 0, parts, finish }], usage: null };
      expect(JSON.parse(anthropicMessages.encodeAnswer(response, context())).content[0].input).toEqual(input);
    },
  );
});

describe('a relayed stream', () => {
  function relayAll(text: string, cuts: readonly number[] = []) {
    const relay = anthropicMessages.relayStream(
      parse({ model: 'public', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] }),
      patch,
    );
    const bytes = new TextEncoder().encode(text);
    const out: Uint8Array[] = [];
    let from = 0;
    for (const cut of [...cuts].sort((left, right) => left - right)) {
      out.push(relay.push(bytes.slice(from, cut)).slice());
      from = Math.max(from, cut);
    }
    out.push(relay.push(bytes.slice(from)).slice(), relay.end());
    return { relay, text: Buffer.concat(out).toString() };
  }
  const relayed = STREAM.replace('"claude-x"', '"public"').replace(
    '{"type":"message_stop"}',
    `{"type":"message_stop","_routing":${patch.routing.json}}`,
  );

  test('keeps every byte except the model and _routing, at every split', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(STREAM.length)), (cuts) => {
        const { text, relay } = relayAll(STREAM, cuts);
        expect(text).toBe(relayed);
        expect(relay.finished).toBe(true);
        expect(relay.failure).toBeNull();
      }),
      { numRuns: 60 },
    );
  });

  test('adds the index to block events that lack it, with and without event lines, at every split', () => {
    const bare = STREAM.replaceAll(/,"index":\d+/g, '');
    expect(bare).not.toContain('"index"');
    const nameless = bare.replaceAll(/^event: .*\n/gm, '');
    const objects = (text: string) =>
      [...text.matchAll(/^data: (.*)$/gm)]
        .map(([, data]) => JSON.parse(data ?? ''))
        .filter(({ type }) => type !== 'ping');
    fc.assert(
      fc.property(fc.array(fc.nat(bare.length)), fc.boolean(), (cuts, isNamed) => {
        const { text, relay } = relayAll(isNamed ? bare : nameless, cuts);
        expect(objects(text)).toEqual(objects(relayed));
        expect(relay.failure).toBeNull();
      }),
      { numRuns: 30 },
    );
  });

  test('reports usage, with the latest counts', () => {
    expect(relayAll(STREAM).relay.usage).toMatchObject({ input: 10, cachedInput: 4, output: 30 });
  });

  test('without its final blank line loses nothing', () => {
    expect(relayAll(STREAM.trimEnd()).text).toBe(relayed);
  });

  test('that carries an error or breaks off is a failure, and the error is not passed on', () => {
    const failed = relayAll(START + event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }));
    expect(failed.relay.failure).toMatchObject({ code: 'upstream_error', kind: 'http_529' });
    expect(failed.text).not.toContain('Overloaded');
    expect(relayAll(START + BLOCKS).relay.failure?.kind).toBe('truncated_stream');
    expect(relayAll('').relay.failure?.kind).toBe('empty_stream');
  });
});

test('blocks after the finish reason, and members of other types, are accepted', () => {
  const odd = { valueOf: null };
  const parts = decodeStream(
    START +
      event('content_block_start', { index: odd, content_block: { type: 'text', text: odd } }) +
      event('content_block_delta', { index: odd, delta: { type: 'text_delta', text: odd } }) +
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } }) +
      event('message_delta', { delta: { stop_reason: 'end_turn' } }) +
      block(1, { type: 'text', text: 'Late' }) +
      delta(1, { type: 'text_delta', text: 'r' }) +
      END,
  );
  expect(parts.filter(({ type }) => type !== 'usage').map(({ type }) => type)).toEqual([
    'start',
    'text-start',
    'text-delta',
    'text-end',
    'finish',
    'end',
  ]);
});
