import { expect, test } from 'bun:test';
import { providers } from './index.ts';

/** Ids that the makers' own clients and documents still use, in all their forms: aliases and their targets. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  anthropic: [
    ...['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929', 'claude-opus-4-5-20251101', 'claude-haiku-4-5-20251001'],
    ...['claude-sonnet-5-5', 'claude-opus-5-5', 'claude-haiku-5-5', 'claude-fable-5-1'],
  ],
  openai: [
    ...['gpt-6.2-sol', 'gpt-6-luna', 'gpt-5.5-pro-2026-04-23', 'gpt-5.2-pro-2025-12-11', 'gpt-5-2025-08-07'],
    ...['o3-pro-2025-06-10', 'gpt-4.1-2025-04-14', 'gpt-4o-2024-08-06'],
  ],
  google: ['gemini-3.8-flash', 'gemini-3.5-flash', 'gemini-3.1-pro-preview', 'gemini-flash-latest', 'gemini-2.5-pro'],
  xai: ['grok-4.7', 'grok-4.5', 'grok-4.3', 'grok-build-0.1'],
  deepseek: ['deepseek-flash', 'deepseek-v4-pro'],
};

test.each(Object.entries(NAMED))('%s: the ids in its clients are in the catalog, with a price', (provider, ids) => {
  const models = new Map((providers.get(provider)?.models?.() ?? []).map((model) => [model.id, model]));
  const missing = ids.filter((id) => (models.get(id)?.pricing ?? null) === null);
  expect(missing).toEqual([]);
});
