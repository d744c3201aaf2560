import type { Usage } from '../../domain/exchange/usage.ts';
import { isRecord } from '../shared/record.ts';

/**
 * Reads a chat completion's `usage`. OpenAI counts cached tokens inside `prompt_tokens` and reasoning tokens inside
 * `completion_tokens` (API reference, "The chat completion object"); the parts are taken apart here. Returns `null`
 * when the object holds no counts, so that a reported zero stays a zero.
 */
export function decodeUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const prompt = count(value.prompt_tokens);
  const completion = count(value.completion_tokens);
  if (prompt === null && completion === null) return null;
  const promptDetails = isRecord(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const completionDetails = isRecord(value.completion_tokens_details) ? value.completion_tokens_details : {};
  // DeepSeek reports cache hits beside the details object, also inside prompt_tokens.
  const cached = count(promptDetails.cached_tokens) ?? count(value.prompt_cache_hit_tokens) ?? 0;
  const reasoning = count(completionDetails.reasoning_tokens) ?? 0;
  const cachedInput = Math.min(cached, prompt ?? 0);
  return {
    input: (prompt ?? 0) - cachedInput,
    cachedInput,
    cacheWrite: 0,
    output: Math.max(0, (completion ?? 0) - reasoning),
    reasoning,
    source: 'reported',
  };
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
