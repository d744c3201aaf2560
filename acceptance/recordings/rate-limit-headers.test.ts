import { expect, test } from 'bun:test';
import { readAnswerOf, recordedExchanges } from '../../conformance/shared/recordings.ts';
import { NO_TOKENS, ProviderLimits, type StatedLimit } from '../../src/domain/routing/provider-limits.ts';
import { ANTHROPIC_LIMITS, OPENAI_LIMITS, statedLimits } from '../../src/formats/shared/rate-limits/stated-limits.ts';
import { providers } from '../../src/providers/index.ts';

/* The rate limits in the headers of recorded answers of providers. */

/** About the time of the recorded answers without a date. */
const NOW = { nowMs: () => Date.parse('2025-08-08T15:40:00Z') };

/** The limits that each recorded provider states, with the number of answers that state any. */
const stated = new Map<string, { answers: number; readonly limits: StatedLimit[] }>();
for (const row of recordedExchanges()) {
  const answer = readAnswerOf(row);
  const usual = row.provider === 'anthropic' ? ANTHROPIC_LIMITS : OPENAI_LIMITS;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value).replace(/[\r\n]/g, ' '));
  const limits = statedLimits(providers.get(row.provider)?.rateLimits ?? usual, headers, NOW);
  if (limits === null) continue;
  const known = stated.get(row.provider) ?? { answers: 0, limits: [] };
  known.answers++;
  known.limits.push(...limits);
  stated.set(row.provider, known);
}

const limitsOf = (provider: string) => stated.get(provider)?.limits ?? [];

test.each(['openai', 'anthropic', 'azure', 'groq', 'mistral', 'together', 'openrouter'])(
  'the limits of %s are found',
  (provider) => {
    expect(limitsOf(provider).length).toBeGreaterThan(0);
  },
);

test('Anthropic states limits of requests, and of tokens in each direction', () => {
  const units = new Set(limitsOf('anthropic').map(({ unit }) => unit));
  expect([...units].sort()).toEqual(['input_tokens', 'output_tokens', 'requests', 'tokens']);
});

test('every limit that is found makes sense', () => {
  for (const { limits } of stated.values()) {
    for (const { limit, remaining, resetMs } of limits) {
      expect(remaining).toBeLessThanOrEqual(limit ?? Number.POSITIVE_INFINITY);
      expect(resetMs).toBeGreaterThanOrEqual(0);
    }
  }
});

test('no answer that leaves a request makes the next one wait, and none makes it wait longer than the longest rest', () => {
  for (const { limits } of stated.values()) {
    for (const one of limits) {
      const followed = new ProviderLimits();
      followed.states([one], null, 0, 300_000);
      const waitMs = followed.waitMs(NO_TOKENS, 0);
      if (one.remaining >= 1) expect(waitMs).toBe(0);
      expect(waitMs).toBeLessThanOrEqual(300_000);
    }
  }
});
