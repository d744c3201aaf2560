import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { LimitedUnit, StatedLimit } from '../../../domain/routing/provider-limits.ts';
import { durationMs } from './duration.ts';

/** The headers of one limit of a provider. */
export interface LimitHeaders {
  readonly unit: LimitedUnit;
  readonly limit: string;
  readonly remaining: string;
  /** When the limit is whole again: a duration (`6m0s`, `120ms`), seconds, a time (RFC 3339) or an epoch. Absent if there is none. */
  readonly reset?: string;
  /** The length of the provider's window, used if there is no reset. */
  readonly windowMs?: number;
}

/**
 * How a provider states its rate limits in the headers of its answers.
 *
 * `steady`: what was used comes back evenly until the reset, as in OpenAI's and Anthropic's token buckets. `window`: all of it comes back at
 * the reset.
 */
export interface LimitSpelling {
  readonly refill: 'steady' | 'window';
  readonly limits: readonly LimitHeaders[];
}

function openai(unit: LimitedUnit, name: string): LimitHeaders {
  return {
    unit,
    limit: `x-ratelimit-limit-${name}`,
    remaining: `x-ratelimit-remaining-${name}`,
    reset: `x-ratelimit-reset-${name}`,
    windowMs: 60_000,
  };
}

function anthropic(unit: LimitedUnit, name: string): LimitHeaders {
  const prefix = `anthropic-ratelimit-${name}`;
  return { unit, limit: `${prefix}-limit`, remaining: `${prefix}-remaining`, reset: `${prefix}-reset` };
}

/** OpenAI, Azure, Groq, Cerebras, Fireworks and most servers that speak OpenAI's formats. */
export const OPENAI_LIMITS: LimitSpelling = {
  refill: 'steady',
  limits: [openai('requests', 'requests'), openai('tokens', 'tokens')],
};

export const ANTHROPIC_LIMITS: LimitSpelling = {
  refill: 'steady',
  limits: [
    anthropic('requests', 'requests'),
    anthropic('tokens', 'tokens'),
    anthropic('input_tokens', 'input-tokens'),
    anthropic('output_tokens', 'output-tokens'),
  ],
};

/** Mistral names the length of each window and sends no resets. Its monthly limit has no useful reset either, so it is not followed. */
export const MISTRAL_LIMITS: LimitSpelling = {
  refill: 'window',
  limits: [
    mistral('requests', 'req-minute', 60_000),
    mistral('requests', 'req-10-second', 10_000),
    mistral('tokens', 'tokens-minute', 60_000),
  ],
};

function mistral(unit: LimitedUnit, name: string, windowMs: number): LimitHeaders {
  return { unit, limit: `x-ratelimit-limit-${name}`, remaining: `x-ratelimit-remaining-${name}`, windowMs };
}

/** One limit on requests, without a unit in its name, as Together and OpenRouter send it. */
export const PLAIN_LIMITS: LimitSpelling = {
  refill: 'window',
  limits: [
    {
      unit: 'requests',
      limit: 'x-ratelimit-limit',
      remaining: 'x-ratelimit-remaining',
      reset: 'x-ratelimit-reset',
      windowMs: 1_000,
    },
    {
      unit: 'tokens',
      limit: 'x-ratelimit-limit-tokens',
      remaining: 'x-ratelimit-remaining-tokens',
      reset: 'x-ratelimit-reset',
      windowMs: 60_000,
    },
  ],
};

/** The time in milliseconds since 1970. */
interface WallClock {
  nowMs(): number;
}

/** Larger numbers are not amounts but mistakes. */
const MOST = 1e15;

/**
 * Reads the limits that the headers of an answer state. Headers that are missing, or that are not numbers and times, are ignored.
 *
 * @param clock used for resets that are a time; the upstream's own `Date` is preferred
 */
export function statedLimits(
  { limits, refill }: LimitSpelling,
  headers: AnswerHeaders,
  clock: WallClock,
): readonly StatedLimit[] | null {
  let stated: StatedLimit[] | null = null;
  // Every answer takes this path, so nothing is allocated until a limit is found.
  for (let index = 0; index < limits.length; index++) {
    const names = limits[index];
    const remaining = names === undefined ? null : amountIn(headers.get(names.remaining));
    if (names === undefined || remaining === null) continue;
    const limit = amountIn(headers.get(names.limit));
    // Some servers state 0 of 0 if they have no limit.
    if (limit === 0 || (limit !== null && remaining > limit)) continue;
    const reset = names.reset === undefined ? null : headers.get(names.reset);
    const resetMs = resetIn(reset, headers, clock) ?? names.windowMs ?? null;
    if (resetMs === null) continue;
    stated ??= [];
    stated.push({ index, unit: names.unit, limit, remaining, resetMs, refill });
  }
  return stated;
}

function amountIn(text: string | null): number | null {
  if (text === null || !/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return null;
  const amount = Number(text);
  return amount <= MOST ? amount : null;
}

/** Seconds above this are an epoch: 2001 in seconds, and 1970 in milliseconds. */
const FIRST_EPOCH_S = 1_000_000_000;
const FIRST_EPOCH_MS = 100_000_000_000;

/** Returns the milliseconds until the reset, 0 if it is past; `null` if the text is none of the known forms. */
function resetIn(text: string | null, headers: AnswerHeaders, clock: WallClock): number | null {
  if (text === null) return null;
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) {
    const number = Number(text);
    if (number >= FIRST_EPOCH_MS) return Math.max(0, number - upstreamNow(headers, clock));
    if (number >= FIRST_EPOCH_S) return Math.max(0, number * 1_000 - upstreamNow(headers, clock));
    return number * 1_000;
  }
  const duration = durationMs(text);
  if (duration !== undefined) return duration;
  if (!/^\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:\d\d)$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - upstreamNow(headers, clock));
}

/** A wrong clock of this machine must not shift the reset. */
function upstreamNow(headers: AnswerHeaders, clock: WallClock): number {
  const date = headers.get('date');
  const at = date === null || date.length > 40 ? Number.NaN : Date.parse(date);
  return Number.isNaN(at) ? clock.nowMs() : at;
}
