import { describe, expect, test } from 'bun:test';
import { FEATURES } from '../domain/exchange/loss.ts';
import { providers } from './index.ts';
import type { ProviderFormat, ProviderManifest, UpstreamPath } from './manifest.ts';

/** Providers with their own tests. */
const ELSEWHERE = new Set(['azure-openai', 'bedrock', 'cohere', 'vertex']);
const manifests = [...providers.values()].filter(({ name }) => !ELSEWHERE.has(name));

const FORMATS = [
  ...['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'],
  ...['bedrock-converse', 'cohere-chat', 'openai-completions'],
];

const MODELS: Readonly<Record<string, string>> = { google: 'gemini-2.5-pro', perplexity: 'perplexity/sonar' };

const BEARER = { authorization: 'Bearer K' };
const VERSION = { 'anthropic-version': '2023-06-01' };
const X_API_KEY = { 'x-api-key': 'K', ...VERSION };
const BEARER_AND_VERSION = { ...BEARER, ...VERSION };

type Headers = Readonly<Record<string, string>>;
/**
 * Provider, format, address, headers with the key `K`; then the address of streams if it differs. `*` marks a format used only if
 * a channel names it.
 */
type Row = readonly [provider: string, format: string, url: string, headers: Headers, streamUrl?: string];

const chat = (provider: string, base: string): Row => [provider, 'openai-chat', `${base}/chat/completions`, BEARER];
const responses = (provider: string, base: string, mark = ''): Row => [
  provider,
  `openai-responses${mark}`,
  `${base}/responses`,
  BEARER,
];
const completions = (provider: string, base: string, mark = ''): Row => [
  provider,
  `openai-completions${mark}`,
  `${base}/completions`,
  BEARER,
];
const messages = (provider: string, base: string, headers: Headers = BEARER_AND_VERSION, mark = ''): Row => [
  provider,
  `anthropic-messages${mark}`,
  `${base}/messages`,
  headers,
];

const GEMINI = 'https://generativelanguage.googleapis.com/v1beta';

