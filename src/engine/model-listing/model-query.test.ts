import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { parseModelQuery, type QueryVocabulary } from './model-query.ts';

const VOCABULARY: QueryVocabulary = { providers: new Set(['openai', 'anthropic']), tags: new Set(['fast', 'vision']) };

function parsed(query: string) {
  return parseModelQuery(new URLSearchParams(query), () => VOCABULARY);
}

function failureOf(query: string): Failure {
  const result = parsed(query);
  return result instanceof Failure ? result : expect.unreachable();
}

test('missing parameters do not filter', () => {
  expect(parsed('')).toEqual({ category: null, recommendedFor: null, provider: null, tag: null });
});

test('each parameter is parsed', () => {
  expect(parsed('tag=fast&provider=openai&recommended_for=image&category=3d')).toEqual({
    category: '3d',
    recommendedFor: 'image',
    provider: 'openai',
    tag: 'fast',
  });
});

test('unknown parameters are ignored', () => {
  expect(parsed('categories=x&limit=5&limit=6')).toEqual(parsed(''));
});

test.each(['chat', 'audio'])('%s is a category, but not a scene', (value) => {
  expect(parsed(`category=${value}`)).toMatchObject({ category: value });
  expect(failureOf(`recommended_for=${value}`).details.param).toBe('recommended_for');
});

test('every category is a tag, whether or not a model has it', () => {
  expect(parsed('tag=rerank')).toMatchObject({ tag: 'rerank' });
});

describe.each(['category', 'recommended_for', 'provider', 'tag'])('%s', (name) => {
  const valid = name === 'provider' ? 'openai' : 'image';

  test('is refused if repeated, even with the same value', () => {
    const { status, code, message, details } = failureOf(`${name}=${valid}&${name}=${valid}`);
    expect([status, code, details.param]).toEqual([400, 'invalid_value', name]);
    expect(message).toContain('more than once');
  });

  test.each(['', 'IMAGE', 'toString', ' image', 'image,video'])('is refused with %j', (value) => {
    const { status, code, details } = failureOf(new URLSearchParams({ [name]: value }).toString());
    expect([status, code, details.param]).toEqual([400, 'invalid_value', name]);
  });
});

describe('a refusal', () => {
  test('lists the allowed values in order', () => {
    expect(failureOf('provider=nobody').message).toBe('provider must be one of "anthropic", "openai"; got "nobody"');
  });

  test('suggests the value that was probably meant', () => {
    const { didYouMean, hint } = failureOf('provider=antropic').details;
    expect([didYouMean, hint]).toEqual(['anthropic', 'Did you mean `provider=anthropic`?']);
  });

  test('suggests nothing without a near match', () => {
    expect(failureOf('provider=qqzzqqzz').details).not.toHaveProperty('didYouMean');
  });

  test('quotes at most a hundred characters', () => {
    const { message } = failureOf(`category=${'x'.repeat(5_000)}`);
    expect(message).toEndWith(`got "${'x'.repeat(100)}"`);
  });
});

test('the vocabulary is not loaded if nothing depends on it', () => {
  const parameters = new URLSearchParams('category=chat&recommended_for=image');
  expect(parseModelQuery(parameters, () => expect.unreachable())).toMatchObject({ category: 'chat' });
});
