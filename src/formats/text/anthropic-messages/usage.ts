import { completionTokens, type Usage } from '../../../domain/exchange/usage.ts';
import { countOrNull, nonEmptyText, saysSomething } from '../../shared/json/json-values.ts';
import { entryOf, isRecord, setMember } from '../../shared/json/record.ts';
import { estimateMark } from '../shared/openai-usage.ts';

type Wire = Readonly<Record<string, unknown>>;

export function tierOf(usage: unknown): { readonly serviceTier?: string } {
  const tier = isRecord(usage) ? nonEmptyText(usage.service_tier) : null;
  return tier === null ? {} : { serviceTier: tier };
}

/*
 * Anthropic's counts are separate where other formats include one in the other: `input_tokens` contains neither cache reads
 * nor cache writes. Only thinking is included, in `output_tokens` (SDK reference, "Usage").
 */

/** Reads a `usage` object; `null` when it holds no counts, so that a reported zero stays a zero. */
export function decodeUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const input = countOrNull(value.input_tokens);
  const output = countOrNull(value.output_tokens);
  if (input === null && output === null) return null;
  const own = countsIn(value);
  const apart = Array.isArray(value.iterations) ? value.iterations.filter(isApart).map(countsIn) : [];
  const sum = (part: (counts: Counts) => number) => apart.reduce((total, counts) => total + part(counts), part(own));
  const cacheWrite1h = sum((counts) => counts.cacheWrite1h);
  const server = isRecord(value.server_tool_use) ? countOrNull(value.server_tool_use.web_search_requests) : null;
  return {
    input: sum((counts) => counts.input),
    cachedInput: sum((counts) => counts.cachedInput),
    cacheWrite: sum((counts) => counts.cacheWrite),
    ...(cacheWrite1h > 0 ? { cacheWrite1h } : {}),
    output: sum((counts) => counts.output),
    reasoning: own.reasoning,
    ...(server === null ? {} : { webSearches: server }),
    source: 'reported',
    raw: value,
  };
}

/**
 * Returns whether an entry is in no other count: the cost of summarising a compacted context and of asking an advisor (SDK
 * reference, "iterations"). The totals include the rounds of the message itself. They include a round that fell back to another
 * model, but not the round that it replaces.
 */
function isApart(entry: unknown): boolean {
  return isRecord(entry) && (entry.type === 'compaction' || entry.type === 'advisor_message');
}

interface Counts {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly reasoning: number;
}

function countsIn(value: unknown): Counts {
  const wire: Wire = isRecord(value) ? value : {};
  const creation: Wire = isRecord(wire.cache_creation) ? wire.cache_creation : {};
  const cacheWrite1h = countOrNull(creation.ephemeral_1h_input_tokens) ?? 0;
  const written = countOrNull(wire.cache_creation_input_tokens);
  const details: Wire = isRecord(wire.output_tokens_details) ? wire.output_tokens_details : {};
  const output = countOrNull(wire.output_tokens) ?? 0;
  const reasoning = Math.min(countOrNull(details.thinking_tokens) ?? 0, output);
  return {
    input: countOrNull(wire.input_tokens) ?? 0,
    cachedInput: countOrNull(wire.cache_read_input_tokens) ?? 0,
    cacheWrite:
      written === null ? (countOrNull(creation.ephemeral_5m_input_tokens) ?? 0) : Math.max(0, written - cacheWrite1h),
    cacheWrite1h,
    output: output - reasoning,
    reasoning,
  };
}

/**
 * Returns the usage of a stream so far: `message_start` reports the prompt, `message_delta` repeats changed counts. All counts
 * are for the whole message, so a later one replaces an earlier one. A `null` or a zero is ignored, because no count of a message
 * ever decreases.
 */
export function mergeUsage(earlier: unknown, later: unknown): Wire {
  const merged: Record<string, unknown> = isRecord(earlier) ? { ...earlier } : {};
  if (isRecord(later)) {
    for (const key in later) {
      const before = entryOf(merged, key);
      if (saysSomething(later[key]) || before === undefined || before === null) setMember(merged, key, later[key]);
    }
  }
  return merged;
}

/**
 * Returns JSON text of a `usage` object: Anthropic's own usage unchanged, any other provider's in Anthropic's members. Unknown
 * counts are written as zero, because the format has no way to express that they are unknown.
 */
export function encodeUsage(usage: Usage | null, serviceTier: string | null): string {
  return JSON.stringify({
    ...sharedMembers(usage),
    cache_creation: creationOf(usage),
    inference_geo: null,
    service_tier: TIERS.has(serviceTier) ? serviceTier : null,
    ...ownMembers(usage),
    ...(usage === null ? {} : estimateMark(usage)),
  });
}

/** Returns JSON text of the `usage` of a `message_delta`: the SDKs take all counts of a streamed message from here. */
export function encodeDeltaUsage(usage: Usage | null): string {
  const creation = (usage?.cacheWrite1h ?? 0) > 0 ? { cache_creation: creationOf(usage) } : {};
  const mark = usage === null ? {} : estimateMark(usage);
  return JSON.stringify({ ...sharedMembers(usage), ...creation, ...ownMembers(usage), ...mark });
}

const TIERS: ReadonlySet<string | null> = new Set(['standard', 'priority', 'batch']);

const NO_SEARCHES = { web_search_requests: 0, web_fetch_requests: 0 };

/** Returns the members of Anthropic's own usage. No other format has a count of cache writes with this name. */
function ownMembers(usage: Usage | null): Wire {
  const raw = usage?.raw;
  if (!isRecord(raw) || !('cache_creation_input_tokens' in raw) || !('input_tokens' in raw)) return {};
  const { server_tool_use: searches } = raw;
  return isRecord(searches) ? { ...raw, server_tool_use: { ...NO_SEARCHES, ...searches } } : raw;
}

function creationOf(usage: Usage | null) {
  return { ephemeral_5m_input_tokens: usage?.cacheWrite ?? 0, ephemeral_1h_input_tokens: usage?.cacheWrite1h ?? 0 };
}

function sharedMembers(usage: Usage | null) {
  const searches = usage?.webSearches;
  return {
    input_tokens: usage === null ? 0 : usage.input + (usage.inputAudio ?? 0) + (usage.inputImage ?? 0),
    cache_creation_input_tokens: (usage?.cacheWrite ?? 0) + (usage?.cacheWrite1h ?? 0),
    cache_read_input_tokens: usage?.cachedInput ?? 0,
    output_tokens: usage === null ? 0 : completionTokens(usage),
    ...(usage !== null && usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
    server_tool_use: searches === undefined ? null : { web_search_requests: searches, web_fetch_requests: 0 },
  };
}
