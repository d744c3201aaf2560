import { completionTokens, promptTokens, type Usage } from '../../../domain/exchange/usage.ts';
import { countOrNull } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { withDrawn } from '../shared/drawn-images.ts';
import { withSearches } from '../shared/openai-usage.ts';

/**
 * Reads a response's `usage`. `input_tokens` includes cached tokens and those written to the cache; `output_tokens` includes
 * reasoning tokens (OpenAI, "The response object"). Here the totals are split into their parts. `null` when the object holds
 * no counts, so that a reported zero stays a zero. `searches` is the number of web searches that the answer states
 * elsewhere; `null` for no count.
 */
export function decodeUsage(value: unknown, searches: number | null = null): Usage | null {
  if (!isRecord(value)) return null;
  // Azure's DeepSeek deployments use the member names of chat completions.
  const input = countOrNull(value.input_tokens) ?? countOrNull(value.prompt_tokens);
  const output = countOrNull(value.output_tokens) ?? countOrNull(value.completion_tokens);
  if (input === null && output === null) return null;
  const inputDetails = isRecord(value.input_tokens_details) ? value.input_tokens_details : {};
  const outputDetails = isRecord(value.output_tokens_details) ? value.output_tokens_details : {};
  const cachedInput = Math.min(countOrNull(inputDetails.cached_tokens) ?? 0, input ?? 0);
  const cacheWrite = Math.min(countOrNull(inputDetails.cache_write_tokens) ?? 0, (input ?? 0) - cachedInput);
  const reasoning = Math.min(countOrNull(outputDetails.reasoning_tokens) ?? 0, output ?? 0);
  return {
    input: (input ?? 0) - cachedInput - cacheWrite,
    cachedInput,
    cacheWrite,
    output: (output ?? 0) - reasoning,
    reasoning,
    ...(searches === null ? {} : { webSearches: searches }),
    source: 'reported',
    raw: value,
  };
}

/**
 * Returns the web searches that an answer was charged for. OpenAI counts them in `tool_usage`, xAI in the usage's own details.
 * `null` for no count.
 */
function countSearches(response: Readonly<Record<string, unknown>>): number | null {
  const tools = isRecord(response.tool_usage) ? response.tool_usage.web_search : null;
  if (isRecord(tools)) return countOrNull(tools.num_requests);
  const details = isRecord(response.usage) ? response.usage.server_side_tool_usage_details : null;
  return isRecord(details) ? countOrNull(details.web_search_calls) : null;
}

/** Returns the usage of a whole response, with its searches and drawn images. If no member counts them, the output items do. */
export function usageOfResponse(response: Readonly<Record<string, unknown>>): Usage | null {
  return withDrawn(withSearches(decodeUsage(response.usage, countSearches(response)), response.output), response);
}

/** Returns the usage as JSON text. As the format requires, each total includes its parts. */
export function usageJson(usage: Usage | null): string {
  if (usage === null) return 'null';
  const [input, output] = [promptTokens(usage), completionTokens(usage)];
  const written = usage.cacheWrite + (usage.cacheWrite1h ?? 0);
  return (
    `{"input_tokens":${input},"input_tokens_details":{"cached_tokens":${usage.cachedInput},"cache_write_tokens":${written}},` +
    `"output_tokens":${output},"output_tokens_details":{"reasoning_tokens":${usage.reasoning}},` +
    `"total_tokens":${input + output}${usage.source === 'estimated' ? ',"estimated":true' : ''}}`
  );
}
