import { describe, expect, test } from 'bun:test';
import { providers } from './index.ts';

/**
 * Providers that serve several makers' models, whose families the makers' own rules define (`openai-models.ts`, the profiles of
 * Claude).
 */
const SERVERS_OF_OTHERS = new Set([
  ...['openai', 'azure-openai', 'openai-compatible', 'openrouter', 'vercel', 'bedrock', 'vertex', 'google', 'nvidia'],
]);

const own = [...providers.values()].filter(({ name, formats }) => !SERVERS_OF_OTHERS.has(name) && formats.length > 0);

describe.each(own.map((manifest) => [manifest.name, manifest] as const))('%s', (_, manifest) => {
  const { families = [], formats, models = () => [] } = manifest;

  test('a rule for some models is the rule of a family', () => {
    const patterns = new Set(families.map((family) => String(family.models)));
    const quirks = formats.flatMap((format) => format.quirks ?? []);
    const stray = quirks.filter(({ models: some }) => some !== undefined && !patterns.has(String(some)));
    expect(stray).toEqual([]);
  });

  test('each chat model of the catalog belongs to exactly one family', () => {
    if (families.length === 0) return;
    for (const { id } of models().filter(({ category }) => category === 'chat')) {
      const matching = families.filter((family) => family.models.test(id));
      expect({ id, families: matching.map(({ name }) => name) }).toEqual({ id, families: [expect.any(String)] });
    }
  });
});
