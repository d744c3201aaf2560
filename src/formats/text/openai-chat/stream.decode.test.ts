import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { decodeStream, delta, events } from './testing/exchange.ts';

/** Returns a stream in short form, such as `text(ab)`, `call(f {})`. */
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
  test('from a server that sends zero values is the same without them', () => {
    const zeros = { role: '', refusal: '', reasoning_content: '', annotations: [], audio: { id: '', data: '' } };
    const noCall = { function_call: { name: '', arguments: '' }, tool_calls: [] };
    const shell = {
      index: 0,
      id: '',
      type: '',
      function: { name: '', arguments: '' },
      custom: { name: '', input: '' },
    };
    const piece = { ...shell, function: { name: '', arguments: '}' } };
    const called = { ...shell, id: 'x', type: 'function', function: { name: 'f', arguments: '{' } };
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    const chunk = (own: object) => ({
      ...delta({ ...zeros, ...noCall, ...own }, ''),
      usage,
      error: { code: 0, message: '' },
    });
    const reported = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } };
    const chunks = [
      chunk({ content: 'a' }),
      chunk({ content: '', tool_calls: [called] }),
      chunk({ tool_calls: [piece] }),
    ];
    const parts = decodeStream(events(...chunks, reported, chunk({}), '[DONE]'));
    expect(inShort(parts).filter((part) => part !== 'usage')).toEqual([
      'text a',
      'call f {}',
      'finish tool-calls',
      'end',
    ]);
    expect(parts.findLast((part) => part.type === 'usage')).toMatchObject({ usage: { input: 7, output: 5 } });
    expect(inShort(decodeStream(events(chunk({ content: 'a' }), '[DONE]')))).toContain('finish stop');
  });

  test('with one call under both names has one call', () => {
    const [name, text] = ['f', '{}'];
    const both = { tool_calls: [call(0, 'x', name, text)], function_call: { name, arguments: text } };
    expect(short(delta(both))).toEqual(['call f {}', 'finish tool-calls', 'end']);
  });

  test('that repeats the whole message at its end has it once', () => {
    const end = { choices: [{ index: 0, message: { role: 'assistant', content: 'ab' }, finish_reason: 'stop' }] };
    expect(short(delta({ content: 'a' }), delta({ content: 'b' }), end)).toEqual(['text ab', 'finish stop', 'end']);
    expect(short(end)).toEqual(['text ab', 'finish stop', 'end']);
  });

  test('with audio only, without choices, ends with the audio', () => {
    const spoken = [{ audio: { id: 'a1', data: btoa('ab') } }, { audio: { data: btoa('cd'), transcript: 'hi' } }];
    expect(inShort(decodeStream(events(...spoken, '[DONE]')))).toEqual(['text hi', 'media', 'finish stop', 'end']);
  });

  test('whose last chunk has content and an error gives both', () => {
    const error = { message: 'down', code: 502 };
    expect(inShort(decodeStream(events({ ...delta({ content: 'a' }), error })))).toEqual([
      'text a',
      'error error_in_200',
    ]);
  });

  test('has reasoning, text and calls in sequence', () => {
    const parts = [delta({ reasoning: 'h' }), delta({ reasoning_content: 'm' }), delta({ content: 'a' })];
    expect(short(...parts, delta({ content: 'b' }), calls(call(0, 'x', 'f', '{}')))).toEqual([
      'reasoning hm',
      'text ab',
      'call f {}',
      'finish tool-calls',
      'end',
    ]);
  });

  test('has interleaved calls put in sequence', () => {
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
  ])('has two calls with %s', (_, chunks) => {
    expect(short(...chunks)).toEqual(['call f {}', 'call g {}', 'finish tool-calls', 'end']);
    const ids = decodeStream(events(...chunks, FINISH, '[DONE]')).flatMap((part) => ('id' in part && part.id) || []);
    expect(new Set(ids).size).toBe(3);
  });

  test('has text after an open call delayed until the call ends', () => {
    const chunks = [
      calls(call(0, 'x', 'f', '{')),
      delta({ content: 'a' }),
      delta({ content: 'b' }),
      calls(call(0, null, null, '}')),
    ];
    expect(short(...chunks)).toEqual(['call f {}', 'text ab', 'finish tool-calls', 'end']);
  });

  test('has sources beside the choices attached to the text', () => {
    expect(short({ ...delta({ content: 'a' }), citations: ['u'] })).toEqual(['text a[u]', 'finish stop', 'end']);
  });

  test('has OpenRouter’s items joined and restored', () => {
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

  test("has several candidates, Azure's first chunk, and usage in the finish chunk and at Groq", () => {
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
    expect(parts[0]).toEqual({ type: 'start', id: 'chatcmpl-1', created: 5, model: 'up' });
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
  ])('that is %j ends with an error', (text, kind) => {
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
