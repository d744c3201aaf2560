import { describe, expect, test } from 'bun:test';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../domain/catalog/model.ts';
import type { Directory } from '../directory/directory.ts';
import { sampleAccount, sampleCredential } from '../ports/testing/samples.ts';
import { Alternatives } from './alternatives.ts';
import { channelOf, directoryOf, MODEL } from './testing/sample-routes.ts';

const NOW = 1_000;

/** Makes one channel for each of these models, and one for the requested model. */
function directoryWith(others: readonly (Partial<DeclaredModel> & { readonly id: string })[]): Directory {
  const channels: Channel[] = [MODEL, ...others.map(({ id }) => id)].map((id) =>
    channelOf(`c-${id}`, 'chatting', { models: { [id]: id } }),
  );
  const models = others.map((fields) => ({ status: 'public' as const, ...fields }));
  return directoryOf(channels, { status: 'public', ownedBy: 'them' }, models);
}

const principal = (models: readonly string[] | null = null) => ({
  account: sampleAccount(),
  credential: sampleCredential({ models }),
});

const block = (directory: Directory, modelId: string, isBlocked = true) => {
  const [target] = directory.routesTo(modelId, 'acme', 'openai-chat')?.targets ?? [];
  if (target === undefined) throw new Error('there is no such channel');
  target.health.channel.block = isBlocked ? { atMs: 0, reason: 'The key is wrong.' } : null;
};

const idsOf = (found: ReturnType<Alternatives['to']>) => found.map(({ id }) => id);

describe('alternatives to a model', () => {
  test('are of its category, healthy and allowed for the key', () => {
    const directory = directoryWith([
      { id: 'well', tags: ['fast'] },
      { id: 'ill' },
      { id: 'picture', category: 'image' },
      { id: 'not-allowed' },
    ]);
    block(directory, 'ill');
    const found = new Alternatives().to(MODEL, directory, principal([MODEL, 'well', 'ill', 'picture']), NOW);
    expect(found).toEqual([{ id: 'well', status: 'available', tags: ['fast'] }]);
  });

  test('are at most five, the most similar name first, then those of the same owner', () => {
    const others = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id: `other-${id}`, ownedBy: 'others' }));
    const directory = directoryWith([...others, { id: 'same-owner', ownedBy: 'them' }, { id: 'public-model-2' }]);
    const ids = idsOf(new Alternatives().to(MODEL, directory, principal(), NOW));
    expect(ids).toHaveLength(5);
    expect(ids.slice(0, 2)).toEqual(['public-model-2', 'same-owner']);
  });

  test('are empty if there are none', () => {
    expect(new Alternatives().to(MODEL, directoryWith([]), principal(), NOW)).toEqual([]);
  });
});

describe('alternatives are computed', () => {
  const found = () => {
    const directory = directoryWith([{ id: 'one' }, { id: 'two' }]);
    const alternatives = new Alternatives();
    const to = (who = principal(), nowMs = NOW, of = directory) => idsOf(alternatives.to(MODEL, of, who, nowMs));
    return { directory, to };
  };

  test('at most twice a second', () => {
    const { directory, to } = found();
    expect(to()).toEqual(['one', 'two']);
    block(directory, 'one');
    expect(to(principal(), NOW + 499)).toEqual(['one', 'two']);
    expect(to(principal(), NOW + 500)).toEqual(['two']);
  });

  test('again for another key, which may use others', () => {
    const { to } = found();
    expect(to()).toEqual(['one', 'two']);
    const { account, credential } = principal(['two', MODEL]);
    expect(to({ account, credential: { ...credential, secretHash: 'cd'.repeat(32) } })).toEqual(['two']);
  });

  test('again when the configuration has changed', () => {
    const { to } = found();
    expect(to()).toEqual(['one', 'two']);
    expect(to(principal(), NOW, directoryWith([{ id: 'three' }]))).toEqual(['three']);
  });
});
