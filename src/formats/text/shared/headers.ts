import type { LimitReport, LimitState } from '../../../domain/access/limit-report.ts';

type Headers = Record<string, string>;

/** Adds OpenAI's `x-ratelimit-…` ("Rate limits in headers"), in which a reset is a duration such as `1m0s` or `120ms`. */
export function openaiLimitHeaders({ requests, tokens }: LimitReport, headers: Headers): void {
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
export function anthropicLimitHeaders({ requests, tokens }: LimitReport, headers: Headers, nowMs: number): void {
  if (requests !== null) addAnthropic(headers, 'requests', requests, nowMs);
  if (tokens !== null) addAnthropic(headers, 'tokens', tokens, nowMs);
}

function addAnthropic(headers: Headers, unit: string, { limit, remaining, resetMs }: LimitState, nowMs: number): void {
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
