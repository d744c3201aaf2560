import { describe, expect, test } from 'bun:test';
import type { Billable, Quantity } from '../../../domain/money/quantity.ts';
import { SpeechSize } from './speech-size.ts';

const sizeOf = (input: string, speed: number | null = null) => new SpeechSize({ input, instructions: null, speed });
const said = (...quantities: Quantity[]): Billable => ({ quantities, source: 'reported' });
const amountIn = (size: SpeechSize, unit: string) =>
  size.certain().pieces?.find((piece) => piece.unit === unit)?.amount ?? 0;

describe('the reservation', () => {
  test('counts all characters as code points', () => {
    expect(amountIn(sizeOf('Grüße 😀'), 'character')).toBe(7);
    expect(sizeOf('東京').characters).toBe(2);
  });

  test('has a second per character plus five, more for slow speech and never less for fast', () => {
    expect(amountIn(sizeOf('abc'), 'millisecond')).toBe(8_000);
    expect(amountIn(sizeOf('abc', 0.25), 'millisecond')).toBe(32_000);
    expect(amountIn(sizeOf('abc', 4), 'millisecond')).toBe(8_000);
    expect(sizeOf('abc').certain().outputTokens).toBe(200);
  });

  test('has a likely size below the certain one for any text', async () => {
    for (const text of ['a', 'a'.repeat(4_096), '東'.repeat(4_096), 'Ünï '.repeat(100), '😀'.repeat(9)]) {
      const size = sizeOf(text);
      const certain = size.certain();
      const counted = await size.counted();
      expect(counted.outputTokens).toBeLessThanOrEqual(certain.outputTokens);
      expect(size.estimatedMs()).toBeLessThanOrEqual(counted.pieces?.[1]?.amount ?? 0);
      expect(size.estimatedTokens(size.estimatedMs()).inputTokens).toBeLessThanOrEqual(certain.inputTokens);
    }
  });
});

test('plausible usage is bounded by what was sent', () => {
  const size = sizeOf('Hello');
  const { inputTokens, outputTokens } = size.plausible();
  expect(size.isPlausible(said({ unit: 'input_token', amount: inputTokens }))).toBe(true);
  expect(size.isPlausible(said({ unit: 'input_token', amount: inputTokens + 1 }))).toBe(false);
  expect(size.isPlausible(said({ unit: 'audio_output_token', amount: outputTokens }))).toBe(true);
  expect(size.isPlausible(said({ unit: 'audio_output_token', amount: outputTokens + 1 }))).toBe(false);
  expect(size.isPlausible(said({ unit: 'character', amount: 5 }, { unit: 'millisecond', amount: 20_000 }))).toBe(true);
  expect(size.isPlausible(said({ unit: 'character', amount: 6 }))).toBe(false);
  expect(size.isPlausible(said({ unit: 'millisecond', amount: 20_001 }))).toBe(false);
  expect(size.isPlausible(said({ unit: 'request', amount: 2 }))).toBe(false);
});

test('tokens are estimated from text and duration', () => {
  expect(sizeOf('Hello, world').estimatedTokens(1_000)).toEqual({ inputTokens: 3, outputTokens: 25 });
  expect(sizeOf('東京').estimatedTokens(1)).toEqual({ inputTokens: 2, outputTokens: 1 });
  expect(sizeOf('aa', 2).estimatedMs()).toBe(67);
});
