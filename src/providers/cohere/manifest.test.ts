import { expect, test } from 'bun:test';
import { cohere } from './manifest.ts';

test('Cohere speaks its own API, and OpenAI’s on request', () => {
  expect(cohere.formats.map(({ format, path, optIn }) => [format, `${cohere.baseUrl}${path}`, optIn ?? false])).toEqual(
    [
      ['cohere-chat', 'https://api.cohere.com/v2/chat', false],
      ['openai-chat', 'https://api.cohere.com/compatibility/v1/chat/completions', true],
    ],
  );
});

function lacking(model: string): string[] {
  const quirks = cohere.formats[0]?.quirks ?? [];
  return quirks.flatMap((quirk) =>
    quirk.kind === 'lacks' && quirk.models?.test(model) === true ? [quirk.feature] : [],
  );
}

test.each([
  ['command-a-plus-05-2026', []],
  ['command-a-reasoning-08-2025', ['image-inline', 'image-url']],
  ['command-a-vision-07-2025', ['reasoning-effort', 'reasoning-budget', 'reasoning-summary']],
  ['command-r7b-12-2024', ['reasoning-effort', 'reasoning-budget', 'reasoning-summary', 'image-inline', 'image-url']],
])('%s lacks %j', (model, features) => {
  expect(lacking(model)).toEqual(features);
});

test('the first models of the family do not support a required tool choice', () => {
  for (const model of ['command', 'command-r', 'command-r-08-2024', 'command-r-plus']) {
    expect(lacking(model)).toContain('tool-choice-required');
  }
});
