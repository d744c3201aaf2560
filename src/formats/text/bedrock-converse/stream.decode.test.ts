import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { bedrockConverse } from './index.ts';

const SOURCE = { provider: 'bedrock', channel: 'bedrock-1', quirks: [] };
const bytesOf = (text: string) => new TextEncoder().encode(text);

function sse(...events: readonly (readonly [string, object])[]): string {
  return events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`).join('');
}

function decode(text: string, cuts: readonly number[] = []) {
  const decoder = bedrockConverse.decodeStream(SOURCE);
  const bytes = bytesOf(text);
  const at = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((left, right) => left - right), bytes.length];
  const parts = at.slice(1).flatMap((to, index) => [...decoder.push(bytes.subarray(at[index], to))]);
  return [...parts, ...decoder.end()];
}

const delta = (contentBlockIndex: number, value: object) =>
  ['contentBlockDelta', { contentBlockIndex, delta: value, p: 'abc' }] as const;
const stop = (contentBlockIndex: number) => ['contentBlockStop', { contentBlockIndex }] as const;
const start = (contentBlockIndex: number, value: object) =>
  ['contentBlockStart', { contentBlockIndex, start: value }] as const;
const toolUse = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'add' } });

const WHOLE = sse(
  ['messageStart', { role: 'assistant' }],
  delta(0, { reasoningContent: { text: 'Hm' } }),
  delta(0, { reasoningContent: { signature: 'c2ln' } }),
  stop(0),
  delta(1, { text: 'Grüß' }),
  delta(1, { text: ' dich' }),
  stop(1),
  start(2, toolUse('t1')),
  delta(2, { toolUse: { input: '{"a"' } }),
  delta(2, { toolUse: { input: ':1}' } }),
  stop(2),
  ['messageStop', { stopReason: 'tool_use' }],
  ['metadata', { usage: { inputTokens: 3, outputTokens: 5, cacheReadInputTokens: 2, totalTokens: 10 } }],
);

describe('a stream', () => {
  test('has the same parts at every split', () => {
    const expected = decode(WHOLE);
    expect(expected).toMatchObject([
      { type: 'start', id: null },
      { type: 'reasoning-start' },
      { type: 'reasoning-delta', text: 'Hm' },
      {
        type: 'reasoning-end',
        state: { family: 'anthropic', data: 'c2ln', provider: 'bedrock', channel: 'bedrock-1' },
      },
      { type: 'text-start' },
      { type: 'text-delta', text: 'Grüß' },
      { type: 'text-delta', text: ' dich' },
      { type: 'text-end' },
      { type: 'tool-call-start', id: 't1', name: 'add' },
      { type: 'tool-call-delta', arguments: '{"a"' },
      { type: 'tool-call-delta', arguments: ':1}' },
      { type: 'tool-call-end' },
      { type: 'finish', finish: { unified: 'tool-calls', raw: 'tool_use' } },
      { type: 'usage', usage: { input: 3, cachedInput: 2, cacheWrite: 0, output: 5, reasoning: 0 } },
      { type: 'end' },
    ]);
    fc.assert(fc.property(fc.array(fc.nat()), (cuts) => expect(decode(WHOLE, cuts)).toEqual(expected)));
  });

  test('has an empty object for a call without arguments, like a whole response', () => {
    const parts = decode(sse(start(0, toolUse('t1')), stop(0), ['messageStop', { stopReason: 'tool_use' }]));
    expect(parts.filter(({ type }) => type === 'tool-call-delta')).toEqual([
      { type: 'tool-call-delta', candidate: 0, arguments: '{}' },
    ]);
  });

  test.each(['malformed_model_output', 'malformed_tool_use'])('that ends with %s has failed', (stopReason) => {
    for (const blocks of [[], [delta(0, { text: 'Hi' }), stop(0)], [start(0, toolUse('t1')), stop(0)]]) {
      const last = decode(sse(...blocks, ['messageStop', { stopReason }], ['metadata', { usage: {} }])).at(-1);
      expect(last).toMatchObject({ type: 'error', failure: { kind: 'failed_generation', side: 'upstream' } });
    }
  });

  test('that ends with an unknown reason has failed if it has no content', () => {
    const end = ['messageStop', { stopReason: 'brand_new' }] as const;
    expect(decode(sse(end)).at(-1)).toMatchObject({ type: 'error', failure: { kind: 'failed_generation' } });
    const parts = decode(sse(delta(0, { text: 'Hi' }), stop(0), end));
    expect(parts).toContainEqual({ type: 'finish', candidate: 0, finish: { unified: 'other', raw: 'brand_new' } });
  });

  test('keeps interleaved blocks apart', () => {
    const parts = decode(
      sse(
        start(0, toolUse('t1')),
        start(1, toolUse('t2')),
        delta(0, { toolUse: { input: '{}' } }),
        delta(1, { toolUse: { input: '{"b":2}' } }),
        start(2, toolUse('t3')),
        stop(1),
        stop(0),
        ['messageStop', { stopReason: 'end_turn' }],
      ),
    );
    expect(parts.map((part) => ('id' in part && part.type === 'tool-call-start' ? part.id : part.type))).toEqual([
      'start',
      't1',
      'tool-call-delta',
      'tool-call-end',
      't2',
      'tool-call-delta',
      'tool-call-end',
      't3',
      'tool-call-delta',
      'tool-call-end',
      'finish',
      'end',
    ]);
    expect(parts.at(-2)).toMatchObject({ finish: { unified: 'tool-calls', raw: 'end_turn' } });
  });

  test('has citations with their text, and redacted reasoning, images and hosted tools whole', () => {
    const citation = {
      title: 'doc',
      sourceContent: [{ text: 'src' }],
      location: { documentPage: { documentIndex: 0 } },
    };
    const hosted = { toolUse: { toolUseId: 'h', name: 'grounding', type: 'server_tool_use' } };
    const parts = decode(
      sse(
        delta(0, { reasoningContent: { redactedContent: 'AAAA' } }),
        stop(0),
        delta(1, { citation }),
        delta(1, { text: 'cited' }),
        stop(1),
        start(2, { image: { format: 'png' } }),
        delta(2, { image: { source: { bytes: 'BBBB' } } }),
        stop(2),
        start(3, hosted),
        delta(3, { toolUse: { input: '{"q":1}' } }),
        stop(3),
        [
          'messageStop',
          { stopReason: 'stop_sequence', additionalModelResponseFields: { delta: { stop_sequence: 'END' } } },
        ],
      ),
    );
    expect(parts).toMatchObject([
      { type: 'start' },
      { type: 'reasoning-start', redacted: true },
      { type: 'reasoning-end', state: { family: 'anthropic', data: 'AAAA' } },
      { type: 'text-start' },
      { type: 'citation', citation: { title: 'doc', citedText: 'src', documentIndex: 0, raw: { value: citation } } },
      { type: 'text-delta', text: 'cited' },
      { type: 'text-end' },
      { type: 'media', part: { type: 'image', mediaType: 'image/png', source: { kind: 'base64', data: 'BBBB' } } },
      { type: 'unknown', part: { value: { toolUse: { ...hosted.toolUse, input: { q: 1 } } } } },
      { type: 'finish', finish: { unified: 'stop', raw: 'stop_sequence', stopSequence: 'END' } },
      { type: 'end' },
    ]);
  });

  test.each([
    ['', 'empty_stream'],
    [sse(['messageStart', {}], delta(0, { text: 'x' })), 'truncated_stream'],
    ['event: contentBlockDelta\ndata: {oh\n\n', 'garbage'],
    [sse(['error', { type: 'error', error: { type: 'damagedFrame', message: 'crc' } }]), 'garbage'],
    [sse(['error', { error: { type: 'throttlingException', message: 'Slow down' } }]), 'rate_limit_exceeded'],
    [sse(['error', { error: { type: 'modelStreamErrorException', message: 'x' } }]), 'http_424'],
    [sse(['internalServerException', { message: 'x' }]), 'http_500'],
    [sse(['error', { error: { type: 'validationException', message: 'Bad.' } }]), 'invalid_request'],
  ])('that fails: %j', (text, kind) => {
    const last = decode(text).at(-1);
    expect(last?.type === 'error' ? last.failure.kind : last?.type).toBe(kind);
  });
});

test('a response finishes once, even if its end is repeated', () => {
  const end = ['messageStop', { stopReason: 'constructor' }] as const;
  const parts = decode(sse(['messageStart', {}], delta(0, { text: 'Hi' }), end, end, ['metadata', {}]));
  expect(parts.filter(({ type }) => type === 'finish')).toEqual([
    { type: 'finish', candidate: 0, finish: { unified: 'other', raw: 'constructor' } },
  ]);
});
