import { expect, test } from 'bun:test';
import { readLitellmList } from './litellm-list.ts';
import type { PriceListModel } from './price-list-model.ts';
import sample from './testing/litellm-sample.json';

const providers = new Set([
  'openai',
  'anthropic',
  'azure-openai',
  'bedrock',
  'google',
  'vertex',
  'groq',
  'alibaba',
  'cohere',
  'openrouter',
  'together',
]);

const list = readLitellmList(sample, providers);

function listed(provider: string, id: string): PriceListModel {
  const model = list.entries.find((entry) => entry.provider === provider && entry.id === id);
  if (model === undefined) throw new Error(`there is no ${provider} ${id}`);
  return model;
}

/** Returns the model of one entry in LiteLLM's list. */
function read(name: string, entry: Record<string, unknown>): PriceListModel | undefined {
  return readLitellmList({ [name]: entry }, { has: () => true }).entries[0];
}

test("every model of the sample has our provider and that provider's id", () => {
  expect(list.entries.map(({ provider, id }) => `${provider} ${id}`)).toEqual([
    'openai gpt-4o-mini',
    'openai text-embedding-3-small',
    'openai whisper-1',
    'azure-openai gpt-4o',
    'bedrock us.amazon.nova-canvas-v1:0',
    'bedrock amazon.nova-2-lite-v1:0',
    'google gemini-2.5-pro',
    'google gemini-2.5-flash-preview-09-2025',
    'vertex claude-sonnet-4-6',
    'groq openai/gpt-oss-120b',
    'groq playai-tts',
    'groq whisper-large-v3',
    'alibaba qwen3-max',
    'cohere rerank-v3.5',
    'openrouter openrouter/auto',
  ]);
});

test('the sample entry, sizes, fine-tuned models, regions and unknown providers are skipped, none as malformed', () => {
  expect([list.skipped, list.malformed, list.firstMalformed]).toEqual([6, 0, []]);
});

test.each([
  [
    'together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo',
    'together_ai',
    'together',
    'meta-llama/Llama-3.3-70B-Instruct-Turbo',
  ],
  ['fireworks_ai/accounts/fireworks/models/kimi-k2', 'fireworks_ai', 'fireworks', 'accounts/fireworks/models/kimi-k2'],
  ['vercel_ai_gateway/openai/gpt-4o', 'vercel_ai_gateway', 'vercel', 'openai/gpt-4o'],
  ['nvidia_nim/meta/llama3-70b-instruct', 'nvidia_nim', 'nvidia', 'meta/llama3-70b-instruct'],
  ['dashscope/qwen-plus', 'dashscope', 'alibaba', 'qwen-plus'],
  ['moonshot/kimi-k2-thinking', 'moonshot', 'moonshot', 'kimi-k2-thinking'],
  ['minimax/MiniMax-M2.1', 'minimax', 'minimax', 'MiniMax-M2.1'],
  ['perplexity/sonar-pro', 'perplexity', 'perplexity', 'sonar-pro'],
  ['zai/glm-4.7', 'zai', 'zai', 'glm-4.7'],
  ['command-r-08-2024', 'cohere_chat', 'cohere', 'command-r-08-2024'],
  ['gemini-2.5-flash', 'vertex_ai-language-models', 'vertex', 'gemini-2.5-flash'],
  ['vertex_ai/openai/gpt-oss-120b-maas', 'vertex_ai-openai_models', 'vertex', 'openai/gpt-oss-120b-maas'],
])('%s of %s is %s %s', (name, litellmProvider, provider, id) => {
  expect(read(name, { litellm_provider: litellmProvider, mode: 'chat' })).toMatchObject({ provider, id });
});

test.each([
  ['hd/1024-x-1792/dall-e-3', 'openai'],
  ['ft:gpt-4o-2024-08-06', 'openai'],
  ['azure/global-standard/gpt-4o', 'azure'],
  ['bedrock/us-east-1/anthropic.claude-v2', 'bedrock'],
  ['fast/claude-opus-4-6', 'anthropic'],
  ['fireworks-ai-up-to-4b', 'fireworks_ai'],
  ['groq-anything', 'groq'],
])('%s of %s is not a separate model', (name, litellmProvider) => {
  expect(read(name, { litellm_provider: litellmProvider, mode: 'chat' })).toBeUndefined();
});

