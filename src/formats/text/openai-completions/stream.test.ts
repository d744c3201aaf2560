import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { openaiCompletions } from './index.ts';
import { answerContext, parsed } from './testing/support.ts';

const utf8 = new TextEncoder();
const text = new TextDecoder();
const patch = { publicModel: 'public', routing: { json: '{"cached":false}' }, created: 1, newId: String };
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (choice: object) =>
  event({ id: 'cmpl-1', object: 'text_completion', created: 5, model: 'up', choices: [choice] });
const words = (said: string, index = 0) => chunk({ text: said, index, logprobs: null, finish_reason: null });
const END = chunk({ text: '', index: 0, logprobs: null, finish_reason: 'length' });
const USAGE = event({
  id: 'cmpl-1',
  object: 'text_completion',
  created: 5,
  model: 'up',
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: 4 },
});
const DONE = 'data: [DONE]\n\n';
const WHOLE = words('Hel') + words('lo é') + END + USAGE + DONE;

function relayed(stream: string, wantsUsage = false, cuts: readonly number[] = []) {
  const options = wantsUsage ? { stream_options: { include_usage: true } } : {};
  const relay = openaiCompletions.relayStream(parsed({ stream: true, ...options }), patch);
  const bytes = utf8.encode(stream);
  let out = '';
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    out += text.decode(relay.push(bytes.slice(from, cut)));
    from = cut;
  }
  return { out: out + text.decode(relay.end()), relay };
}

const cutsOf = (stream: string) =>
  fc.uniqueArray(fc.nat(utf8.encode(stream).length), { maxLength: 6 }).map((cuts) => cuts.toSorted((a, b) => a - b));

describe('a relayed stream', () => {
  test('is unchanged except for the model and _routing, at any split, and its usage is read', () => {
    const expected = (words('Hel') + words('lo é')).replaceAll('"up"', '"public"');
    const end = END.replace('"up"', '"public"').replace('}\n\n', ',"_routing":{"cached":false}}\n\n');
    fc.assert(
      fc.property(cutsOf(WHOLE), (cuts) => {
        const { out, relay } = relayed(WHOLE, false, cuts);
        expect(out).toBe(expected + end + DONE);
        expect(relay.usage).toMatchObject({ input: 3, output: 4 });
        expect([relay.failure, relay.finished, relay.produced.sample().text]).toEqual([null, true, 'Hello é']);
      }),
    );
  });

  test('shows its usage to a client that requested it', () => {
    expect(relayed(WHOLE, true).out).toContain('"usage":{"prompt_tokens":3,"completion_tokens":4},"_routing"');
  });

  test.each([
    [words('Hel'), 'truncated_stream'],
    ['', 'empty_stream'],
    [DONE, 'empty_stream'],
  ])('%j is a failure', (stream, kind) => {
    expect(relayed(stream).relay.failure?.kind).toBe(kind);
  });

  test('without a finish reason gets one if it has its end mark', () => {
    const { out, relay } = relayed(words('a') + DONE);
    expect([relay.failure, relay.finished]).toEqual([null, true]);
    expect(out).toContain(
      '"object":"text_completion","model":"public","choices":[{"index":0,"text":"","logprobs":null,"finish_reason":"stop"}]',
    );
  });

  test('with an error passes on the content before it, and fails', () => {
    const { out, relay } = relayed(
      words('a') + event({ choices: [{ index: 0, text: 'b' }], error: { message: 'Broken' } }),
    );
    expect(relay.failure?.message).toContain('Broken');
    expect(out).toContain('"text":"b"');
  });
});

