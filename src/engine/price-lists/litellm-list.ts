import type { Modality, ModelFeature } from '../../domain/catalog/capabilities.ts';
import type { ModelCategory } from '../../domain/catalog/category.ts';
import {
  checkedId,
  countAt,
  flagAt,
  isObject,
  type JsonObject,
  known,
  ListReader,
  MalformedEntry,
  modalitiesAt,
  textAt,
} from './list-entry.ts';
import { litellmPricing } from './litellm-pricing.ts';
import { categoryByName } from './model-category.ts';
import { makerOf } from './model-owner.ts';
import type { KnownProviders, PriceList, PriceListModel, Stated } from './price-list-model.ts';

interface Source {
  /** The name of a manifest. */
  readonly provider: string;
  /** The prefix before the provider's own id. */
  readonly prefix: string;
  /** Whether ids without the prefix are prices for all models of a size, such as `together-ai-4.1b-8b`. */
  readonly isPrefixRequired?: true;
  /** Whether the provider's own ids contain slashes. Elsewhere a slash separates a region, a size or a speed from the id. */
  readonly hasPaths?: true;
}

/** Sources by `litellm_provider`. */
const SOURCES: ReadonlyMap<string, Source> = new Map<string, Source>([
  ['openai', { provider: 'openai', prefix: 'openai/' }],
  ['anthropic', { provider: 'anthropic', prefix: 'anthropic/' }],
  ['gemini', { provider: 'google', prefix: 'gemini/' }],
  ['azure', { provider: 'azure-openai', prefix: 'azure/', isPrefixRequired: true }],
  ['bedrock', { provider: 'bedrock', prefix: 'bedrock/' }],
  ['bedrock_converse', { provider: 'bedrock', prefix: 'bedrock/' }],
  ['cohere', { provider: 'cohere', prefix: 'cohere/' }],
  ['cohere_chat', { provider: 'cohere', prefix: 'cohere/' }],
  ['dashscope', { provider: 'alibaba', prefix: 'dashscope/', isPrefixRequired: true }],
  ['deepseek', { provider: 'deepseek', prefix: 'deepseek/' }],
  ['mistral', { provider: 'mistral', prefix: 'mistral/' }],
  ['moonshot', { provider: 'moonshot', prefix: 'moonshot/', isPrefixRequired: true }],
  ['minimax', { provider: 'minimax', prefix: 'minimax/', isPrefixRequired: true }],
  ['xai', { provider: 'xai', prefix: 'xai/', isPrefixRequired: true }],
  ['zai', { provider: 'zai', prefix: 'zai/', isPrefixRequired: true }],
  ['cerebras', { provider: 'cerebras', prefix: 'cerebras/', isPrefixRequired: true }],
  ['perplexity', { provider: 'perplexity', prefix: 'perplexity/', isPrefixRequired: true, hasPaths: true }],
  ['sambanova', { provider: 'sambanova', prefix: 'sambanova/', isPrefixRequired: true, hasPaths: true }],
  ['groq', { provider: 'groq', prefix: 'groq/', isPrefixRequired: true, hasPaths: true }],
  ['together_ai', { provider: 'together', prefix: 'together_ai/', isPrefixRequired: true, hasPaths: true }],
  ['fireworks_ai', { provider: 'fireworks', prefix: 'fireworks_ai/', isPrefixRequired: true, hasPaths: true }],
  [
    'fireworks_ai-embedding-models',
    { provider: 'fireworks', prefix: 'fireworks_ai/', isPrefixRequired: true, hasPaths: true },
  ],
  ['huggingface', { provider: 'huggingface', prefix: 'huggingface/', isPrefixRequired: true, hasPaths: true }],
  ['nvidia_nim', { provider: 'nvidia', prefix: 'nvidia_nim/', isPrefixRequired: true, hasPaths: true }],
  ['openrouter', { provider: 'openrouter', prefix: 'openrouter/', isPrefixRequired: true, hasPaths: true }],
  ['vercel_ai_gateway', { provider: 'vercel', prefix: 'vercel_ai_gateway/', isPrefixRequired: true, hasPaths: true }],
]);

/** Vertex has a `litellm_provider` for every kind of model: `vertex_ai-anthropic_models`, `vertex_ai-image-models`. */
const VERTEX: Source = { provider: 'vertex', prefix: 'vertex_ai/', hasPaths: true };

/**
 * Categories by `mode`. Modes without a category (moderation, ocr, search) are absent, as are those whose models have another endpoint than
 * their category: text completion, image editing, realtime sessions. An entry without a category can still provide the price of a model in
 * the catalog.
 */
