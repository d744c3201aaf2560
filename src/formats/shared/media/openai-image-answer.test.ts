import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { decodeAnswer, decodeClientsAnswer } from './openai-image-answer.ts';

const utf8 = new TextEncoder();
const decode = (body: unknown) =>
  decodeAnswer({ bytes: utf8.encode(typeof body === 'string' ? body : JSON.stringify(body)), headers: new Headers() });
const tokensOf = (usage: unknown) => {
  const answer = decode({ created: 1, data: [{ b64_json: 'AAAA' }], usage });
  return answer instanceof Failure ? answer : answer.tokens;
};

describe('images', () => {
  test('are read from base64 or URLs, with the properties in the response', () => {
    const answer = decode({
      created: 1_762_547_086,
      background: 'opaque',
      data: [{ b64_json: 'AAAA' }, { url: 'https://a.example/b.png', revised_prompt: 'r' }],
      output_format: 'webp',
      quality: 'high',
      size: '1024x1024',
    });
    expect(answer).toEqual({
      images: [
        { base64: 'AAAA', mediaType: 'image/webp', revisedPrompt: null },
        { url: 'https://a.example/b.png', mediaType: 'image/webp', revisedPrompt: 'r' },
      ],
      created: 1_762_547_086,
      tokens: null,
      model: null,
      size: '1024x1024',
      quality: 'high',
      background: 'opaque',
      fileFormat: 'webp',
    });
  });

  test('have their own media type if stated', () => {
    expect(decode({ data: [{ b64_json: 'AAAA', mime_type: 'image/jpeg' }] })).toMatchObject({
      images: [{ mediaType: 'image/jpeg' }],
    });
    expect(decode({ output_format: 'svg', data: [{ b64_json: 'AAAA' }] })).toMatchObject({
      images: [{ mediaType: 'image/svg+xml' }],
    });
  });

  test('are required: a response without a usable one is a failure', () => {
    const wrong = [
      ...['', '[]', '{}', 'null', '{"data":null}', '{"data":{}}', '{"data":[]}', '{"data":[null]}', '{"data":["x"]}'],
      ...[{ data: [{}] }, { data: [{ b64_json: '' }] }, { data: [{ b64_json: 7 }] }, { data: [{ url: 'x' }] }],
      { data: [{ b64_json: 'AAAA' }, { b64_json: '???' }] },
      { error: { message: 'broken' } },
    ];
    for (const body of wrong) expect(decode(body)).toBeInstanceOf(Failure);
  });

  test('ignore properties of a wrong type', () => {
    for (const odd of [null, 7, {}, [], '', 'a b', 'x'.repeat(40)]) {
      const answer = decode({
        data: [{ b64_json: 'AAAA' }],
        size: odd,
        quality: odd,
        background: odd,
        output_format: odd,
      });
      expect(answer).toMatchObject({ size: null, quality: null, background: null, fileFormat: null });
    }
    for (const created of [-1, 1.5, '7', null, {}, 1e300]) {
      expect(decode({ created, data: [{ b64_json: 'AAAA' }] })).toMatchObject({ created: null });
    }
  });
});

test('OpenAI clients get unknown members, but none that the gateway checks', () => {
  const usage = { input_tokens: 1, output_tokens: 2, more: { a: 1 } };
  const body = {
    created: 'x',
    data: [{ b64_json: 'AAAA' }],
    usage,
    future: [1],
    model: 'theirs',
    size: 7,
    _routing: {},
  };
  const bytes = utf8.encode(JSON.stringify(body));
  expect(decodeClientsAnswer({ bytes, headers: new Headers() })).toMatchObject({
    created: null,
    details: { future: [1], usage },
  });
  const odd = utf8.encode(JSON.stringify({ data: [{ b64_json: 'AAAA' }], usage: 'much' }));
  const answer = decodeClientsAnswer({ bytes: odd, headers: new Headers() });
  expect(answer instanceof Failure ? answer : answer.details).toEqual({});
  expect(decodeClientsAnswer({ bytes: utf8.encode('{}'), headers: new Headers() })).toBeInstanceOf(Failure);
});

describe('tokens', () => {
  test('are split into parts that add up to the totals', () => {
    const usage = {
      ...{ input_tokens: 224, input_tokens_details: { image_tokens: 194, text_tokens: 30 }, total_tokens: 4_384 },
      output_tokens: 4_160,
    };
    const expected = { textInput: 30, imageInput: 194, textOutput: 0, imageOutput: 4_160 };
    expect(tokensOf(usage)).toEqual(expected);
    expect(tokensOf({ ...usage, output_tokens_details: { image_tokens: 4_000, text_tokens: 160 } })).toEqual({
      ...expected,
      textOutput: 160,
      imageOutput: 4_000,
    });
    expect(tokensOf({ input_tokens: 14, output_tokens: 272 })).toEqual({
      textInput: 14,
      imageInput: 0,
      textOutput: 0,
      imageOutput: 272,
    });
    expect(tokensOf({ ...usage, input_tokens: null })).toEqual(expected);
  });

  test('have parts limited by the total', () => {
    const usage = { input_tokens: 10, input_tokens_details: { image_tokens: 99 }, output_tokens: 5 };
    expect(tokensOf({ ...usage, output_tokens_details: { text_tokens: 99 } })).toEqual({
      textInput: 0,
      imageInput: 10,
      textOutput: 5,
      imageOutput: 0,
    });
  });

  test('are null if they are not counts', () => {
    for (const odd of [null, -1, 1.5, '10', {}, [], true, 1e300]) {
      expect(tokensOf({ input_tokens: odd, output_tokens: odd })).toBeNull();
    }
    for (const usage of [undefined, null, 7, [], {}, { input_tokens: 0, output_tokens: 0 }]) {
      expect(tokensOf(usage)).toBeNull();
    }
  });
});
