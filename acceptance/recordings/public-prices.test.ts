import { describe, expect, test } from 'bun:test';
import type { CatalogModel } from '../../src/domain/catalog/catalog-model.ts';
import { providers } from '../../src/providers/index.ts';
import { differences, priceLists } from './price-list.ts';

const models = [...providers.values()].flatMap((manifest) => manifest.models?.() ?? []);
const nameOf = ({ provider, id }: CatalogModel) => `${provider}/${id}`;

/** Prices of the catalog that differ from the public list, with the reason why they are right. */
const DIFFERENT: Readonly<Record<string, readonly string[]>> = {
  'the vendor has lowered the price since the list was made': [
    'openai/gpt-5.6',
    'openai/gpt-5.6-luna',
    'openai/gpt-5.6-sol',
    'openai/gpt-5.6-terra',
    'xai/grok-4.5',
  ],
  'the vendor cancelled the price increase that it had announced': ['anthropic/claude-sonnet-5'],
  'the vendor has a temporary price; the list has the later one': ['google/gemini-3.6-flash'],
  'the vendor raised the price, and our catalog has that of peak hours': [
    'deepseek/deepseek-v4-flash',
    'deepseek/deepseek-v4-pro',
  ],
  'the name now means a later model': [
    'mistral/magistral-medium-latest',
    'mistral/mistral-large-latest',
    'mistral/mistral-medium-latest',
    'mistral/mistral-small-latest',
  ],
  'the list confuses the model with another one with the same prefix': [
    'anthropic/claude-fable-5-1',
    'anthropic/claude-opus-5-5',
    'anthropic/claude-sonnet-5-5',
    'google/gemini-3.1-flash-lite-image',
    'groq/openai/gpt-oss-safeguard-20b',
    'mistral/ministral-8b-2512',
    'mistral/mistral-medium-3-5',
  ],
  'the list has the long-context price of a beta that has ended': [
    'anthropic/claude-sonnet-4-5',
    'anthropic/claude-sonnet-4-5-20250929',
  ],
  'the list omits the higher price of long prompts': [
    'openai/gpt-5.5',
    'openai/gpt-5.5-2026-04-23',
    'openai/gpt-5.5-pro',
    'openai/gpt-5.5-pro-2026-04-23',
    'xai/grok-4.3',
    'xai/grok-build-0.1',
  ],
  'according to the model’s page, audio costs the same as text': [
    'openai/gpt-4o-mini-transcribe',
    'openai/gpt-4o-transcribe',
    'openai/gpt-4o-transcribe-diarize',
  ],
  'the list has the image price for all output': ['google/gemini-2.5-flash-image'],
  'the list has an output price although output is free': ['mistral/mistral-embed'],
  'the list has the price of other hosts; the vendor offers the model free of charge': [
    'google/gemma-4-26b-a4b-it',
    'google/gemma-4-31b-it',
  ],
};

const LISTED = [
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['google', 'google'],
  ['groq', 'groq'],
  ['mistral', 'mistral'],
  ['deepseek', 'deepseek'],
  ['xai', 'x-ai'],
] as const;

const lists = priceLists();

describe('prices equal the public list or differ for a known reason', () => {
  test.each(LISTED)('%s', (provider, listId) => {
    const list = lists.get(listId);
    if (list === undefined) throw new Error(`the list has no provider ${listId}`);
    const own = models.filter((model) => model.provider === provider);
    const different = own.filter((model) => differences(model, list).length > 0).map(nameOf);
    const known = Object.values(DIFFERENT)
      .flat()
      .filter((name) => name.startsWith(`${provider}/`));
    expect(different.sort()).toEqual(known.sort());
  });
});
