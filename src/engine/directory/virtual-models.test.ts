import { describe, expect, test } from 'bun:test';
import type { ModelRule } from '../../domain/routing/model-rule.ts';
import { sampleChannel, sampleModel } from '../ports/testing/samples.ts';
import { sampleDirectory, sampleProvider } from './testing/sample-directory.ts';
import { VirtualModels } from './virtual-models.ts';

const rulesTo = (...models: string[]): readonly ModelRule[] =>
  models.map((model, at) => ({ name: null, when: at === models.length - 1 ? null : { stream: true }, model }));
const PROVIDERS = [
  sampleProvider({ name: 'chatting', formats: [{ format: 'openai-chat', path: '/chat/completions' }] }),
];

function directoryWith(rules: Readonly<Record<string, readonly ModelRule[]>>, own: readonly string[] = []) {
  const channel = (id: string, models: readonly string[], owner: string | null) =>
    sampleChannel({ id, provider: 'chatting', owner, models: Object.fromEntries(models.map((name) => [name, name])) });
  return sampleDirectory(
    {
      channels: [channel('main', ['a', 'b'], null), ...(own.length > 0 ? [channel('own', own, 'acme')] : [])],
      models: [
        sampleModel({ id: 'a', capabilities: { contextTokens: 100, maxOutputTokens: 50 }, ownedBy: 'maker' }),
        sampleModel({ id: 'b', status: 'hidden', capabilities: { contextTokens: 10 } }),
        ...Object.entries(rules).map(([id, own]) =>
          sampleModel({ id, rules: own, status: null, ownedBy: null, category: null, capabilities: null }),
        ),
      ],
    },
    PROVIDERS,
  );
}

describe('virtual models', () => {
  test('lead to their ends, that of the default first, each once', () => {
    const models = { v: rulesTo('b', 'w', 'a'), w: rulesTo('b', 'w') };
    const virtual = VirtualModels.among(Object.entries(models).map(([id, rules]) => ({ id, rules })));
    expect(virtual?.endsOf('v')).toEqual(['a', 'w', 'b']);
    expect(virtual?.chainOf('v')).toEqual(['v', 'w']);
    expect(virtual?.endsOf('a')).toEqual([]);
    expect(VirtualModels.among([{ id: 'a', rules: null }])).toBeNull();
  });

  test('are visible with the facts of the default and the smallest limits', () => {
    const model = directoryWith({ v: rulesTo('b', 'a') }).visibleModel('v', 'acme');
    expect(model).toMatchObject({
      ownedBy: 'maker',
      category: 'chat',
      capabilities: { contextTokens: 10, maxOutputTokens: 50 },
    });
  });

  test('stay visible to everybody while an account has a channel with the same id', () => {
    const directory = directoryWith({ v: rulesTo('a') }, ['v']);
    expect(directory.visibleModel('v', 'other')).toBeDefined();
    expect(directory.visibleModels('other').map(({ id }) => id)).toContain('v');
  });

  test('are not taken for closed models while a target is open', () => {
    expect(directoryWith({ v: rulesTo('gone', 'a') }).closedModels(0)).toEqual([]);
  });

  test('hidden and virtual targets are served; unknown ones are not', () => {
    const directory = directoryWith({ v: rulesTo('a') });
    expect(['a', 'b', 'v', 'gone'].map((id) => directory.isServed(id, 'acme'))).toEqual([true, true, true, false]);
  });
});
