import { describe, expect, test } from 'bun:test';
import { ANTHROPIC_LIMITS, MISTRAL_LIMITS, OPENAI_LIMITS, PLAIN_LIMITS, statedLimits } from './stated-limits.ts';

const NOW_MS = Date.parse('2025-07-29T09:59:30Z');
const now = { nowMs: () => NOW_MS };

function openai(headers: Record<string, string>) {
  return statedLimits(OPENAI_LIMITS, new Headers(headers), now);
}

const REQUESTS = { 'x-ratelimit-limit-requests': '60', 'x-ratelimit-remaining-requests': '3' };

describe('the limits in the headers of an answer', () => {
  test.each([
    ['120ms', 120],
    ['1s', 1_000],
    ['6m0s', 360_000],
    ['17.399999999s', 17_399.999999],
    ['60', 60_000],
    ['0', 0],
    ['2025-07-29T09:59:33Z', 3_000],
    ['2025-07-29T09:59:00Z', 0],
    [String(NOW_MS / 1_000 + 5), 5_000],
    [String(NOW_MS + 5_000), 5_000],
    ['soon', 60_000],
    ['-5', 60_000],
    ['1e9', 60_000],
  ])('with the reset %s are whole again after %d ms', (reset, resetMs) => {
    const stated = openai({ ...REQUESTS, 'x-ratelimit-reset-requests': reset });
    expect(stated).toEqual([{ index: 0, unit: 'requests', limit: 60, remaining: 3, resetMs, refill: 'steady' }]);
  });

  test('with a time are read by the clock of the upstream', () => {
    const reset = { 'x-ratelimit-reset-requests': '2025-07-29T12:00:10Z', date: 'Tue, 29 Jul 2025 12:00:00 GMT' };
    expect(openai({ ...REQUESTS, ...reset })).toMatchObject([{ resetMs: 10_000 }]);
  });

  test.each([
    [{}],
    [{ 'x-ratelimit-limit-requests': '60' }],
    [{ 'x-ratelimit-remaining-requests': '-1' }],
    [{ 'x-ratelimit-remaining-requests': 'many' }],
    [{ 'x-ratelimit-remaining-requests': 'Infinity' }],
    [{ 'x-ratelimit-remaining-requests': '9'.repeat(400) }],
    [{ 'x-ratelimit-limit-requests': '0', 'x-ratelimit-remaining-requests': '0' }],
    [{ 'x-ratelimit-limit-requests': '5', 'x-ratelimit-remaining-requests': '6' }],
  ])('%p are ignored', (headers) => {
    expect(openai(headers as Record<string, string>)).toBeNull();
  });

  test('of Anthropic', () => {
    const headers = new Headers({
      'anthropic-ratelimit-requests-limit': '4000',
      'anthropic-ratelimit-requests-remaining': '3999',
      'anthropic-ratelimit-requests-reset': '2025-07-29T09:59:33Z',
      'anthropic-ratelimit-output-tokens-limit': '400000',
      'anthropic-ratelimit-output-tokens-remaining': '0',
      'anthropic-ratelimit-output-tokens-reset': '2025-07-29T10:00:30Z',
    });
    expect(statedLimits(ANTHROPIC_LIMITS, headers, now)).toMatchObject([
      { unit: 'requests', limit: 4_000, remaining: 3_999, resetMs: 3_000 },
      { unit: 'output_tokens', limit: 400_000, remaining: 0, resetMs: 60_000 },
    ]);
  });

  test('of Mistral, which names the windows', () => {
    const headers = new Headers({
      'x-ratelimit-limit-req-10-second': '60',
      'x-ratelimit-remaining-req-10-second': '50',
      'x-ratelimit-limit-tokens-minute': '75000',
      'x-ratelimit-remaining-tokens-minute': '74932',
    });
    expect(statedLimits(MISTRAL_LIMITS, headers, now)).toMatchObject([
      { unit: 'requests', limit: 60, remaining: 50, resetMs: 10_000, refill: 'window' },
      { unit: 'tokens', limit: 75_000, remaining: 74_932, resetMs: 60_000 },
    ]);
  });

  test('of OpenRouter and Together', () => {
    const headers = {
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(NOW_MS + 60_000),
    };
    expect(statedLimits(PLAIN_LIMITS, new Headers(headers), now)).toMatchObject([
      { unit: 'requests', limit: 1, remaining: 0, resetMs: 60_000, refill: 'window' },
    ]);
  });
});
