import { describe, expect, test } from 'bun:test';
import type { Principal } from '../../domain/access/principal.ts';
import { servesChat } from '../../domain/catalog/model-operation.ts';
import { sampleCatalogModel } from '../../domain/catalog/testing/sample-catalog-model.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { sampleAccount, sampleChannel, sampleCredential, sampleModel } from '../ports/testing/samples.ts';
import type { Directory } from './directory.ts';
import { findModel, usableModels } from './find-model.ts';
import { sampleDirectory, sampleProvider } from './testing/sample-directory.ts';

const PROVIDER = sampleProvider({ models: () => [sampleCatalogModel({ id: 'painter-7b', category: 'image' })] });

/** Makes a directory in which one shared channel serves all these models. */
function directoryOf(ids: readonly string[]): Directory {
  const models = Object.fromEntries(ids.map((id) => [id, id]));
  return sampleDirectory({ channels: [sampleChannel({ models })] }, [PROVIDER]);
}

function keyOf(models: readonly string[] | null = null): Principal {
  return { account: sampleAccount(), credential: sampleCredential({ models }) };
}

function failureOf(...call: Parameters<typeof findModel>): Failure {
  const found = findModel(...call);
  return found instanceof Failure ? found : expect.unreachable();
}

function suggested(...call: Parameters<typeof findModel>): readonly string[] {
  return failureOf(...call).details.suggestions ?? [];
}

describe('with an allow-list a model', () => {
  const directory = directoryOf(['lumen-7b', 'lumen-8b']);

  test('that matches is found', () => {
    expect(findModel(directory, keyOf(['lumen-7*']), 'lumen-7b')).toMatchObject({ id: 'lumen-7b' });
  });

  test('that matches is usable, and no other', () => {
    expect(usableModels(directory, keyOf(['lumen-7*'])).map(({ id }) => id)).toEqual(['lumen-7b']);
  });

  test('that does not match is refused with 403', () => {
    const { status, code, details } = failureOf(directory, keyOf(['lumen-7*']), 'lumen-8b');
    expect([status, code, details.param]).toEqual([403, 'model_not_allowed', 'model']);
  });

  test('is always found without a list, or without a key', () => {
    for (const principal of [keyOf(), null])
      expect(findModel(directory, principal, 'lumen-8b')).toMatchObject({ id: 'lumen-8b' });
  });
});

describe('the failure is the same as for an unknown model if it', () => {
  const channels = [
    sampleChannel({ id: 'shared', models: { 'lumen-7b': 'lumen-7b', 'lumen-7h': 'x', 'lumen-7o': 'x' } }),
    sampleChannel({ id: 'own', owner: 'globex', models: { 'lumen-7p': 'x' } }),
  ];
  const models = [
    sampleModel({ id: 'lumen-7h', status: 'hidden' }),
    sampleModel({ id: 'lumen-7o', status: 'hold' }),
    sampleModel({ id: 'lumen-7s', status: null }),
  ];
  const directory = sampleDirectory({ channels, models });
  const told = (principal: Principal | null, id: string) =>
    JSON.stringify(failureOf(directory, principal, id)).replaceAll(id, '{id}');

  test.each([
    ['is hidden', 'lumen-7h'],
    ['is on hold', 'lumen-7o'],
    ['belongs to another account', 'lumen-7p'],
    ['is not served', 'lumen-7s'],
  ])('%s', (_name, id) => {
    for (const principal of [keyOf(), null]) expect(told(principal, id)).toBe(told(principal, 'lumen-7n'));
  });

  test('is hidden, even if the list of the key has it', () => {
    const principal = keyOf(['lumen-7h', 'lumen-7n', 'lumen-7b']);
    expect(told(principal, 'lumen-7h')).toBe(told(principal, 'lumen-7n'));
  });

  test('is unknown: 404 model_not_found with the parameter', () => {
    const { status, code, details } = failureOf(directory, keyOf(), 'lumen-7n');
    expect([status, code, details.param]).toEqual([404, 'model_not_found', 'model']);
  });
});

describe('a suggestion', () => {
  test('is only a model that `serves` admits', () => {
    const directory = directoryOf(['painter-7b', 'pointer-7b']);
    expect([...suggested(directory, keyOf(), 'pinter-7b')].sort()).toEqual(['painter-7b', 'pointer-7b']);
    expect(suggested(directory, keyOf(), 'pinter-7b', servesChat)).toEqual(['pointer-7b']);
  });

  test('is only a model that the key may use', () => {
    const directory = directoryOf(['painter-7b', 'pointer-7b']);
    expect(suggested(directory, keyOf(['po*']), 'pinter-7b')).toEqual(['pointer-7b']);
  });

  test('is in the details and in the hint', () => {
    const { didYouMean, hint } = failureOf(directoryOf(['lumen-7b']), keyOf(), 'lumen-7c').details;
    expect([didYouMean, hint]).toEqual(['lumen-7b', 'Did you mean `lumen-7b`?']);
  });
});

describe('the hint without a near match', () => {
  const hintOf = (ids: readonly string[], principal: Principal | null, serves?: () => boolean) =>
    failureOf(directoryOf(ids), principal, 'qqzz', serves).details.hint;

  test('directs a caller without a key to the public list, and names no model', () => {
    expect(hintOf(['lumen-7b'], null)).toContain('GET /v1beta/models');
    expect(hintOf(['lumen-7b'], null)).not.toContain('lumen');
  });

  test("names the key's own models", () => {
    expect(hintOf(['lumen-7b', 'melody'], keyOf(['mel*']))).toStartWith('Models of this key: `melody`.');
  });

  test('names ten of many, and indicates that there are more', () => {
    const ids = Array.from({ length: 11 }, (_, index) => `lumen-${index + 10}`);
    expect(hintOf(ids, keyOf())).toContain('`lumen-19`, …');
  });

  test('tells a key without models what to do', () => {
    expect(hintOf(['lumen-7b'], keyOf(['nothing']))).toContain('cannot use any model');
  });
});

describe('with very many models', () => {
  const FILLERS = Array.from({ length: 6_000 }, (_, index) => `filler-${index}`);
  const NEAR = ['lumen-7b', 'slumne-7b', 'studio/lumen-7b'];
  const many = directoryOf([...FILLERS, ...NEAR]);

  test.each([
    ['with a key', keyOf()],
    ['without a key', null],
  ])('%s: a near match is still found', (_name, principal) => {
    expect(failureOf(many, principal, 'lumne-7b').details.didYouMean).toBe('lumen-7b');
  });

  test.each([
    ['with a key', keyOf()],
    ['without a key', null],
  ])('%s: only ids that begin alike are compared, whatever their maker', (_name, principal) => {
    expect(suggested(directoryOf(NEAR), principal, 'lumne-7b')).toContain('slumne-7b');
    expect([...suggested(many, principal, 'lumne-7b')].sort()).toEqual(['lumen-7b', 'studio/lumen-7b']);
  });

  test('fewer models count as many without a key', () => {
    const some = directoryOf([...FILLERS.slice(0, 600), ...NEAR]);
    expect(suggested(some, keyOf(), 'lumne-7b')).toContain('slumne-7b');
    expect(suggested(some, null, 'lumne-7b')).not.toContain('slumne-7b');
  });
});
