import type { LimitReport, LimitState } from '../../../domain/access/limit-report.ts';
import type { RelayedHeader } from '../format.ts';

type AddedHeaders = Record<string, string>;

/** Adds OpenAI's `x-ratelimit-…` ("Rate limits in headers"), in which a reset is a duration such as `1m0s` or `120ms`. */
export function openaiLimitHeaders({ requests, tokens }: LimitReport, headers: AddedHeaders): void {
  if (requests !== null) {
    headers['x-ratelimit-limit-requests'] = String(requests.limit);
    headers['x-ratelimit-remaining-requests'] = String(requests.remaining);
    headers['x-ratelimit-reset-requests'] = durationOf(requests.resetMs);
  }
  if (tokens !== null) {
    headers['x-ratelimit-limit-tokens'] = String(tokens.limit);
    headers['x-ratelimit-remaining-tokens'] = String(tokens.remaining);
    headers['x-ratelimit-reset-tokens'] = durationOf(tokens.resetMs);
  }
}

/** Adds Anthropic's `anthropic-ratelimit-…` ("Rate limits", Response headers), in which a reset is an RFC 3339 time. */
export function anthropicLimitHeaders({ requests, tokens }: LimitReport, headers: AddedHeaders, nowMs: number): void {
  if (requests !== null) addAnthropic(headers, 'requests', requests, nowMs);
  if (tokens !== null) addAnthropic(headers, 'tokens', tokens, nowMs);
}

function addAnthropic(
  headers: AddedHeaders,
  unit: string,
  { limit, remaining, resetMs }: LimitState,
  nowMs: number,
): void {
  headers[`anthropic-ratelimit-${unit}-limit`] = String(limit);
  headers[`anthropic-ratelimit-${unit}-remaining`] = String(remaining);
  headers[`anthropic-ratelimit-${unit}-reset`] = timeOf(nowMs + resetMs);
}

/** Formats whole seconds, rounded up; below one second, milliseconds. */
function durationOf(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.ceil(ms))}ms`;
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

let lastSecond = -1;
let lastTime = '';

/** Rounds up to a second; requests within the same second share the text. */
function timeOf(ms: number): string {
  const second = Math.ceil(ms / 1_000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastTime = `${new Date(second * 1_000).toISOString().slice(0, 19)}Z`;
  }
  return lastTime;
}

/** A header in which clients send their key; each of the four formats has one that its own SDKs use. */
type KeyHeader = 'authorization' | 'x-api-key' | 'x-goog-api-key' | 'api-key';

/** The order in which the other headers are read. */
const ALL: readonly KeyHeader[] = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

/**
 * Returns a reader for a request's key. `own` is the header of the format's own SDKs and takes precedence; `api-key` is Azure's.
 * If several headers hold different keys, the first one counts, whether it is valid or not.
 */
export function keyReader(own: KeyHeader): (headers: Headers) => string | null {
  const order = [own, ...ALL.filter((name) => name !== own)];
  return (headers) => {
    for (const name of order) {
      const value = headers.get(name);
      if (value === null) continue;
      const key = name === 'authorization' ? authorizationKey(value) : value.trim();
      if (key) return key;
    }
    return null;
  };
}

/** Returns the text after `Bearer`, in any case, or the whole value if it is one word; nothing for another scheme (`Basic …`). */
function authorizationKey(header: string): string | null {
  if (header.length > 7 && header.startsWith('Bearer ') && header.indexOf(' ', 7) < 0) return header.slice(7);
  const words = header.trim().split(/\s+/, 3);
  const [first = '', second] = words;
  const isBearer = first.length === 6 && first.toLowerCase() === 'bearer';
  if (words.length > 2) return null;
  if (second !== undefined) return isBearer ? second : null;
  return isBearer ? null : first;
}

/**
 * Lists of names such as `tools-2024-04-04, assistants=v2`. Allows far more and longer names than any SDK sends; matched in
 * linear time.
 */
export const LISTED_NAMES: Omit<RelayedHeader, 'name'> = {
  value: /^(?=.{0,2048}$)[\w.:=-]{0,128}(?:[ \t]*,[ \t]*[\w.:=-]{1,128}){0,63}$/,
  rule: 'a comma-separated list of at most 64 names, each of at most 128 letters, digits and . : = _ -',
};
