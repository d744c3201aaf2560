import { describe, expect, test } from 'bun:test';
import type { CatalogModel } from '../../src/domain/catalog/catalog-model.ts';
import { providers } from '../../src/providers/index.ts';
import { differences, priceLists } from './price-list.ts';

const models = [...providers.values()].flatMap((manifest) => manifest.models ?? []);
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
  'the vendor has called off the higher price that it had announced': ['anthropic/claude-sonnet-5'],
  'the vendor has another price at present for a while: the list has the later one': ['google/gemini-3.6-flash'],
  'the vendor has raised the price, and we state that of busy hours': [
    'deepseek/deepseek-v4-flash',
    'deepseek/deepseek-v4-pro',
  ],
  'the name now means a later model': [
    'mistral/magistral-medium-latest',
    'mistral/mistral-large-latest',
    'mistral/mistral-medium-latest',
    'mistral/mistral-small-latest',
  ],
  'the list takes the model for another one whose name begins alike': [
    'anthropic/claude-fable-5-1',
    'anthropic/claude-opus-5-5',
    'anthropic/claude-sonnet-5-5',
    'google/gemini-3.1-flash-lite-image',
    'groq/openai/gpt-oss-safeguard-20b',
    'mistral/ministral-8b-2512',
    'mistral/mistral-medium-3-5',
  ],
  'the list has what a long prompt cost in a beta; the model now takes none': [
    'anthropic/claude-sonnet-4-5',
    'anthropic/claude-sonnet-4-5-20250929',
  ],
  'the list leaves out that a long prompt costs more': [
    'openai/gpt-5.5',
    'openai/gpt-5.5-2026-04-23',
    'openai/gpt-5.5-pro',
    'openai/gpt-5.5-pro-2026-04-23',
    'xai/grok-4.3',
    'xai/grok-build-0.1',
  ],
  'the page of the model itself says what audio costs, and it is what text costs': [
    'openai/gpt-4o-mini-transcribe',
    'openai/gpt-4o-transcribe',
    'openai/gpt-4o-transcribe-diarize',
  ],
  'the list states the price of images as that of all output': ['google/gemini-2.5-flash-image'],
  'the list states a price of output, and there is none': ['mistral/mistral-embed'],
  'the list has what others ask; the vendor itself asks nothing': [
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