const CATEGORY_OF_MODE: ReadonlyMap<string, ModelCategory> = new Map<string, ModelCategory>([
  ['chat', 'chat'],
  ['responses', 'chat'],
  ['embedding', 'embedding'],
  ['image_generation', 'image'],
  ['audio_speech', 'tts'],
  ['audio_transcription', 'stt'],
  ['rerank', 'rerank'],
  ['video_generation', 'video'],
]);

const FEATURE_FLAGS: readonly (readonly [ModelFeature, string])[] = [
  ['streaming', 'supports_native_streaming'],
  ['tools', 'supports_function_calling'],
  ['parallel_tools', 'supports_parallel_function_calling'],
  ['reasoning', 'supports_reasoning'],
  ['structured_output', 'supports_response_schema'],
  ['prompt_caching', 'supports_prompt_caching'],
  ['web_search', 'supports_web_search'],
];

const INPUT_FLAGS: readonly (readonly [Modality, string])[] = [
  ['image', 'supports_vision'],
  ['audio', 'supports_audio_input'],
  ['video', 'supports_video_input'],
  ['file', 'supports_pdf_input'],
];

const OUTPUT_FLAGS: readonly (readonly [Modality, string])[] = [['audio', 'supports_audio_output']];

/** Returns whether it looks like an entry of LiteLLM's map, which names one of its providers. */
export function isLitellmEntry(entry: unknown): boolean {
  return isObject(entry) && typeof entry.litellm_provider === 'string';
}

/** Reads LiteLLM's `model_prices_and_context_window.json`: a map from its own model names to facts, with prices in USD per token. */
export function readLitellmList(list: JsonObject, providers: KnownProviders): PriceList {
  const reader = new ListReader();
  for (const [name, entry] of Object.entries(list)) reader.add(name, () => modelFrom(name, entry, providers));
  return reader.finish('litellm');
}

/** Returns the model, or `null` to skip the entry. */
function modelFrom(name: string, entry: unknown, providers: KnownProviders): PriceListModel | null {
  if (name === 'sample_spec') return null;
  if (!isObject(entry)) throw new MalformedEntry('it is not an object');
  const source = sourceOf(entry);
  if (source === null || !providers.has(source.provider)) return null;
  const id = idFrom(name, source);
  if (id === null) return null;
  const mode = textAt(entry, 'mode');
  const output = stated(entry, OUTPUT_FLAGS, modalitiesAt(entry, 'supported_output_modalities'));
  const category = categoryFrom(id, mode, output?.audio === true);
  return {
    provider: source.provider,
    id: checkedId(id),
    ...known({
      ownedBy: makerOf(source.provider, id),
      category,
      input: stated(entry, INPUT_FLAGS, modalitiesAt(entry, 'supported_modalities')),
      output,
      features: stated(entry, FEATURE_FLAGS, []),
      inputTokens: countAt(entry, 'max_input_tokens'),
      maxOutputTokens: countAt(entry, 'max_output_tokens'),
      dimensions: countAt(entry, 'output_vector_size'),
      pricing: litellmPricing(entry, category),
    }),
  };
}

/** Returns the category. A mode without one, such as image editing, is not replaced by what the name implies. */
function categoryFrom(id: string, mode: string | undefined, makesAudio: boolean): ModelCategory | undefined {
  const category = mode === undefined ? undefined : CATEGORY_OF_MODE.get(mode);
  return mode !== undefined && category === undefined ? undefined : categoryByName(id, category, makesAudio);
}

function sourceOf(entry: JsonObject): Source | null {
  const name = textAt(entry, 'litellm_provider') ?? '';
  return name === 'vertex_ai' || name.startsWith('vertex_ai-') ? VERTEX : (SOURCES.get(name) ?? null);
}

/** Returns the model's id, or `null` if the name is not that of a model: a size, a region's price, a fine-tuned model. */
function idFrom(name: string, source: Source): string | null {
  const hasPrefix = name.startsWith(source.prefix);
  if (!hasPrefix && source.isPrefixRequired) return null;
  const id = hasPrefix ? name.slice(source.prefix.length) : name;
  if (id.startsWith('ft:') || /(^|\/)\d+-x-\d+(\/|$)/.test(id)) return null;
  if (id.includes('/') && !source.hasPaths) return null;
  // At Vertex, `@default` means the same as no version.
  return source === VERTEX ? id.replace(/@default$/, '') : id;
}

/** Returns which names are stated. Flags take precedence over a list, which is incomplete for some models. */
function stated<Name extends string>(
  entry: JsonObject,
  flags: readonly (readonly [Name, string])[],
  listed: readonly Name[],
): Stated<Name> | undefined {
  const all: Partial<Record<Name, boolean>> = {};
  for (const name of listed) all[name] = true;
  for (const [name, member] of flags) {
    const flag = flagAt(entry, member);
    if (flag !== undefined) all[name] = flag;
  }
  return Object.keys(all).length === 0 ? undefined : all;
}