describe('a decoded stream', () => {
  function read(stream: string, cuts: readonly number[] = []): readonly StreamPart[] {
    const decoder = openaiCompletions.decodeStream({ provider: 'p', channel: 'c', quirks: [] });
    const bytes = utf8.encode(stream);
    const borders = [0, ...cuts, bytes.length];
    const pieces = borders.slice(1).map((cut, index) => bytes.slice(borders[index], cut));
    return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()];
  }

  test('has text, finish reason and usage, at any split', () => {
    fc.assert(
      fc.property(cutsOf(WHOLE), (cuts) => {
        const parts = read(WHOLE, cuts);
        expect(parts.map(({ type }) => type)).toEqual([
          ...(['start', 'text-start', 'text-delta', 'text-delta', 'usage', 'text-end', 'finish', 'end'] as const),
        ]);
        expect(parts.find(({ type }) => type === 'finish')).toMatchObject({ finish: { unified: 'length' } });
      }),
    );
  });

  test.each([[words('a')], [''], [words('a') + event({ error: { message: 'Broken' } })], ['data: {\n\n']])(
    '%j ends with an error',
    (stream) => expect(read(stream).at(-1)?.type).toBe('error'),
  );

  test('is encoded again unchanged', () => {
    const encoder = openaiCompletions.encodeStream(answerContext({ stream: true }));
    const out = read(WHOLE)
      .map((part) => encoder.encode(part))
      .join('');
    expect(out).toBe(relayed(WHOLE).out);
  });
});

describe('an encoded stream', () => {
  const write = (body: object, parts: readonly StreamPart[]) => {
    const encoder = openaiCompletions.encodeStream(answerContext({ stream: true, ...body }));
    const out = parts.map((part) => encoder.encode(part)).join('');
    const chunks = out.split('\n\n').filter((line) => line.startsWith('data: {'));
    return { out, chunks: chunks.map((line) => JSON.parse(line.slice(6))) };
  };
  const start = { type: 'start', id: 'msg_1', created: null } as const;
  const finish = (candidate = 0) => ({ type: 'finish', candidate, finish: { unified: 'stop', raw: null } }) as const;
  const said = (said: string, candidate = 0) => ({ type: 'text-delta', candidate, text: said }) as const;
  const usage = {
    type: 'usage',
    usage: { input: 1, cachedInput: 0, cacheWrite: 0, output: 2, reasoning: 0, source: 'reported', raw: null },
  } as const;

  test('starts each choice with the prompt if the client requested echo', () => {
    const parts = [start, said('b', 1), said('a'), finish(), finish(1), { type: 'end' }] as const;
    const { chunks } = write({ prompt: 'P:', echo: true, n: 2 }, parts);
    const texts = [0, 1].map((index) =>
      chunks.map(({ choices: [one] }) => (one.index === index ? one.text : '')).join(''),
    );
    expect(texts).toEqual(['P:a', 'P:b']);
  });

  test('has the prompt only if the model generates nothing', () => {
    const { chunks } = write({ prompt: 'P:', echo: true }, [start, finish(), { type: 'end' }]);
    expect(chunks.map(({ choices: [one] }) => [one.text, one.finish_reason])).toEqual([
      ['P:', null],
      ['', 'stop'],
    ]);
  });

  test('shows no reasoning, and usage last on request', () => {
    const parts: StreamPart[] = [start, { type: 'reasoning-start', candidate: 0 }];
    parts.push({ type: 'reasoning-delta', candidate: 0, text: 'hm' }, { type: 'reasoning-end', candidate: 0 });
    parts.push(said('a'), usage, finish(), { type: 'end' });
    const { out, chunks } = write({ stream_options: { include_usage: true } }, parts);
    expect(out).not.toContain('hm');
    expect(out).toEndWith('data: [DONE]\n\n');
    expect(chunks.map((one) => one.usage?.total_tokens ?? null)).toEqual([null, null, 3]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], _routing: { cached: false } });
    expect(write({}, parts).chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], _routing: {} });
  });

  test('counts token offsets across chunks', () => {
    const logprobs = [{ token: 'é😀', logprob: -1, bytes: null, top: [] }];
    const one = { ...said('é😀'), logprobs };
    const { chunks } = write({ logprobs: 1 }, [start, one, one, finish(), { type: 'end' }]);
    expect(chunks.slice(0, 2).map(({ choices: [choice] }) => choice.logprobs.text_offset)).toEqual([[0], [2]]);
  });
});
