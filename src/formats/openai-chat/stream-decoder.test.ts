import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { StreamPart } from '../../domain/exchange/stream-part.ts';
import { decodeStream, delta, events } from './testing/exchange.ts';

/** A stream in short: `text(ab)`, `call(f {})`, so that a whole one can be read at a glance. */
function inShort(parts: readonly StreamPart[]): string[] {
  const out: string[] = [];
  for (const part of parts) {
    if (part.type === 'tool-call-start') out.push(`call ${part.name} `);
    else if (part.type.endsWith('-start')) out.push(`${part.type.replace('-start', '')} `);
    else if (part.type === 'tool-call-delta') out[out.length - 1] += part.arguments;
    else if ('text' in part) out[out.length - 1] += part.text;
    else if (part.type === 'finish') out.push(`finish ${part.finish.unified}`);
    else if (part.type === 'error') out.push(`error ${part.failure.kind}`);
    else if (part.type === 'citation') out[out.length - 1] += `[${part.citation.url}]`;
    else if (part.type === 'media' || part.type === 'end') out.push(part.type);
  }
  return out.filter((text) => text !== 'start ');
}

const call = (index: number | null, id: string | null, name: string | null, text: string) => ({
  ...(index === null ? {} : { index }),
  ...(id === null ? {} : { id }),
  function: { ...(name === null ? {} : { name }), arguments: text },
});
const calls = (...tool_calls: object[]) => delta({ tool_calls });
const FINISH = delta({}, 'stop');
const short = (...chunks: (string | object)[]) => inShort(decodeStream(events(...chunks, FINISH, '[DONE]')));

describe('a stream of chat chunks', () => {
  test('thoughts, text and calls follow each other', () => {
    const parts = [delta({ reasoning: 'h' }), delta({ reasoning_content: 'm' }), delta({ content: 'a' })];
    expect(short(...parts, delta({ content: 'b' }), calls(call(0, 'x', 'f', '{}')))).toEqual([
      'reasoning hm',
      'text ab',
      'call f {}',
      'finish tool-calls',
      'end',
    ]);
  });

  test('calls that are interleaved come out one after the other', () => {
    const first = [calls(call(0, 'x', 'f', '{"a":')), calls(call(1, 'y', 'g', '{"b":'))];
    const second = [calls(call(0, null, null, '1}')), calls(call(1, null, null, '2}'))];
    expect(short(...first, ...second)).toEqual(['call f {"a":1}', 'call g {"b":2}', 'finish tool-calls', 'end']);
  });

  test.each([
    ['no index, no ids', [calls(call(null, '', 'f', '{}')), calls(call(null, '', 'g', '{}'))]],
    ['index 0 for each', [calls(call(0, 'x', 'f', '{}')), calls(call(0, 'y', 'g', '{}'))]],
    ['index 0 for each, no ids', [calls(call(0, null, 'f', '{}')), calls(call(0, null, 'g', '{}'))]],
    [
      'id and name in every piece',
      [calls(call(0, 'x', 'f', '{')), calls(call(0, 'x', 'f', '}')), calls(call(1, 'y', 'g', '{}'))],
    ],
    ['one id for both', [calls(call(0, 'x', 'f', '{}')), calls(call(1, 'x', 'g', '{}'))]],
    ['both in one chunk', [calls(call(0, 'x', 'f', '{}'), call(1, 'y', 'g', '{}'))]],
  ])('two calls with %s', (_, chunks) => {
    expect(short(...chunks)).toEqual(['call f {}', 'call g {}', 'finish tool-calls', 'end']);
    const ids = decodeStream(events(...chunks, FINISH, '[DONE]')).flatMap((part) => ('id' in part && part.id) || []);
    expect(new Set(ids).size).toBe(3);
  });

  test('text after a call that is still open waits for it', () => {
    const chunks = [
      calls(call(0, 'x', 'f', '{')),
      delta({ content: 'a' }),
      delta({ content: 'b' }),
      calls(call(0, null, null, '}')),
    ];
    expect(short(...chunks)).toEqual(['call f {}', 'text ab', 'finish tool-calls', 'end']);
  });

  test('sources beside the choices belong to the text', () => {
    expect(short({ ...delta({ content: 'a' }), citations: ['u'] })).toEqual(['text a[u]', 'finish stop', 'end']);
  });

  test('OpenRouter’s items are put together and come back as they were', () => {
    const item = (said: object) => ({ index: 0, type: 'reasoning.text', ...said });
    const parts = decodeStream(
      events(
        delta({ reasoning: 'h', reasoning_details: [item({ text: 'h' })] }),
        delta({ reasoning: 'm', reasoning_details: [item({ text: 'm' })] }),
        delta({ reasoning_details: [item({ signature: 's' })] }),
        delta({ content: 'a' }),
        delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'd', index: 1 }] }),
        FINISH,
        '[DONE]',
      ),
    );
    const states = parts.flatMap((part) => (part.type === 'reasoning-end' ? JSON.parse(part.state?.data ?? '') : []));
    expect(states).toEqual([
      item({ text: 'hm', signature: 's' }),
      { type: 'reasoning.encrypted', data: 'd', index: 1 },
    ]);
    expect(inShort(parts)).toEqual(['reasoning hm', 'text a', 'reasoning ', 'finish stop', 'end']);
  });

  test('several candidates, a first chunk of Azure’s, usage in the finish chunk and at Groq', () => {
    const azure = { id: '', model: '', choices: [], prompt_filter_results: [] };
    const usage = { prompt_tokens: 1, completion_tokens: 2 };
    const parts = decodeStream(
      events(
        azure,
        delta({ content: 'a' }),
        delta({ content: 'b' }, null, 1),
        { ...FINISH, x_groq: { usage } },
        delta({}, 'length', 1),
      ),
    );
    expect(parts[0]).toEqual({ type: 'start', id: 'chatcmpl-1', created: 5 });
    expect(parts.filter((part) => part.type === 'usage')).toMatchObject([{ usage: { input: 1, output: 2 } }]);
    expect(parts.flatMap((part) => (part.type === 'finish' ? [[part.candidate, part.finish.unified]] : []))).toEqual([
      [0, 'stop'],
      [1, 'length'],
    ]);
  });

  test.each([
    ['', 'empty_stream'],
    ['data: [DONE]\n\n', 'empty_stream'],
    [events(delta({ content: 'a' })), 'truncated_stream'],
    [events(delta({ content: 'a' }), { error: { message: 'down' } }), 'error_in_200'],
    [events('{"choices":[{"del'), 'garbage'],
  ])('%j ends with an error', (text, kind) => {
    expect(inShort(decodeStream(text)).at(-1)).toBe(`error ${kind}`);
  });

  test('is the same at every split, with CRLF, comments and no blank line at the end', () => {
    const whole = events(delta({ content: 'ü€😀' }), calls(call(0, 'x', 'f', '{"ö":1}')), FINISH);
    const text = `: hi\r\n\r\n${whole.replaceAll('\n', '\r\n')}data: [DONE]`;
    const expected = decodeStream(text);
    expect(inShort(expected)).toEqual(['text ü€😀', 'call f {"ö":1}', 'finish tool-calls', 'end']);
    fc.assert(
      fc.property(fc.array(fc.nat(Buffer.byteLength(text))), (cuts) => {
        expect(
          decodeStream(
            text,
            cuts.sort((left, right) => left - right),
          ),
        ).toEqual(expected);
      }),
    );
  });
});
