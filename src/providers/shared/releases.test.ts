import { expect, test } from 'bun:test';
import { otherMakerNames } from '../../domain/catalog/maker-name.ts';
import { resolveModel } from '../../domain/catalog/resolve-model.ts';
import { providers } from '../index.ts';
import { releaseOf } from './releases.ts';

const entries = [...providers.values()].flatMap(({ models }) => models?.() ?? []);

test('every entry of the catalog has a date, neither zero nor in the future', () => {
  const dates = entries.map((known) => ({
    model: `${known.provider}/${known.id}`,
    created: resolveModel(known.id, { declared: undefined, known, provider: known.provider }).createdAtMs,
  }));
  expect(dates.filter(({ created }) => !(created > 0 && created < Date.parse('2100-01-01')))).toEqual([]);
});

test('a release is found by the whole id, and by its last part', () => {
  expect(releaseOf('fal-ai/flux-pro/v1.1')).toBe('2024-10-02');
  expect(releaseOf('black-forest-labs/FLUX-2-pro')).toBe('2025-11-25');
  expect(releaseOf('nobody/knows')).toBeUndefined();
});

test('a maker has one name throughout the catalog', () => {
  const others = new Set(otherMakerNames());
  expect(entries.filter(({ ownedBy }) => others.has(ownedBy)).map(({ provider, id }) => `${provider}/${id}`)).toEqual(
    [],
  );
});