test.each([
  ['chat', 'chat'],
  ['responses', 'chat'],
  ['embedding', 'embedding'],
  ['image_generation', 'image'],
  ['audio_speech', 'tts'],
  ['audio_transcription', 'stt'],
  ['rerank', 'rerank'],
  ['video_generation', 'video'],
] as const)('mode %s is category %s', (mode, category) => {
  expect(read('a-model', { litellm_provider: 'openai', mode })?.category).toBe(category);
});

test.each([
  ['gpt-audio-1.5', { mode: 'chat', supports_audio_output: true }, 'audio'],
  ['gpt-4o-audio-preview', { mode: 'chat', supported_output_modalities: ['text', 'audio'] }, 'audio'],
  ['gpt-audio-reader', { mode: 'chat' }, 'chat'],
  ['gpt-5', { mode: 'chat', supports_audio_output: true }, 'chat'],
  ['lyria-002', { mode: 'audio_speech' }, 'music'],
  ['lyria-3-pro-preview', { mode: 'chat' }, 'music'],
  ['flux-1-dev', { mode: 'chat' }, 'image'],
  ['imagen-4', {}, 'image'],
  ['gemini-3-pro-image-preview', { mode: 'chat' }, 'image'],
  ['an-imagenet-reader', { mode: 'chat' }, 'chat'],
  ['bge-m3', { mode: 'chat' }, 'embedding'],
  ['nv-embed', {}, 'embedding'],
  ['bge-reranker-v2', { mode: 'chat' }, 'rerank'],
  ['embed-speech', { mode: 'audio_speech' }, 'tts'],
] as const)('%s with %j is of category %s', (name, facts, category) => {
  expect(read(name, { litellm_provider: 'openai', ...facts })?.category as string).toBe(category);
});

test.each(['flux-kontext', 'lyria-realtime'])('the name %s gives an unknown mode no category', (name) => {
  expect(read(name, { litellm_provider: 'openai', mode: 'image_edit' })).not.toHaveProperty('category');
});

test('a realtime session is not a chat, whatever its mode', () => {
  expect(read('lyria-realtime-exp', { litellm_provider: 'openai', mode: 'chat' })).not.toHaveProperty('category');
});

test.each([
  ['output_cost_per_video_token', {}, ['output_cost_per_video_token']],
  ['output_cost_per_image', {}, ['output_cost_per_image']],
  ['output_cost_per_image', { output_cost_per_image_token: 3e-5 }, []],
  ['output_cost_per_second', { output_cost_per_audio_token: 1e-5 }, []],
  ['output_cost_per_second_1080p', {}, ['output_cost_per_second_1080p']],
  ['output_cost_per_token_priority', {}, []],
  ['output_cost_per_token_above_200k_tokens', {}, []],
  ['output_cost_per_token_above_200k_tokens_flex', {}, []],
])('%s beside %j leaves %j unread', (member, others, unread) => {
  const entry = { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 1e-6, [member]: 1e-5, ...others };
  expect(read('a-model', entry)?.pricing?.unreadOutputCosts ?? []).toEqual(unread);
});

test.each(['completion', 'image_edit', 'realtime', 'moderation', 'ocr'])('mode %s gives no category', (mode) => {
  expect(read('a-model', { litellm_provider: 'openai', mode })).not.toHaveProperty('category');
});

test('costs per token become USD per million, and those of other services are skipped', () => {
  expect(listed('openai', 'gpt-4o-mini').pricing).toEqual({
    prices: { input_per_1m: '0.15', cached_input_per_1m: '0.075', output_per_1m: '0.6' },
    tiers: [],
  });
});

test('cache writes have separate prices for five minutes and an hour', () => {
  expect(listed('vertex', 'claude-sonnet-4-6').pricing?.prices).toMatchObject({
    cache_write_per_1m: '3.75',
    cache_write_1h_per_1m: '6',
  });
});

test('audio and reasoning tokens have separate prices', () => {
  expect(listed('google', 'gemini-2.5-flash-preview-09-2025').pricing?.prices).toMatchObject({
    audio_input_per_1m: '1',
    reasoning_per_1m: '2.5',
  });
});

test('costs above a number of tokens are a tier', () => {
  expect(listed('google', 'gemini-2.5-pro').pricing?.tiers).toEqual([
    { aboveInputTokens: 200_000, prices: { input_per_1m: '2.5', cached_input_per_1m: '0.25', output_per_1m: '15' } },
  ]);
});