/** The formats in order of preference. */
const TABLE: readonly Row[] = [
  chat('alibaba', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'),
  messages('alibaba', 'https://dashscope-intl.aliyuncs.com/apps/anthropic/v1'),
  responses('alibaba', 'https://dashscope-intl.aliyuncs.com/api/v2/apps/protocols/compatible-mode/v1', '*'),
  messages('anthropic', 'https://api.anthropic.com/v1', X_API_KEY),
  ['anthropic', 'openai-chat*', 'https://api.anthropic.com/v1/chat/completions', BEARER],
  chat('cerebras', 'https://api.cerebras.ai/v1'),
  chat('deepseek', 'https://api.deepseek.com'),
  responses('deepseek', 'https://api.deepseek.com'),
  messages('deepseek', 'https://api.deepseek.com/anthropic/v1', X_API_KEY),
  chat('fireworks', 'https://api.fireworks.ai/inference/v1'),
  messages('fireworks', 'https://api.fireworks.ai/inference/v1'),
  responses('fireworks', 'https://api.fireworks.ai/inference/v1'),
  completions('fireworks', 'https://api.fireworks.ai/inference/v1'),
  chat('github-models', 'https://models.github.ai/inference'),
  [
    'google',
    'gemini',
    `${GEMINI}/models/gemini-2.5-pro:generateContent`,
    { 'x-goog-api-key': 'K' },
    `${GEMINI}/models/gemini-2.5-pro:streamGenerateContent?alt=sse`,
  ],
  ['google', 'openai-chat*', `${GEMINI}/openai/chat/completions`, BEARER],
  chat('groq', 'https://api.groq.com/openai/v1'),
  responses('groq', 'https://api.groq.com/openai/v1'),
  chat('huggingface', 'https://router.huggingface.co/v1'),
  responses('huggingface', 'https://router.huggingface.co/v1'),
  chat('llamacpp', 'http://127.0.0.1:8080/v1'),
  messages('llamacpp', 'http://127.0.0.1:8080/v1', BEARER_AND_VERSION, '*'),
  responses('llamacpp', 'http://127.0.0.1:8080/v1', '*'),
  completions('llamacpp', 'http://127.0.0.1:8080/v1'),
  chat('lmstudio', 'http://127.0.0.1:1234/v1'),
  responses('lmstudio', 'http://127.0.0.1:1234/v1'),
  messages('lmstudio', 'http://127.0.0.1:1234/v1'),
  completions('lmstudio', 'http://127.0.0.1:1234/v1'),
  messages('minimax', 'https://api.minimax.io/anthropic/v1'),
  chat('minimax', 'https://api.minimax.io/v1'),
  responses('minimax', 'https://api.minimax.io/v1'),
  chat('mistral', 'https://api.mistral.ai/v1'),
  chat('moonshot', 'https://api.moonshot.ai/v1'),
  messages('moonshot', 'https://api.moonshot.ai/anthropic/v1'),
  responses('moonshot', 'https://api.moonshot.ai/v1'),
  chat('nvidia', 'https://integrate.api.nvidia.com/v1'),
  responses('nvidia', 'https://integrate.api.nvidia.com/v1', '*'),
  messages('nvidia', 'https://integrate.api.nvidia.com/v1', BEARER_AND_VERSION, '*'),
  chat('ollama', 'http://127.0.0.1:11434/v1'),
  messages('ollama', 'http://127.0.0.1:11434/v1'),
  responses('ollama', 'http://127.0.0.1:11434/v1'),
  completions('ollama', 'http://127.0.0.1:11434/v1'),
  responses('openai', 'https://api.openai.com/v1'),
  chat('openai', 'https://api.openai.com/v1'),
  completions('openai', 'https://api.openai.com/v1'),
  chat('openai-compatible', 'http://own.example/v1'),
  responses('openai-compatible', 'http://own.example/v1', '*'),
  messages('openai-compatible', 'http://own.example/v1', BEARER_AND_VERSION, '*'),
  completions('openai-compatible', 'http://own.example/v1', '*'),
  chat('openrouter', 'https://openrouter.ai/api/v1'),
  messages('openrouter', 'https://openrouter.ai/api/v1'),
  responses('openrouter', 'https://openrouter.ai/api/v1'),
  responses('perplexity', 'https://api.perplexity.ai/v1'),
  chat('perplexity', 'https://api.perplexity.ai'),
  chat('sambanova', 'https://api.sambanova.ai/v1'),
  messages('sambanova', 'https://api.sambanova.ai/v1', X_API_KEY),
  responses('sambanova', 'https://api.sambanova.ai/v1', '*'),
  chat('sandbox', 'http://sandbox.invalid/v1'),
  chat('together', 'https://api.together.xyz/v1'),
  completions('together', 'https://api.together.xyz/v1'),
  chat('vercel', 'https://ai-gateway.vercel.sh/v1'),
  messages('vercel', 'https://ai-gateway.vercel.sh/v1'),
  responses('vercel', 'https://ai-gateway.vercel.sh/v1'),
  chat('vllm', 'http://127.0.0.1:8000/v1'),
  responses('vllm', 'http://127.0.0.1:8000/v1', '*'),
  messages('vllm', 'http://127.0.0.1:8000/v1', BEARER_AND_VERSION, '*'),
  completions('vllm', 'http://127.0.0.1:8000/v1'),
  responses('xai', 'https://api.x.ai/v1'),
  chat('xai', 'https://api.x.ai/v1'),
  chat('zai', 'https://api.z.ai/api/paas/v4'),
  messages('zai', 'https://api.z.ai/api/anthropic/v1'),
];

const COUNTING: Readonly<Record<string, string>> = {
  'anthropic anthropic-messages': 'https://api.anthropic.com/v1/messages/count_tokens',
  'google gemini': `${GEMINI}/models/gemini-2.5-pro:countTokens`,
  'llamacpp anthropic-messages': 'http://127.0.0.1:8080/v1/messages/count_tokens',
  'nvidia anthropic-messages': 'https://integrate.api.nvidia.com/v1/messages/count_tokens',
  'openai openai-responses': 'https://api.openai.com/v1/responses/input_tokens',
  'sambanova anthropic-messages': 'https://api.sambanova.ai/v1/messages/count_tokens',
  'vllm anthropic-messages': 'http://127.0.0.1:8000/v1/messages/count_tokens',
};

const COMPACTING: Readonly<Record<string, string>> = {
  'azure-openai openai-responses': 'http://own.example/v1/openai/v1/responses/compact',
  'openai openai-responses': 'https://api.openai.com/v1/responses/compact',
};

function pathOf(path: UpstreamPath, model: string, stream: boolean): string {
  return typeof path === 'string' ? path : path({ model, stream, settings: {} });
}

function addressOf(manifest: ProviderManifest, provided: ProviderFormat, path: UpstreamPath, stream = false): string {
  const base = provided.baseUrl ?? manifest.baseUrl ?? 'http://own.example/v1';
  return base + pathOf(path, MODELS[manifest.name] ?? 'some-model', stream);
}

function rowOf(manifest: ProviderManifest, provided: ProviderFormat): Row {
  const url = addressOf(manifest, provided, provided.path);
  const streamUrl = addressOf(manifest, provided, provided.path, true);
  const authorization = manifest.authorize?.({ apiKey: 'K', settings: {} }, provided.format) ?? BEARER;
  const format = provided.format + (provided.optIn ? '*' : '');
  const row: Row = [manifest.name, format, url, { ...authorization, ...provided.headers }];
  return streamUrl === url ? row : ([...row.slice(0, 4), streamUrl] as unknown as Row);
}

test('every format of every provider has the documented URL and headers', () => {
  const rows = manifests.flatMap((manifest) => manifest.formats.map((provided) => rowOf(manifest, provided)));
  expect(rows).toEqual([...TABLE]);
});

test('token counting has the documented URLs', () => {
  const counting = manifests.flatMap((manifest) =>
    manifest.formats.flatMap((provided) => {
      if (provided.countTokens === undefined) return [];
      return [[`${manifest.name} ${provided.format}`, addressOf(manifest, provided, provided.countTokens)] as const];
    }),
  );
  expect(Object.fromEntries(counting)).toEqual({ ...COUNTING });
});

test('conversations are compacted by vendors that offer it', () => {
  const rows = [...providers.values()].flatMap((manifest) =>
    manifest.formats.flatMap((provided) =>
      provided.compact === undefined
        ? []
        : [[`${manifest.name} ${provided.format}`, addressOf(manifest, provided, provided.compact)] as const],
    ),
  );
  expect(Object.fromEntries(rows)).toEqual(COMPACTING);
});

/** Ids besides the catalog's that the patterns apply to: older and rarely used models. */
const MORE_IDS: Readonly<Record<string, readonly string[]>> = {
  alibaba: ['qwen3-omni-flash'],
  deepseek: ['deepseek-chat', 'deepseek-reasoner'],
  google: ['gemini-2.5-pro', 'gemini-2.0-flash'],
  groq: ['qwen/qwen3-32b'],
  moonshot: ['kimi-k2.5', 'moonshot-v1-8k'],
  openai: ['gpt-3.5-turbo-instruct', 'o3', 'gpt-5.1', 'gpt-5-pro', 'gpt-5-codex', 'gpt-4o-search-preview', 'gpt-5.2'],
  perplexity: ['sonar-pro'],
  'openai-compatible': ['openai/gpt-5.5', 'llama-3.3-70b', 'kimi-k2.6', 'mistral-small', 'Qwen/Qwen3.8-27B'],
  xai: ['grok-3-mini', 'grok-4'],
};

const withFormats = manifests.flatMap((manifest) =>
  manifest.formats.map((provided) => [`${manifest.name} ${provided.format}`, manifest, provided] as const),
);

describe.each(withFormats)('%s', (_, manifest, provided) => {
  const { path, countTokens, quirks = [], models } = provided;
  const ids = [...(manifest.models?.() ?? []).map(({ id }) => id), ...(MORE_IDS[manifest.name] ?? [])];

  test('is a known format', () => {
    expect(FORMATS).toContain(provided.format);
  });

  test('has paths that start with a slash and contain no key', () => {
    for (const one of [path, ...(countTokens === undefined ? [] : [countTokens])]) {
      for (const stream of [true, false]) {
        const text = pathOf(one, 'some-model', stream);
        expect(text).toStartWith('/');
        expect(text).not.toMatch(/key=|token=|secret/i);
      }
    }
  });

  test('has its own base URL only with TLS and without a trailing slash', () => {
    if (provided.baseUrl === undefined) return;
    expect(provided.baseUrl).toMatch(/^https:\/\/.*[^/]$/);
    expect(provided.baseUrl).not.toBe(manifest.baseUrl ?? '');
  });

  test('has the source of every quirk in a sentence', () => {
    for (const { why } of quirks) expect(why).toMatch(/^[A-Z].{20,}\.$/);
  });

  test('has patterns that match existing models', () => {
    if (models !== undefined) expect(ids.some((id) => models.test(id))).toBe(true);
    const patterns = new Set(quirks.flatMap((quirk) => (quirk.models === undefined ? [] : [quirk.models])));
    for (const pattern of patterns) {
      expect(pattern.flags).toBe('');
      if (ids.length > 0)
        expect(
          ids.filter((id) => pattern.test(id)),
          String(pattern),
        ).not.toEqual([]);
    }
  });

  test('names known features only, each at most twice per model', () => {
    for (const id of ids.length > 0 ? ids : ['some-model']) {
      const features = quirks.flatMap((quirk) => {
        const isMeant = quirk.models === undefined || quirk.models.test(id);
        return isMeant && (quirk.kind === 'lacks' || quirk.kind === 'has') ? [quirk.feature] : [];
      });
      for (const feature of features) expect(FEATURES).toContain(feature);
      for (const count of Map.groupBy(features, (feature) => feature).values()) expect(count.length).toBeLessThan(3);
    }
  });

  test('has no contradicting rules for a model', () => {
    const single = ['efforts', 'thinking-switch', 'reasoning-input', 'tool-call-ids'];
    for (const id of ids.length > 0 ? ids : ['some-model']) {
      const kinds = quirks.filter((quirk) => quirk.models?.test(id) ?? true).map(({ kind }) => kind);
      for (const kind of single) expect(kinds.filter((one) => one === kind).length, `${id} ${kind}`).toBeLessThan(2);
    }
  });
});

describe("a limit of OpenAI's models", () => {
  const quirksFor = (format: string, id: string) => {
    const provided = providers.get('openai')!.formats.find((one) => one.format === format)!;
    return provided.quirks!.filter(({ models }) => models === undefined || models.test(id));
  };
  const lacking = (format: string, id: string) =>
    quirksFor(format, id).flatMap((quirk) => (quirk.kind === 'lacks' ? [quirk.feature] : []));

  test.each(['o3', 'o4-mini-2025-04-16', 'gpt-5', 'gpt-5-mini', 'gpt-5.5', 'gpt-6.1-sol'])(
    'for %s is no temperature, with efforts unchanged, since it reasons',
    (id) => {
      expect(lacking('openai-chat', id)).toContain('temperature');
      expect(lacking('openai-responses', id)).toContain('temperature');
      expect(lacking('openai-responses', id)).not.toContain('reasoning-effort');
    },
  );

  test.each(['gpt-4o', 'gpt-4.1-mini', 'gpt-3.5-turbo', 'gpt-5-chat-latest', 'ft:gpt-4o-mini:acme::abc'])(
    'for %s is no effort, with a temperature, since it does not reason',
    (id) => {
      expect(lacking('openai-chat', id)).not.toContain('temperature');
      expect(lacking('openai-responses', id)).toContain('reasoning-effort');
      expect(lacking('openai-responses', id)).toContain('reasoning-state');
    },
  );

  test.each(['gpt-5-chat-latest', 'gpt-5.1-chat-latest', 'gpt-5.3-chat-latest', 'gpt-5.2-chat'])(
    'for the chat variant %s is no reasoning and no encrypted content',
    (id) => {
      expect(lacking('openai-responses', id)).toContain('reasoning-effort');
      expect(lacking('openai-responses', id)).toContain('reasoning-state');
    },
  );

  test.each([
    ['gpt-5', undefined, undefined],
    ['gpt-5.1', 'when-told-to', undefined],
    ['gpt-5.4-mini', 'when-told-to', 'when-told-to'],
    ['gpt-5.5', 'unless-told-not-to', 'unless-told-not-to'],
    ['gpt-5.6-terra', 'unless-told-not-to', 'unless-told-not-to'],
    ['gpt-5.5-pro', undefined, undefined],
    ['gpt-6', 'unless-told-not-to', 'unless-told-not-to'],
  ])('for %s is no temperature or tools while it reasons', (id, temperature, tools) => {
    const quirks = quirksFor('openai-chat', id);
    const lack = quirks.find((quirk) => quirk.kind === 'lacks' && quirk.feature === 'temperature');
    const rest = quirks.find((quirk) => quirk.kind === 'tools-at-rest');
    expect<unknown>(lack?.kind === 'lacks' ? lack.while : 'has it').toBe(temperature);
    expect<unknown>(rest?.kind === 'tools-at-rest' ? rest.while : undefined).toBe(tools);
  });

  test('for a few models is a single format', () => {
    const served = (id: string) =>
      providers
        .get('openai')!
        .formats.filter(({ models }) => models === undefined || models.test(id))
        .map(({ format }) => format);
    expect(served('gpt-5.5')).toEqual(['openai-responses', 'openai-chat']);
    expect(served('gpt-5-pro')).toEqual(['openai-responses']);
    expect(served('gpt-5.1-codex-max')).toEqual(['openai-responses']);
    expect(served('gpt-4o-audio-preview')).toEqual(['openai-chat']);
    expect(served('gpt-4o-mini-search-preview')).toEqual(['openai-chat']);
    expect(served('gpt-3.5-turbo-instruct')).toEqual(['openai-completions']);
    expect(served('ft:davinci-002:acme::abc')).toEqual(['openai-completions']);
  });
});

describe('the token limit', () => {
  const renamed = (provider: string, id: string) => {
    const provided = providers.get(provider)!.formats.find(({ format }) => format === 'openai-chat')!;
    return (provided.quirks ?? [])
      .filter(({ models }) => models === undefined || models.test(id))
      .flatMap((quirk) => (quirk.kind === 'rename' && quirk.to.startsWith('max_') ? [quirk.to] : []));
  };

  test("has the standard name at any server, except for OpenAI's reasoning models", () => {
    expect(renamed('openai-compatible', 'llama-3.3-70b')).toEqual([]);
    expect(renamed('openai-compatible', 'gpt-oss-120b')).toEqual([]);
    expect(renamed('openai-compatible', 'openai/gpt-5.5')).toEqual(['max_completion_tokens']);
    expect(renamed('openai-compatible', 'o3-mini')).toEqual(['max_completion_tokens']);
  });

  test('has its newer name for vendors that require it', () => {
    for (const provider of ['moonshot', 'cerebras', 'minimax']) {
      expect(renamed(provider, 'some-model')).toEqual(['max_completion_tokens']);
    }
    expect(renamed('openai', 'o3')).toEqual(['max_completion_tokens']);
  });
});

test('a Gemini model may be named with its collection, and its id cannot leave the path', () => {
  const { path } = providers.get('google')!.formats[0]!;
  const url = (model: string) => pathOf(path, model, false);
  expect(url('models/gemini-2.5-pro')).toBe('/models/gemini-2.5-pro:generateContent');
  expect(url('tunedModels/mine-1')).toBe('/tunedModels/mine-1:generateContent');
  expect(url('../x?key=1#')).toBe('/models/..%2Fx%3Fkey%3D1%23:generateContent');
});
