import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { modelInBody, modelInQuery, publicModelIn, withUpstreamModel } from './named-model.ts';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
const text = (body: Uint8Array) => Buffer.from(body).toString();

describe('the model of a body', () => {
  test('is replaced in place, and nothing else changes', () => {
    const body = bytes('{ "ttl":1.0, "model" : "models/mine","x":{"model":"mine"} }');
    const named = modelInBody(body, ['model']);
    if (named instanceof Failure) throw new Error(named.message);
    expect(named.model).toBe('mine');
    expect(text(withUpstreamModel(body, named, 'theirs'))).toBe(
      '{ "ttl":1.0, "model" : "models/theirs","x":{"model":"mine"} }',
    );
  });

  test.each([
    ['{"model":"a","model":"b"}', ['model']],
    ['{"model":"a","session":{"model":"b"}}', ['model', 'session.model']],
    ['{"session":{"model":"a"},"session":{}}', ['model', 'session.model']],
    ['{"Model":"a"}', ['model']],
    ['{"model ":"a","model":"b"}', ['model']],
    ['{"session":{"MODEL":"a"}}', ['model', 'session.model']],
    ['{"Session":{"model":"a"}}', ['model', 'session.model']],
  ] as const)('is ambiguous in %s', (body, places) => {
    expect(modelInBody(bytes(body), places)).toBeInstanceOf(Failure);
  });

  test.each(['[]', '', 'null', '{"model":7}', '{"model":""}'])('is missing in %j', (body) => {
    expect(modelInBody(bytes(body), ['model'])).toMatchObject({ model: null });
  });
});

describe('the model of a URL', () => {
  test.each([
    ['', null],
    ['?model=a', 'a'],
    ['?other=a', null],
  ])('%j names %j', (query, model) => {
    expect(modelInQuery(new URLSearchParams(query))).toBe(model);
  });

  test.each(['?model=a&model=b', '?model=', '?Model=a', '?model%20=a', '?model[]=a', '?model=a&MODEL=b'])(
    'is ambiguous in %j',
    (query) => {
      expect(modelInQuery(new URLSearchParams(query))).toMatchObject({ code: 'invalid_value' });
    },
  );
});

test('a response gets the public model id, and its texts are unchanged', () => {
  const answer = '{"model":"models/up.1","text":"\\"model\\":\\"up.1\\"","x":{"model" : "up.1"},"y":{"model":"upx1"}}';
  expect(publicModelIn(answer, 'up.1', 'my"own')).toBe(
    '{"model":"models/my\\"own","text":"\\"model\\":\\"up.1\\"","x":{"model" : "my\\"own"},"y":{"model":"upx1"}}',
  );
});