test('the first of several tiers with ranges is the base price', () => {
  expect(listed('alibaba', 'qwen3-max').pricing).toEqual({
    prices: { input_per_1m: '1.2', output_per_1m: '6' },
    tiers: [
      { aboveInputTokens: 32_000, prices: { input_per_1m: '2.4', output_per_1m: '12' } },
      { aboveInputTokens: 128_000, prices: { input_per_1m: '3', output_per_1m: '15' } },
    ],
  });
});

test('a price of zero is not a price', () => {
  expect(listed('openrouter', 'openrouter/auto')).not.toHaveProperty('pricing');
  expect(listed('openai', 'text-embedding-3-small').pricing?.prices).toEqual({ input_per_1m: '0.02' });
});

test.each([
  ['openai', 'whisper-1', { per_second: '0.0001' }],
  ['groq', 'whisper-large-v3', { per_second: '0.00003083' }],
  ['groq', 'playai-tts', { per_character: '0.00005' }],
  ['bedrock', 'us.amazon.nova-canvas-v1:0', { per_image: '0.06' }],
  ['cohere', 'rerank-v3.5', { per_request: '0.002' }],
])('%s %s is sold by the piece', (provider, id, prices) => {
  expect(listed(provider, id).pricing?.prices).toEqual(prices);
});

test('a video is sold by the second', () => {
  const entry = { litellm_provider: 'openai', mode: 'video_generation', output_cost_per_video_per_second: 0.1 };
  expect(read('sora-2', entry)?.pricing?.prices).toEqual({ per_second: '0.1' });
});

test('a second price for units that tokens already cover is dropped', () => {
  const entry = {
    litellm_provider: 'openai',
    mode: 'audio_speech',
    input_cost_per_token: 6e-7,
    output_cost_per_audio_token: 1.2e-5,
    output_cost_per_second: 0.00025,
  };
  expect(read('gpt-4o-mini-tts', entry)?.pricing?.prices).toEqual({ input_per_1m: '0.6', audio_output_per_1m: '12' });
});

test('an image is sold by the piece if its tokens have no price', () => {
  const entry = {
    litellm_provider: 'gemini',
    mode: 'image_generation',
    input_cost_per_token: 3e-7,
    output_cost_per_token: 2.5e-6,
    output_cost_per_image: 0.039,
  };
  expect(read('gemini/an-image-model', entry)?.pricing?.prices).toEqual({ input_per_1m: '0.3', per_image: '0.039' });
});

test('an image with token prices is sold by tokens', () => {
  const entry = {
    litellm_provider: 'openai',
    mode: 'image_generation',
    input_cost_per_token: 5e-6,
    output_cost_per_image_token: 4e-5,
    output_cost_per_image: 0.04,
  };
  expect(read('gpt-image-1', entry)?.pricing?.prices).toEqual({ input_per_1m: '5', image_output_per_1m: '40' });
});

test('flags and lists give the modalities, and others stay unknown', () => {
  const model = listed('google', 'gemini-2.5-pro');
  expect(model.input).toEqual({ text: true, image: true, audio: true, video: true, file: true });
  expect(model.output).toEqual({ text: true });
  expect(listed('openai', 'gpt-4o-mini').input).toEqual({ image: true, file: true });
});

test('a false flag denies a modality', () => {
  expect(listed('google', 'gemini-2.5-flash-preview-09-2025').output).toEqual({ audio: false });
});

test('flags give the features', () => {
  expect(listed('openai', 'gpt-4o-mini').features).toEqual({
    tools: true,
    parallel_tools: true,
    structured_output: true,
    prompt_caching: true,
  });
});

test('limits apply to the prompt and the output', () => {
  expect(listed('openai', 'gpt-4o-mini')).toMatchObject({ inputTokens: 128_000, maxOutputTokens: 16_384 });
  expect(listed('openai', 'text-embedding-3-small')).toMatchObject({ inputTokens: 8191, dimensions: 1536 });
});

test.each([
  ['bedrock', 'amazon.nova-2-lite-v1:0', 'amazon'],
  ['bedrock', 'us.amazon.nova-canvas-v1:0', 'amazon'],
  ['vertex', 'claude-sonnet-4-6', 'anthropic'],
  ['groq', 'openai/gpt-oss-120b', 'openai'],
  ['alibaba', 'qwen3-max', 'alibaba'],
])('the id of %s %s gives the maker %s', (provider, id, maker) => {
  expect(listed(provider, id).ownedBy).toBe(maker);
});
