import { completionTokens, promptTokens, type Usage } from '../../domain/exchange/usage.ts';
import { countOrNull as count } from './json-values.ts';
import { isRecord } from './record.ts';

type Counts = Readonly<Record<string, unknown>>;

const NONE: Counts = {};

/**
 * Reads a chat completion's `usage`. OpenAI counts cached tokens inside `prompt_tokens` and reasoning tokens inside
 * `completion_tokens` (API reference, "The chat completion object"); the parts are taken apart here. Others count some
 * beside them, which their total shows: xAI its reasoning, Mistral the audio of a prompt, Gemini's compatibility endpoint
 * its thoughts, which it reports in the total alone. Returns `null` when the object holds no counts, so that a reported
 * zero stays a zero. `reasoningBeside`: the provider is known to count reasoning beside, whatever the total says.
 */
export function decodeUsage(value: unknown, reasoningBeside = false): Usage | null {
  if (!isRecord(value)) return null;
  const prompt = count(value.prompt_tokens);
  const completion = count(value.completion_tokens);
  if (prompt === null && completion === null) return null;
  // Writer spells both without the plural.
  const promptDetails = firstRecord(value.prompt_tokens_details, value.prompt_token_details);
  const completionDetails = firstRecord(value.completion_tokens_details, value.completion_token_details);
  const total = count(value.total_tokens) ?? 0;
  const beside = Math.max(0, total - (prompt ?? 0) - (completion ?? 0));
  const input = inputParts(value, promptDetails, prompt ?? 0, beside);
  const output = outputParts(value, completionDetails, completion ?? 0, beside, reasoningBeside);
  const webSearches = count(value.num_search_queries) ?? searchesIn(value.server_tool_use);
  return {
    ...input,
    ...output,
    ...(webSearches === null ? {} : { webSearches }),
    source: 'reported',
    raw: value,
  };
}

function inputParts(usage: Counts, details: Counts, prompt: number, beside: number) {
  // DeepSeek, Moonshot and Together, Mistral, Venice: beside the details object, and all inside prompt_tokens.
  const cached =
    count(details.cached_tokens) ??
    count(usage.prompt_cache_hit_tokens) ??
    count(usage.cached_tokens) ??
    count(usage.num_cached_tokens) ??
    count(usage.cache_read_input_tokens) ??
    0;
  const cachedInput = Math.min(cached, prompt);
  let left = prompt - cachedInput;
  const take = (wanted: number) => {
    const taken = Math.min(wanted, left);
    left -= taken;
    return taken;
  };
  const creation = isRecord(usage.cache_creation) ? usage.cache_creation : NONE;
  const written1h = count(creation.ephemeral_1h_input_tokens);
  const cacheWrite1h = written1h === null ? null : take(written1h);
  const written = count(details.cache_write_tokens) ?? count(usage.cache_creation_input_tokens) ?? 0;
  const cacheWrite = take(Math.max(0, written - (written1h ?? 0)));
  const audio = count(details.audio_tokens);
  const audioBeside =
    beside > 0 && (audio === beside || (audio === null && count(usage.prompt_audio_seconds) !== null));
  const inputAudio = audioBeside ? beside : audio === null ? null : take(audio);
  const image = count(details.image_tokens);
  const inputImage = image === null ? null : take(image);
  return {
    input: left,
    cachedInput,
    cacheWrite,
    ...(cacheWrite1h === null ? {} : { cacheWrite1h }),
    ...(inputAudio === null ? {} : { inputAudio }),
    ...(inputImage === null ? {} : { inputImage }),
  };
}

function outputParts(usage: Counts, details: Counts, completion: number, beside: number, reasoningBeside: boolean) {
  let left = completion;
  const take = (wanted: number) => {
    const taken = Math.min(wanted, left);
    left -= taken;
    return taken;
  };
  const reported = count(details.reasoning_tokens);
  const audioOfPrompt = count(usage.prompt_audio_seconds) !== null;
  const isBeside = reasoningBeside || (reported !== null && reported > 0 && reported === beside);
  const unexplained = !audioOfPrompt && !reported ? beside : 0;
  const reasoning = isBeside ? (reported ?? 0) : take(reported ?? 0) + unexplained;
  const audio = count(details.audio_tokens);
  const outputAudio = audio === null ? null : take(audio);
  const image = count(details.image_tokens);
  const outputImage = image === null ? null : take(image);
  return {
    output: left,
    reasoning,
    ...(outputAudio === null ? {} : { outputAudio }),
    ...(outputImage === null ? {} : { outputImage }),
  };
}

/** OpenRouter: `server_tool_use: {web_search_requests}`. */
function searchesIn(serverToolUse: unknown): number | null {
  return isRecord(serverToolUse) ? count(serverToolUse.web_search_requests) : null;
}

function firstRecord(...values: readonly unknown[]): Counts {
  return values.find(isRecord) ?? NONE;
}

/** The usage as OpenAI counts: cached tokens inside the prompt, reasoning inside the completion. JSON text. */
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
  });
}
