import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { suggestModels } from './suggest.ts';
import { MODEL_IDS } from './testing/model-ids.ts';

/** The typed text, and the id that a person means by it; several if providers list one model under several ids. */
type Typed = readonly [typed: string, ...meant: string[]];

// Includes Groq's name for the model.
const LLAMA_33 = [
  'meta-llama/llama-3.3-70b-instruct',
  'meta-llama/Llama-3.3-70B-Instruct',
  'meta/Llama-3.3-70B-Instruct',
  'Meta-Llama-3.3-70B-Instruct',
  'llama-3.3-70b-versatile',
];

const GROUPS: Readonly<Record<string, readonly Typed[]>> = {
  'letters dropped, doubled or swapped': [
    ['gpt-4o-mni', 'gpt-4o-mini'],
    ['gpt-4o-minii', 'gpt-4o-mini'],
    ['gtp-4o', 'gpt-4o'],
    ['gpt-40-mini', 'gpt-4o-mini'],
    ['03-mini', 'o3-mini'],
    ['gpt-4-tubro', 'gpt-4-turbo'],
    ['gpt-4.1-mnii', 'gpt-4.1-mini'],
    ['claude-3.5-sonet', 'claude-3-5-sonnet-20241022'],
    ['claude-sonet-4-5', 'claude-sonnet-4-5'],
    ['cluade-opus-4-8', 'claude-opus-4-8'],
    ['clade-haiku-4.5', 'claude-haiku-4-5'],
    ['claude-hiaku-4-5', 'claude-haiku-4-5'],
    ['claude-opsu-5', 'claude-opus-5'],
    ['gemeni-2.5-pro', 'gemini-2.5-pro'],
    ['gemini-2.5-falsh', 'gemini-2.5-flash'],
    ['gemini-2.5-flahs-lite', 'gemini-2.5-flash-lite'],
    ['deapseek-chat', 'deepseek-chat'],
    ['deepseek-reasonner', 'deepseek-reasoner'],
    ['mistrall-large-latest', 'mistral-large-latest'],
    ['codstral-latest', 'codestral-latest'],
    ['magistal-medium', 'magistral-medium-latest'],
    ['groq-4.7', 'grok-4.7'],
    ['kimmi-k2.6', 'kimi-k2.6'],
    ['wisper-1', 'whisper-1'],
    ['text-embeding-3-small', 'text-embedding-3-small'],
    ['text-embbedding-3-larg', 'text-embedding-3-large'],
    ['stable difusion', 'stable-diffusion-3.5-large'],
    ['comand-r-plus', 'command-r-plus', 'command-r-plus-08-2024'],
    ['perplexity/sonnar-pro', 'sonar-pro'],
    ['elevan_multilingual_v2', 'eleven_multilingual_v2'],
    ['midjorney-v7', 'midjourney-v7'],
    ['nomic-embed-txt', 'nomic-embed-text'],
    ['seedreem-4.0', 'seedream-4.0'],
  ],
  'dashes, spaces, dots and case': [
    ['gpt4o', 'gpt-4o'],
    ['GPT-4O', 'gpt-4o'],
    ['GPT 4o mini', 'gpt-4o-mini'],
    ['gpt4omini', 'gpt-4o-mini'],
    ['gpt_4o_mini', 'gpt-4o-mini'],
    ['gpt4', 'gpt-4'],
    ['gpt-4-1', 'gpt-4.1'],
    ['gpt41', 'gpt-4.1'],
    ['gpt 5.5', 'gpt-5.5'],
    ['gpt3.5', 'gpt-3.5-turbo'],
    ['o3mini', 'o3-mini'],
    ['o4 mini', 'o4-mini'],
    ['claude-haiku-4.5', 'claude-haiku-4-5'],
    ['Claude Sonnet 4.5', 'claude-sonnet-4-5'],
    ['claudeopus4.5', 'claude-opus-4-5'],
    ['Gemini 2.5 Pro', 'gemini-2.5-pro'],
    ['gemini2.5flash', 'gemini-2.5-flash'],
    ['gemini-2-5-pro', 'gemini-2.5-pro'],
    ['deepseek r1', 'deepseek-r1'],
    ['DeepSeek-R1', 'deepseek-r1'],
    ['deep-seek-chat', 'deepseek-chat'],
    ['whisper1', 'whisper-1'],
    ['dalle3', 'dall-e-3'],
    ['dalle-3', 'dall-e-3'],
    ['DALL·E 3', 'dall-e-3'],
    ['text_embedding_3_small', 'text-embedding-3-small'],
    ['mixtral8x7b', 'open-mixtral-8x7b'],
    ['sora2', 'sora-2'],
    ['tts1hd', 'tts-1-hd'],
    ['grok4', 'grok-4'],
    ['kimik3', 'kimi-k3'],
    ['qwen 2.5 72b', 'qwen2.5-72b-instruct'],
    ['phi4', 'phi-4'],
    ['bge m3', 'bge-m3'],
    ['suno v5', 'suno-v5'],
    ['minimax m3', 'MiniMax-M3'],
    ['flux 1.1 pro', 'flux-1.1-pro'],
  ],
  'words reordered, missing or extra': [
    ['claude-3.5-haiku', 'claude-3-5-haiku-20241022'],
    ['claude-4.5-haiku', 'claude-haiku-4-5'],
    ['claude-4.5-sonnet', 'claude-sonnet-4-5'],
    ['claude-4-8-opus', 'claude-opus-4-8'],
    ['claude-sonnet-3.7', 'claude-3-7-sonnet-20250219'],
    ['sonnet 4.5', 'claude-sonnet-4-5'],
    ['opus-4.8', 'claude-opus-4-8'],
    ['haiku', 'claude-haiku-5-5'],
    ['gemini flash 2.5', 'gemini-2.5-flash'],
    ['gemini-pro-2.5', 'gemini-2.5-pro'],
    ['gemini-flash-lite-2.5', 'gemini-2.5-flash-lite'],
    ['4o-mini', 'gpt-4o-mini'],
    ['mini-gpt-4o', 'gpt-4o-mini'],
    ['text-embedding-small', 'text-embedding-3-small'],
    ['embedding-3-large', 'text-embedding-3-large'],
    ['text-embedding-3', 'text-embedding-3-small', 'text-embedding-3-large'],
    ['mixtral-8x7b-instruct', 'open-mixtral-8x7b'],
    ['llama3.3 70b', ...LLAMA_33],
    ['llama-3.3-70b', ...LLAMA_33],
    ['llama3 70b', ...LLAMA_33],
    ['llama-3.1-405b', 'meta-llama/llama-3.1-405b-instruct'],
    ['llama 4 maverick', 'meta-llama/llama-4-maverick-17b-128e-instruct'],
    ['stable-diffusion-xl', 'stable-diffusion-xl-1024-v1-0'],
    ['imagen-4', 'imagen-4.0-generate-001'],
    ['veo-3.1', 'veo-3.1-generate-preview'],
    ['kling-v2.1', 'kling-v2.1-master'],
    ['elevenlabs-v3', 'eleven_v3'],
    ['cohere-rerank-v3.5', 'rerank-v3.5'],
    ['rerank-3.5', 'rerank-v3.5'],
    ['jina-embeddings', 'jina-embeddings-v4'],
    ['flux-pro', 'flux-2-pro'],
    ['qwen3-235b', 'qwen3-235b-a22b'],
    ['gpt-oss', 'gpt-oss-120b', 'openai/gpt-oss-120b', 'openai.gpt-oss-120b-1:0', 'openai/gpt-oss-20b'],
    ['whisper', 'whisper-1', 'whisper-large-v3'],
    ['runway-gen4', 'runway-gen4-turbo'],
    ['tts-hd', 'tts-1-hd'],
    ['gpt-image', 'gpt-image-2'],
    ['my-company-gpt-4o', 'gpt-4o'],
  ],
  'a bare family name suggests its newest member': [
    ['claude sonnet', 'claude-sonnet-5-5'],
    ['claude-opus', 'claude-opus-5-5'],
    ['claude-haiku', 'claude-haiku-5-5'],
    ['gemini flash', 'gemini-3.8-flash'],
    ['gemini-flash-lite', 'gemini-3.5-flash-lite'],
    ['gemini-pro', 'gemini-3.1-pro-preview'],
    ['gemini', 'gemini-3.8-flash'],
    ['grok', 'grok-4.7'],
    ['qwen max', 'qwen-max'],
    ['mistral large', 'mistral-large-latest'],
    ['mistral-small', 'mistral-small-latest'],
    ['sonnet', 'claude-sonnet-5-5'],
    ['suno', 'suno-v5'],
    ['deepseek', 'DeepSeek-V3.2', 'deepseek-v4-pro', 'deepseek/deepseek-v4.1-flash'],
    ['mistral', 'mistral-large-latest'],
    ['glm', 'glm-5.3'],
    ['claude-sonnet-latest', 'claude-sonnet-5-5'],
    ['gemini-flash-latest', 'gemini-3.8-flash'],
  ],
  'an unknown release, vendor or route': [
    ['gpt-4o-latest', 'gpt-4o', 'chatgpt-4o-latest'],
    ['gpt-4o-mini-latest', 'gpt-4o-mini'],
    ['gpt-4o-2024-05-13', 'gpt-4o', 'gpt-4o-2024-08-06'],
    ['gpt-4.1-2025-04-14', 'gpt-4.1'],
    ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet-20241022'],
    ['claude-3-5-sonnet-20240620', 'claude-3-5-sonnet-20241022'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['claude-haiku-4-5@20251001x', 'claude-haiku-4-5@20251001'],
    ['gemini-2.5-pro-preview-06-05', 'gemini-2.5-pro'],
    ['mistral-large', 'mistral-large-latest'],
    ['openai/gpt-4o-mini-2024-07-18', 'gpt-4o-mini-2024-07-18'],
    ['openai/o3-mini', 'o3-mini'],
    ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
    ['anthropic.claude-sonnet-4-5', 'claude-sonnet-4-5'],
    ['google/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['models/gemini-2.5-flash', 'gemini-2.5-flash'],
    ['openrouter/openai/gpt-5.5', 'openai/gpt-5.5', 'gpt-5.5'],
    ['bedrock/amazon.nova-pro', 'amazon.nova-pro-v1:0'],
    ['nova-pro', 'amazon.nova-pro-v1:0'],
    ['x-ai/grok-4', 'grok-4'],
    ['mistralai/mistral-large-latest', 'mistral-large-latest'],
    ['deepseek-ai/deepseek-r1', 'deepseek-r1'],
    ['deepseek/deepseek-chat:free', 'deepseek-chat'],
    ['glm-5.3:free', 'glm-5.3'],
    ['nemotron-3-ultra', 'nvidia/nemotron-3-ultra-550b-a55b'],
    ['kimi-k3-instruct', 'kimi-k3'],
    ['openai-gpt-4o', 'gpt-4o', 'openai/gpt-4o'],
    ['cohere/command-a', 'command-a-03-2025', 'command-a-plus-05-2026'],
    ['black-forest-labs/flux-schnell', 'flux-schnell'],
    ['stabilityai/stable-diffusion-3.5-large', 'stable-diffusion-3.5-large'],
  ],
};

/** Ids that a current gateway no longer has. */
const RETIRED =
  /^(?:claude-3|claude-sonnet-4-(?:2|5)|gpt-3|gpt-4$|gpt-4-|gemini-(?:[12]|3-)|o1|deepseek-(?:r1|chat|v3)|grok-[234](?:$|-)|kimi-k2$|glm-4\.5)/;
const CURRENT_IDS = MODEL_IDS.filter((id) => !RETIRED.test(id));

const RETIRED_MEMBERS: readonly Typed[] = [
  ['claude-3.5-sonet', 'claude-sonnet-4-6'],
  ['claude-3-5-sonnet-20241022', 'claude-sonnet-4-6'],
  ['anthropic/claude-3.5-sonnet:beta', 'claude-sonnet-4-6'],
  ['claude-3.5-haiku', 'claude-haiku-4-5'],
  ['claude-3-opus-20240229', 'claude-opus-4-1'],
  ['claude-opus-4.9', 'claude-opus-4-8'],
  ['claude-sonnet-6', 'claude-sonnet-5-5'],
  ['gpt-4-turbo', 'gpt-4o'],
  ['gpt-4.1-turbo', 'gpt-4.1'],
  ['gemini-1.5-flash', 'google/gemini-2.5-flash'],
  ['gemini-3-pro', 'gemini-3.1-pro-preview'],
  ['grok-3', 'grok-4.3'],
  ['kimi-k2', 'kimi-k2.6'],
  ['glm-4.5', 'glm-4.6'],
  ['deepseek-r1', 'DeepSeek-V3.1'],
  ['llama-2-70b-chat', ...LLAMA_33],
  ['whisper-2', 'whisper-1'],
  ['claude-sonet-4.5', 'claude-sonnet-5', 'claude-sonnet-4-6'],
];

describe('a retired member suggests the nearest version of its family', () => {
  for (const [wanted, ...meant] of RETIRED_MEMBERS) {
    test(wanted, () => expect(meant).toContain(suggestModels(wanted, CURRENT_IDS)[0] ?? 'nothing'));
  }
});

describe('an ambiguous or unknown name suggests nothing', () => {
  for (const wanted of ['gpt-9', 'o9', 'gpt-3.5-turbo', 'hello', 'test', 'my-model', 'latest', 'v1', 'banana-42']) {
    test(wanted, () => expect(suggestModels(wanted, CURRENT_IDS)).toEqual([]));
  }
});

describe('any request', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.stringMatching(/^[a-c0-2./:@ _-]{0,300}$/),
    fc.constantFrom(...MODEL_IDS),
  );

  test('gets at most three listed ids, each once, and never the requested one', () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 40 }), (wanted, ids) => {
        const suggested = suggestModels(wanted, [...new Set(ids)]);
        expect(suggested.length).toBeLessThanOrEqual(3);
        expect(new Set(suggested).size).toBe(suggested.length);
        expect(suggested.every((id) => ids.includes(id) && id !== wanted)).toBe(true);
      }),
    );
  });

  test('gets the same ids whatever their order', () => {
    const shuffled = fc.shuffledSubarray([...MODEL_IDS], { minLength: MODEL_IDS.length });
    fc.assert(
      fc.property(text, shuffled, (wanted, ids) => {
        expect(suggestModels(wanted, ids)).toEqual(suggestModels(wanted, MODEL_IDS));
      }),
      { numRuns: 50 },
    );
  });

  test('finds a long id, or a namesake, despite one letter dropped, doubled or swapped', () => {
    const slip = fc.record({
      id: fc.constantFrom(...MODEL_IDS.filter((id) => id.length >= 12 && !id.includes('/'))),
      at: fc.nat(),
      kind: fc.constantFrom('drop', 'double', 'swap'),
    });
    fc.assert(
      fc.property(slip, ({ id, at, kind }) => {
        // Only inside words, because `gpt-4` is not a misspelling of `gpt-4o`.
        const letters = [...id].flatMap((_letter, place) =>
          /^[a-z]{3}$/i.test(id.slice(Math.max(0, place - 1), place + 2)) ? [place] : [],
        );
        const place = letters[at % letters.length]!;
        const [before, here, next, after] = [id.slice(0, place), id[place]!, id[place + 1] ?? '', id.slice(place + 2)];
        const typed = {
          drop: before + next + after,
          double: before + here + here + next + after,
          swap: before + next + here + after,
        }[kind]!;
        if (MODEL_IDS.includes(typed)) return;
        expect(suggestModels(typed, MODEL_IDS, 5)).toContain(id);
      }),
    );
  });
});

for (const [group, typed] of Object.entries(GROUPS)) {
  describe(group, () => {
    for (const [wanted, ...meant] of typed) {
      test(wanted, () => expect(meant).toContain(suggestModels(wanted, MODEL_IDS)[0] ?? 'nothing'));
    }
  });
}
