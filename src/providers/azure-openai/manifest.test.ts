import { expect, test } from 'bun:test';
import { azureOpenai } from './manifest.ts';

const BASE = 'https://my-resource.openai.azure.com';
const MODEL = 'gpt-5.2_2025-12-11';

test.each([
  ['openai-responses', undefined, `${BASE}/openai/v1/responses`],
  ['openai-chat', undefined, `${BASE}/openai/v1/chat/completions`],
  ['openai-responses', '2025-04-01-preview', `${BASE}/openai/responses?api-version=2025-04-01-preview`],
  ['openai-chat', '2024-10-21', `${BASE}/openai/deployments/${MODEL}/chat/completions?api-version=2024-10-21`],
  ['openai-completions', undefined, `${BASE}/openai/v1/completions`],
  ['openai-completions', '2024-10-21', `${BASE}/openai/deployments/${MODEL}/completions?api-version=2024-10-21`],
] as const)('%s with the API version %s', (format, version, url) => {
  const settings = azureOpenai.settings!.parse({ resource: 'my-resource', ...(version && { api_version: version }) });
  const path = azureOpenai.formats.find((entry) => entry.format === format)?.path;
  const suffix = typeof path === 'function' ? path({ model: MODEL, stream: true, settings }) : path;
  expect(`${azureOpenai.baseUrlOf?.(settings)}${suffix}`).toBe(url);
});

test('a deployment name cannot leave its path segment', () => {
  const path = azureOpenai.formats[1]!.path;
  const call = { model: '../a?b', stream: false, settings: { api_version: '2024-10-21' } };
  expect(typeof path === 'function' && path(call)).toStartWith('/openai/deployments/..%2Fa%3Fb/chat/completions?');
});

test('a channel without a resource needs a base URL', () => {
  expect(azureOpenai.baseUrlOf?.({})).toBeNull();
  expect(azureOpenai.baseUrl).toBeNull();
});

test.each([{ resource: 'a.evil.example/' }, { resource: '-a' }, { api_version: 'latest' }, { region: 'x' }])(
  'the settings %j are refused',
  (settings) => {
    expect(azureOpenai.settings?.safeParse(settings).success).toBe(false);
  },
);

test('the key is sent in Azure’s own header', () => {
  expect(azureOpenai.authorize?.({ apiKey: 'k', settings: {} }, 'openai-chat')).toEqual({ 'api-key': 'k' });
});
