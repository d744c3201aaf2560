import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { EmbeddingTarget, EmbeddingTraits } from '../wire.ts';
import { encodeRequest, parseRequest, partsOf } from './request.ts';

const utf8 = new TextEncoder();
const parsed = (text: string) => {
  const found = parseRequest(utf8.encode(text));
  if (found instanceof Failure) throw new Error(found.message);
  return found.request;
};
const encoded = (request: Parameters<typeof encodeRequest>[0], target: EmbeddingTarget) => {
  const body = encodeRequest(request, target);
  if (body instanceof Failure) throw new Error(body.message);
  return body;
};
const sent = (text: string, members?: Readonly<Record<string, string | null>>, embeddings?: EmbeddingTraits) => {
  const target = { upstreamModel: 'up', ...(members && { members }), ...(embeddings && { embeddings }) };
  const { body, losses } = encoded(parsed(text), target);
  return [new TextDecoder().decode(body), losses.map(({ field }) => field)];
};

test('inputs can be one or many, texts or tokens', () => {
  const inputsOf = (input: string) => parsed(`{"model":"m","input":${input}}`).inputs;
  expect(inputsOf('"a"')).toEqual({ kind: 'texts', texts: ['a'] });
  expect(inputsOf('["a","b"]')).toEqual({ kind: 'texts', texts: ['a', 'b'] });
  expect(inputsOf('[0,4294967295]')).toEqual({ kind: 'tokens', lists: [[0, 4_294_967_295]] });
  expect(inputsOf('[[1],[2,3]]')).toEqual({ kind: 'tokens', lists: [[1], [2, 3]] });
});

test('null counts as missing', () => {
  const request = parsed('{"model":"m","input":"a","encoding_format":null,"dimensions":null,"user":null}');
  expect(request).toMatchObject({ encoding: 'float', dimensions: null, user: null });
});

test('every byte except the model is passed on', () => {
  expect(sent('{ "input":"a", "model" : "m","new":[1.0]}')).toEqual(['{ "input":"a", "model" : "up","new":[1.0]}', []]);
});

test('cache_control is not passed on', () => {
  const control = '"cache_control":{"type":"no_store"}';
  expect(sent(`{${control},"model":"m","input":"a"}`)).toEqual(['{"model":"up","input":"a"}', []]);
  expect(sent(`{"model":"m" , ${control} ,"input":"a"}`)).toEqual(['{"model":"up"  ,"input":"a"}', []]);
  expect(sent(`{"model":"m","input":"a","user":"u",${control}}`, { user: null })).toEqual([
    '{"model":"up","input":"a"}',
    ['user'],
  ]);
  expect(parsed(`{"model":"m","input":"a",${control}}`).body).toEqual({ model: 'm', input: 'a' });
});

test('members are renamed or dropped as the provider requires', () => {
  const members = { dimensions: 'size', user: null };
  expect(sent('{"user":"u","dimensions":3,"model":"m","input":"a"}', members)).toEqual([
    '{"size":3,"model":"up","input":"a"}',
    ['user'],
  ]);
  expect(sent('{"model":"m","dimensions":3,"input":"a","size":4}', members)).toEqual([
    '{"model":"up","input":"a","size":4}',
    ['dimensions'],
  ]);
  expect(sent('{"model":"m","input":"a"}', members)).toEqual(['{"model":"up","input":"a"}', []]);
});

test('an encoding is passed on to a server that reads it, and is no loss at any other', () => {
  const asked = '{"encoding_format":"base64","model":"m","input":"a"}';
  expect(sent(asked, {}, { hasBase64: true })).toEqual([asked.replace('"m"', '"up"'), []]);
  expect(sent(asked)).toEqual(['{"model":"up","input":"a"}', []]);
  expect(sent('{"model":"m","input":"a","encoding_format":"float","user":"u"}', { user: null })).toEqual([
    '{"model":"up","input":"a"}',
    ['user'],
  ]);
});

test("each part of a request has its own inputs, and the client's bytes otherwise", () => {
  const request = parsed('{ "user":"u", "input" : [ "a","\\ud83d\\ude00","c" ] , "model":"m","new":[1.0]}');
  const parts = partsOf(request, [
    { kind: 'texts', texts: ['a', '😀'] },
    { kind: 'texts', texts: ['c'] },
  ]);
  const bodies = parts.map((part) => new TextDecoder().decode(encoded(part, { upstreamModel: 'up' }).body));
  expect(bodies).toEqual([
    '{ "user":"u", "input" : ["a","😀"] , "model":"up","new":[1.0]}',
    '{ "user":"u", "input" : ["c"] , "model":"up","new":[1.0]}',
  ]);
  expect(partsOf(request, [request.inputs])).toEqual([request]);
});

test('token ids are refused for a server without them, and another channel may take them', () => {
  const embeddings = { isTextOnly: true } as const;
  expect(encodeRequest(parsed('{"model":"m","input":[1,2]}'), { upstreamModel: 'up', embeddings })).toMatchObject({
    ...{ code: 'unsupported_parameter', retry: 'other-target', details: { param: 'input' } },
  });
});

test('an error names the field and what to do next', () => {
  expect(parseRequest(utf8.encode('{"model":"m","input":["a",""]}'))).toMatchObject({
    code: 'invalid_value',
    message: '`input[1]` is empty; omit it, or send text.',
  });
});
