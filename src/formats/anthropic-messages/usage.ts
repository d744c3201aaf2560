import { completionTokens, type Usage } from '../../domain/exchange/usage.ts';
import { isRecord } from '../shared/record.ts';

/*
 * Anthropic counts beside each other what others count inside: `input_tokens` holds neither what the cache gave nor what it
 * took. Only thinking is inside of `output_tokens` (SDK reference, "Usage").
 */

type Wire = Readonly<Record<string, unknown>>;

/** Reads a `usage` object; `null` when it holds no counts, so that a reported zero stays a zero. */
export function decodeUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const input = count(value.input_tokens);
  const output = count(value.output_tokens);
  if (input === null && output === null) return null;
  const own = countsIn(value);
  // What the summary of a compacted context cost is in no other count (SDK reference, "iterations").
  const compactions = Array.isArray(value.iterations)
    ? value.iterations.filter((entry: unknown) => isRecord(entry) && entry.type === 'compaction').map(countsIn)
    : [];
  const sum = (part: (counts: Counts) => number) =>
    compactions.reduce((total, counts) => total + part(counts), part(own));
  const cacheWrite1h = sum((counts) => counts.cacheWrite1h);
  const server = isRecord(value.server_tool_use) ? count(value.server_tool_use.web_search_requests) : null;
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
  const cacheWrite1h = count(creation.ephemeral_1h_input_tokens) ?? 0;
  const written = count(wire.cache_creation_input_tokens);
  const details: Wire = isRecord(wire.output_tokens_details) ? wire.output_tokens_details : {};
  const output = count(wire.output_tokens) ?? 0;
  const reasoning = Math.min(count(details.thinking_tokens) ?? 0, output);
  return {
    input: count(wire.input_tokens) ?? 0,
    cachedInput: count(wire.cache_read_input_tokens) ?? 0,
    cacheWrite:
      written === null ? (count(creation.ephemeral_5m_input_tokens) ?? 0) : Math.max(0, written - cacheWrite1h),
    cacheWrite1h,
    output: output - reasoning,
    reasoning,
  };
}

/**
 * The usage of a stream so far: `message_start` reports the prompt, `message_delta` repeats what has changed. All counts are
 * of the whole message, so a later one replaces an earlier one; a `null` says nothing.
 */
export function mergeUsage(earlier: unknown, later: unknown): Wire {
  const merged: Record<string, unknown> = isRecord(earlier) ? { ...earlier } : {};
  if (isRecord(later)) {
    for (const key in later) {
      if (later[key] !== null && later[key] !== undefined) merged[key] = later[key];
    }
  }
  return merged;
}

/**
 * JSON text of a `usage` object: Anthropic's own as it came, and any other provider's in its members. Where nothing is known
 * zeros stand, since the format has no way to say so.
 */
export function encodeUsage(usage: Usage | null, serviceTier: string | null): string {
  return JSON.stringify({
    ...sharedMembers(usage),
    cache_creation: creationOf(usage),
    inference_geo: null,
    service_tier: TIERS.has(serviceTier) ? serviceTier : null,
    ...ownMembers(usage),
  });
}

/** JSON text of the `usage` of a `message_delta`: from here the SDKs take all the counts of a stream's message. */
export function encodeDeltaUsage(usage: Usage | null): string {
  const creation = (usage?.cacheWrite1h ?? 0) > 0 ? { cache_creation: creationOf(usage) } : {};
  return JSON.stringify({ ...sharedMembers(usage), ...creation, ...ownMembers(usage) });
}

const TIERS: ReadonlySet<string | null> = new Set(['standard', 'priority', 'batch']);

/** No other format counts what a cache has taken under this name. */
function ownMembers(usage: Usage | null): Wire {
  const raw = usage?.raw;
  return isRecord(raw) && 'cache_creation_input_tokens' in raw && 'input_tokens' in raw ? raw : {};
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

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
