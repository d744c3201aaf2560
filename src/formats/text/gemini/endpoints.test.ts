import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { endpoints, secret } from './endpoints.ts';

function call(url: string) {
  const [endpoint] = endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  return endpoint.call(url);
}

describe('the call for a path', () => {
  test('generateContent', () => {
    expect(call('http://h/v1beta/models/gemini-2.5-flash:generateContent?key=sk-1')).toEqual({
      purpose: 'generate',
      model: 'gemini-2.5-flash',
      stream: false,
      framing: 'json-array',
    });
  });

  test('is a stream framed as events with alt=sse, else as one array', () => {
    const path = '/v1beta/models/m:streamGenerateContent';
    expect(call(`${path}?alt=sse`)).toMatchObject({ stream: true, framing: 'sse' });
    expect(call(`${path}?%24alt=json%3Benum-encoding%3Dint`)).toMatchObject({ stream: true, framing: 'json-array' });
    expect(call(path)).toMatchObject({ stream: true, framing: 'json-array' });
  });

  test('countTokens', () => {
    expect(call('/v1beta/models/m:countTokens')).toMatchObject({ purpose: 'count-tokens', stream: false });
  });

  test.each([
    ['/v1beta/models/meta-llama/llama-3:generateContent', 'meta-llama/llama-3'],
    ['/v1beta/models/meta-llama%2Fllama-3:generateContent', 'meta-llama/llama-3'],
    ['/v1beta/models/deepseek/r1:free:generateContent', 'deepseek/r1:free'],
    ['/v1beta/models/gemini-2.5-pro%3AgenerateContent', 'gemini-2.5-pro'],
    ['/v1beta/models/100%:generateContent', '100%'],
    ['http://host:8787/v1/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro'],
  ])('has the model of %p', (url, model) => {
    expect(call(url)).toMatchObject({ model });
  });

  test.each([
    '/v1beta/models/m',
    '/v1beta/models/m:embedContent',
    '/v1beta/models/m:toString',
    '/v1beta/models/:generateContent',
    '/v1beta/models/',
  ])('is unknown for %p', (url) => {
    const failure = call(url);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ code: 'unknown_url', status: 404 });
  });
});

describe('the key', () => {
  test.each([
    [{ 'x-goog-api-key': 'sk-a' }, '/', 'sk-a'],
    [{ authorization: 'Bearer sk-b' }, '/', 'sk-b'],
    [{ authorization: 'bearer  sk-b ' }, '/', 'sk-b'],
    [{}, '/v1beta/models/m:generateContent?alt=sse&key=sk-c', 'sk-c'],
    [{ 'x-goog-api-key': '' }, '/?key=sk-c', 'sk-c'],
    [{}, '/?key=', null],
    [{}, '/', null],
  ])('in %p and %p is %p', (headers, url, key) => {
    expect(secret(new Headers(headers as Record<string, string>), url)).toBe(key);
  });
});

describe('a duplicate parameter', () => {
  const path = '/v1beta/models/m:streamGenerateContent';
  test.each(['key=a&key=b', 'alt=sse&alt=json', 'alt=sse&%24alt=json', 'key=a&%6Bey=b'])(
    '%s is refused if it is read',
    (query) => {
      expect(call(`${path}?${query}`)).toMatchObject({ status: 400, code: 'invalid_value' });
    },
  );

  test('is ignored if it is not read', () => {
    expect(call(`${path}?key=a&alt=sse&x=1&x=2`)).not.toBeInstanceOf(Failure);
  });
});
