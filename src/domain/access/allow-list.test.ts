import { describe, expect, test } from 'bun:test';
import { allowsModel } from './allow-list.ts';

test('no list admits every model', () => {
  expect(allowsModel(null, 'gpt-4o-mini')).toBe(true);
});

test('an empty list admits no model', () => {
  expect(allowsModel([], 'gpt-4o-mini')).toBe(false);
});

describe('an id', () => {
  test.each<[boolean, string, string]>([
    [true, 'gpt-4o-mini', 'gpt-4o-mini'],
    [false, 'gpt-4o', 'gpt-4o-mini'],
    [false, 'gpt-4o-mini', 'gpt-4o'],
    [false, 'GPT-4o-mini', 'gpt-4o-mini'],
    [false, '', 'gpt-4o-mini'],
    [true, 'meta/llama.3:free', 'meta/llama.3:free'],
    [false, 'gpt-4.1', 'gpt-4x1'],
    [false, 'constructor', 'toString'],
  ])('%p: %j and %j', (isAllowed, pattern, id) => {
    expect(allowsModel([pattern], id)).toBe(isAllowed);
  });
});

describe('a star', () => {
  test.each<[boolean, string, string]>([
    [true, '*', 'gpt-4o-mini'],
    [true, 'gpt-*', 'gpt-4o-mini'],
    [true, 'gpt-*', 'gpt-'],
    [false, 'gpt-*', 'my-gpt-4o'],
    [true, '*-mini', 'gpt-4o-mini'],
    [false, '*-mini', 'gpt-4o-mini-2024'],
    [true, 'openai/*', 'openai/a/b'],
    [false, 'openai/*', 'openai'],
    [false, 'gpt*', 'GPT-4o'],
    [true, 'a*b*c', 'a-b-c'],
    [false, 'a*b*c', 'a-c-b'],
    [true, 'a*b*b', 'abb'],
    // The texts before and after a star must not overlap.
    [false, 'ab*ba', 'aba'],
    [false, 'a*bc*c', 'abc'],
    [true, '**', ''],
    [false, 'gpt-4.*', 'gpt-4-mini'],
  ])('%p: %j and %j', (isAllowed, pattern, id) => {
    expect(allowsModel([pattern], id)).toBe(isAllowed);
  });
});

describe('a list', () => {
  const list = ['gpt-4o', 'claude-*', 'o3', '*-flash'];

  test.each([
    ['gpt-4o', true],
    ['o3', true],
    ['claude-haiku-4-5', true],
    ['gemini-2.5-flash', true],
    ['gpt-4o-mini', false],
    ['o3-pro', false],
  ])('admits what its ids and stars match: %s %p', (id, isAllowed) => {
    // Asked twice: the list is prepared the first time and cached the second time.
    expect([allowsModel(list, id), allowsModel(list, id)]).toEqual([isAllowed, isAllowed]);
  });

  test('is not affected by another list prepared before it', () => {
    expect([allowsModel(['gpt-*'], 'o3'), allowsModel(['o3'], 'o3'), allowsModel(['o*'], 'o3')]).toEqual([
      false,
      true,
      true,
    ]);
  });
});
