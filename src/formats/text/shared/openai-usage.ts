import { completionTokens, promptTokens, type Usage } from '../../../domain/exchange/usage.ts';
import type { Writable } from '../../../domain/writable.ts';
import { countOrNull as count, listOf } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';

type Counts = Readonly<Record<string, unknown>>;

const NONE: Counts = {};

/**
 * Reads a chat completion's `usage`. OpenAI counts cached tokens inside `prompt_tokens` and reasoning tokens inside
 * `completion_tokens` (API reference, "The chat completion object"); here the parts are separated. Others count some in addition,
 * which their total shows: xAI its reasoning, Mistral the audio of a prompt, and Gemini's compatibility endpoint its thoughts,
 * which appear only in the total. Returns `null` if the object has no counts, so that a reported zero stays a zero.
 * `reasoningBeside`: the provider is known to count reasoning in addition, whatever the total says.
 */
export function decodeUsage(value: unknown, reasoningBeside = false): Usage | null {
  if (!isRecord(value)) return null;
  const prompt = count(value.prompt_tokens);
  const completion = count(value.completion_tokens);
  if (prompt === null && completion === null) return null;
  // Writer spells both in the singular.
  const promptDetails = firstRecord(value.prompt_tokens_details, value.prompt_token_details);
  const completionDetails = firstRecord(value.completion_tokens_details, value.completion_token_details);
  const total = count(value.total_tokens) ?? 0;
  const beside = Math.max(0, total - (prompt ?? 0) - (completion ?? 0));
  const usage: Writable<Usage> = { ...NOTHING, source: 'reported', raw: value };
  takeInputApart(usage, value, promptDetails, prompt ?? 0, beside);
  takeOutputApart(usage, value, completionDetails, completion ?? 0, beside, reasoningBeside);
  const webSearches = count(value.num_search_queries) ?? searchesIn(value.server_tool_use);
  if (webSearches !== null) usage.webSearches = webSearches;
  return usage;
}

const NOTHING = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 };

function takeInputApart(parts: Writable<Usage>, usage: Counts, details: Counts, prompt: number, beside: number): void {
  // DeepSeek, Moonshot and Together, Mistral, Venice: outside the details object, and all included in prompt_tokens.
  const cached =
    count(details.cached_tokens) ??
    count(usage.prompt_cache_hit_tokens) ??
    count(usage.cached_tokens) ??
    count(usage.num_cached_tokens) ??
    count(usage.cache_read_input_tokens) ??
    0;
  parts.cachedInput = Math.min(cached, prompt);
  let left = prompt - parts.cachedInput;
  const creation = isRecord(usage.cache_creation) ? usage.cache_creation : NONE;
  const written1h = count(creation.ephemeral_1h_input_tokens);
  if (written1h !== null) {
    parts.cacheWrite1h = Math.min(written1h, left);
    left -= parts.cacheWrite1h;
  }
  const written = count(details.cache_write_tokens) ?? count(usage.cache_creation_input_tokens) ?? 0;
  parts.cacheWrite = Math.min(Math.max(0, written - (written1h ?? 0)), left);
  left -= parts.cacheWrite;
  const audio = count(details.audio_tokens);
  if (beside > 0 && (audio === beside || (audio === null && count(usage.prompt_audio_seconds) !== null))) {
    parts.inputAudio = beside;
  } else if (audio !== null) {
    parts.inputAudio = Math.min(audio, left);
    left -= parts.inputAudio;
  }
  const image = count(details.image_tokens);
  if (image !== null) {
    parts.inputImage = Math.min(image, left);
    left -= parts.inputImage;
  }
  parts.input = left;
}

function takeOutputApart(
  parts: Writable<Usage>,
  usage: Counts,
  details: Counts,
  completion: number,
  beside: number,
  reasoningBeside: boolean,
): void {
  let left = completion;
  const reported = count(details.reasoning_tokens);
  const audioOfPrompt = count(usage.prompt_audio_seconds) !== null;
  const isBeside = reasoningBeside || (reported !== null && reported > 0 && reported === beside);
  const unexplained = !audioOfPrompt && !reported ? beside : 0;
  if (isBeside) parts.reasoning = reported ?? 0;
  else {
    const inside = Math.min(reported ?? 0, left);
    left -= inside;
    parts.reasoning = inside + unexplained;
  }
  const audio = count(details.audio_tokens);
  if (audio !== null) {
    parts.outputAudio = Math.min(audio, left);
    left -= parts.outputAudio;
  }
  const image = count(details.image_tokens);
  if (image !== null) {
    parts.outputImage = Math.min(image, left);
    left -= parts.outputImage;
  }
  parts.output = left;
}

/** Reads OpenRouter's `server_tool_use: {web_search_requests}`. */
function searchesIn(serverToolUse: unknown): number | null {
  return isRecord(serverToolUse) ? count(serverToolUse.web_search_requests) : null;
}

function firstRecord(value: unknown, other: unknown): Counts {
  if (isRecord(value)) return value;
  return isRecord(other) ? other : NONE;
}

/** Returns the member that marks the gateway's own counts, as in its answers to token counting requests. */
export function estimateMark({ source }: Pick<Usage, 'source'>): { readonly estimated?: true } {
  return source === 'estimated' ? { estimated: true } : {};
}

/** Returns the usage as OpenAI counts it, as JSON text: cached tokens inside the prompt, reasoning inside the completion. */
export function encodeUsage(usage: Usage): string {
  const prompt = promptTokens(usage);
  const completion = completionTokens(usage);
  const cacheWrite = usage.cacheWrite + (usage.cacheWrite1h ?? 0);
  return JSON.stringify({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInput,
      audio_tokens: usage.inputAudio ?? 0,
      ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}),
      ...(usage.inputImage ? { image_tokens: usage.inputImage } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.outputAudio ?? 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
      ...(usage.outputImage ? { image_tokens: usage.outputImage } : {}),
    },
    ...(usage.webSearches === undefined ? {} : { num_search_queries: usage.webSearches }),
    ...estimateMark(usage),
  });
}

/** Actions on search results, which cost only tokens (OpenAI, "Web search": search actions are billed). */
const FREE_ACTIONS: ReadonlySet<unknown> = new Set(['open_page', 'find_in_page', 'find']);

/** Returns whether an output item (Responses) or a block (Anthropic) is a web search that the provider ran and bills per call. */
export function isHostedSearch(item: unknown): boolean {
  if (!isRecord(item)) return false;
  if (item.type === 'server_tool_use') return item.name === 'web_search';
  if (item.type !== 'web_search_call') return false;
  return !(isRecord(item.action) && FREE_ACTIONS.has(item.action.type));
}

/** Adds the number of searches in the answer to a usage report that does not state one. */
export function withSearches(usage: Usage | null, items: unknown): Usage | null {
  if (usage === null || usage.webSearches !== undefined) return usage;
  const webSearches = listOf(items).filter(isHostedSearch).length;
  return webSearches === 0 ? usage : { ...usage, webSearches };
}
