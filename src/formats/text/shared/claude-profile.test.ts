import { describe, expect, test } from 'bun:test';
import { profileOf } from './claude-profile.ts';

describe('the profile of a model', () => {
  test.each([
    ['claude-3-haiku-20240307', 4_096, 'none', 'all'],
    ['claude-3-5-sonnet-20241022', 8_192, 'none', 'all'],
    ['anthropic/claude-3.7-sonnet', 64_000, 'budget', 'all'],
    ['claude-opus-4-20250514', 32_000, 'budget', 'all'],
    ['claude-sonnet-4@20250514', 64_000, 'budget', 'all'],
    ['us.anthropic.claude-opus-4-1-20250805-v1:0', 32_000, 'budget', 'one'],
    ['claude-haiku-4-5-20251001', 64_000, 'budget', 'one'],
    ['claude-sonnet-4-6', 128_000, 'both', 'one'],
    ['anthropic/claude-opus-4.7', 128_000, 'adaptive', 'none'],
    ['claude-mythos-preview', 128_000, 'both', 'none'],
    ['claude-sonnet-5', 128_000, 'adaptive', 'none'],
    ['claude-opus-5-5', 128_000, 'always', 'none'],
    ['claude-fable-5-2', 128_000, 'always', 'none'],
    ['claude-opus-7', 128_000, 'always', 'none'],
    ['glm-4.7', 8_192, 'budget', 'all'],
  ] as const)('%s', (model, maxOutputTokens, thinking, sampling) => {
    expect(profileOf(model)).toMatchObject({ maxOutputTokens, thinking, sampling });
  });

  test('differs by family within a version', () => {
    expect(profileOf('claude-opus-4-5').efforts).toEqual(['low', 'medium', 'high']);
    expect(profileOf('claude-sonnet-4-5').efforts).toEqual([]);
    expect(profileOf('claude-opus-4-8').systemMidway).toBe(true);
    expect(profileOf('claude-opus-4-7').systemMidway).toBe(false);
    expect(profileOf('claude-fable-5').forcedTools).toBe(true);
    expect(profileOf('claude-fable-5-1').forcedTools).toBe(false);
  });
});
