import type { ApiKind } from '../readers/index.ts';

/** Whether a provider includes a part in the total of the prompt or response, or counts it separately. */
export type Place = 'inside' | 'beside';

/** Paths in a usage object; the first that exists counts. */
export interface Part {
  readonly paths: readonly string[];
  readonly place: Place;
  /** Taken from the provider's documents only: no recorded response has such tokens. */
  readonly unrecorded?: true;
}

export interface Convention {
  /** The providers' names in the recordings. */
  readonly providers: readonly string[];
  readonly api: ApiKind;
  readonly prompt: string;
  readonly answer: string;
  readonly cachedInput?: Part;
  /** Tokens written to the cache, for any duration. */
  readonly written?: Part;
  /** Those among them that are cached for an hour. */
  readonly writtenForAnHour?: string;
  readonly reasoning?: Part;
  readonly inputAudio?: Part;
  readonly inputImage?: Part;
  readonly outputAudio?: Part;
  /** Prompts of the provider's own tools, which are charged as input. */
  readonly toolPrompts?: Part;
  readonly note?: string;
}

const inside = (...paths: readonly string[]): Part => ({ paths, place: 'inside' });
const beside = (...paths: readonly string[]): Part => ({ paths, place: 'beside' });
const documented = (part: Part): Part => ({ ...part, unrecorded: true });

const CHAT = { api: 'chat', prompt: 'prompt_tokens', answer: 'completion_tokens' } as const;
const CACHED = 'prompt_tokens_details.cached_tokens';
const WRITTEN = 'prompt_tokens_details.cache_write_tokens';
const AUDIO = 'prompt_tokens_details.audio_tokens';
const REASONING = 'completion_tokens_details.reasoning_tokens';

/**
 * How each provider counts. docs/usage.md shows this table, and recorded responses are checked against it.
 */
export const CONVENTIONS: readonly Convention[] = [
  {
    ...CHAT,
    providers: ['openai', 'azure'],
    cachedInput: inside(CACHED),
    written: inside(WRITTEN),
    reasoning: inside(REASONING),
    inputAudio: inside(AUDIO),
    outputAudio: inside('completion_tokens_details.audio_tokens'),
  },
  {
    ...CHAT,
    providers: ['openrouter'],
    cachedInput: documented(inside(CACHED)),
    written: documented(inside(WRITTEN)),
    reasoning: inside(REASONING),
    inputAudio: inside(AUDIO),
    note: 'web searches in `server_tool_use.web_search_requests`; video is input',
  },
  {
    ...CHAT,
    providers: ['deepseek'],
    cachedInput: inside('prompt_cache_hit_tokens', CACHED),
    reasoning: inside(REASONING),
  },
  {
    ...CHAT,
    providers: ['groq'],
    cachedInput: inside(CACHED),
    reasoning: inside(REASONING),
    note: 'in streams also in `x_groq.usage`',
  },
  {
    ...CHAT,
    providers: ['mistral'],
    cachedInput: inside(CACHED, 'num_cached_tokens'),
    inputAudio: beside(AUDIO),
    note: 'audio without a count is the rest of `total_tokens`; if more is cached than the prompt has, the whole prompt counts as cached',
  },
  { ...CHAT, providers: ['moonshot'], cachedInput: inside('cached_tokens'), reasoning: inside(REASONING) },
  { ...CHAT, providers: ['together'], cachedInput: documented(inside('cached_tokens')) },
  { ...CHAT, providers: ['venice'], cachedInput: inside(CACHED, 'cache_read_input_tokens') },
  {
    ...CHAT,
    providers: ['xai'],
    cachedInput: inside(CACHED),
    reasoning: beside(REASONING),
    inputImage: inside('prompt_tokens_details.image_tokens'),
  },
  {
    ...CHAT,
    providers: ['alibaba', 'doubleword'],
    cachedInput: documented(inside(CACHED)),
    reasoning: inside(REASONING),
    note: 'if Doubleword reports more reasoning than output, the whole output is reasoning',
  },
  { ...CHAT, providers: ['llamacpp', 'zai'], cachedInput: inside(CACHED) },
  {
    ...CHAT,
    providers: ['gemini'],
    note: 'its compatible endpoint; thoughts are the rest of `total_tokens`',
  },
  { ...CHAT, providers: ['anthropic', 'huggingface', 'mistralrs', 'ollama', 'perplexity', 'writer'] },
  {
    providers: ['openai', 'azure', 'xai', 'lmstudio', 'llamacpp', 'mistralrs', 'openrouter'],
    api: 'responses',
    prompt: 'input_tokens',
    answer: 'output_tokens',
    cachedInput: inside('input_tokens_details.cached_tokens'),
    written: documented(inside('input_tokens_details.cache_write_tokens')),
    reasoning: inside('output_tokens_details.reasoning_tokens'),
    note: 'web searches in `tool_usage` (OpenAI) or `server_side_tool_usage_details` (xAI)',
  },
  {
    providers: ['anthropic', 'bedrock'],
    api: 'messages',
    prompt: 'input_tokens',
    answer: 'output_tokens',
    cachedInput: beside('cache_read_input_tokens'),
    written: beside('cache_creation_input_tokens'),
    writtenForAnHour: 'cache_creation.ephemeral_1h_input_tokens',
    reasoning: inside('output_tokens_details.thinking_tokens'),
    note: 'compactions and advisor calls are added, from `iterations`; web searches in `server_tool_use.web_search_requests`',
  },
  {
    providers: ['gemini', 'vertex'],
    api: 'generate-content',
    prompt: 'promptTokenCount',
    answer: 'candidatesTokenCount',
    cachedInput: inside('cachedContentTokenCount'),
    reasoning: beside('thoughtsTokenCount'),
    toolPrompts: beside('toolUsePromptTokenCount'),
    note: 'audio and images inside, in the lists `promptTokensDetails` and `candidatesTokensDetails`; cached audio and images are cached input',
  },
  {
    providers: ['bedrock'],
    api: 'converse',
    prompt: 'inputTokens',
    answer: 'outputTokens',
    cachedInput: beside('cacheReadInputTokens'),
    written: beside('cacheWriteInputTokens'),
    note: 'reasoning is part of the output and not counted separately; `cacheDetails` has the lifetime of written tokens',
  },
  {
    providers: ['cohere'],
    api: 'cohere-chat',
    prompt: 'billed_units.input_tokens',
    answer: 'billed_units.output_tokens',
    reasoning: inside('tokens.reasoning_tokens'),
    inputImage: inside('tokens.image_tokens'),
    note: '`tokens` also counts a hidden preamble, which is free; `cached_tokens` are part of it and have no price',
  },
];
