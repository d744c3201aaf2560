import { describe, expect, test } from 'bun:test';
import { EMPTY_TRANSCRIPT, type TranscriptionRequest } from '../../../domain/audio/transcription.ts';
import { MemoryFile } from '../../../domain/media/memory-file.ts';
import { amountOf, type Billable } from '../../../domain/money/quantity.ts';
import { AudioSize, type UsedTranscript } from './audio-size.ts';

const SECONDS = 60;
/** A minute in MP3 at 64 kbit/s. */
const FILE = new MemoryFile(new Uint8Array(SECONDS * 8_000));

const sizeOf = (more: Partial<TranscriptionRequest> = {}, maxOutputTokens: number | null = null) =>
  new AudioSize(
    {
      file: FILE,
      durationMs: SECONDS * 1_000,
      prompt: null,
      keywords: [],
      format: 'json',
      speakerReferences: [],
      ...more,
    },
    {
      capabilities: {
        input: ['audio'],
        output: ['text'],
        features: [],
        contextTokens: null,
        maxOutputTokens,
        dimensions: null,
      },
    },
  );
const msOf = ({ pieces = [] }: { readonly pieces?: readonly { readonly amount: number }[] }) => pieces[0]?.amount ?? 0;
const billed = (transcript: Partial<UsedTranscript>, size = sizeOf()) =>
  size.billableOf({ ...EMPTY_TRANSCRIPT, ...transcript });
const time = (amount: number): Billable => ({ quantities: [{ unit: 'millisecond', amount }], source: 'reported' });

describe('the bound', () => {
  test('is the measured duration plus a margin', () => {
    expect(msOf(sizeOf().certain())).toBe(63_200);
  });

  test('of an unmeasurable recording depends on its size', () => {
    expect(msOf(sizeOf({ durationMs: null }).certain())).toBe(Math.ceil((480_000 / 750) * 1_000) + 2_000);
  });

  test('of the output is the model’s, or less if the speech is counted', async () => {
    expect([sizeOf().certain().outputTokens, sizeOf({}, 2_000).certain().outputTokens]).toEqual([65_536, 2_000]);
    expect((await sizeOf().counted()).outputTokens).toBe(Math.ceil(63.2 * 8) + 1_024);
    expect((await sizeOf({}, 100).counted()).outputTokens).toBe(100);
  });

  test('includes the words of the prompt', () => {
    const plain = sizeOf().certain().inputTokens;
    expect(sizeOf({ prompt: 'äb', keywords: ['c'] }).certain().inputTokens).toBe(plain + 4);
  });
});

describe('plausible usage', () => {
  const plausible = msOf(sizeOf().plausible());
  test('is bounded by the size of the file', () => {
    expect(sizeOf().isPlausible(time(plausible))).toBe(true);
    expect(sizeOf().isPlausible(time(plausible + 1))).toBe(false);
    expect(sizeOf().isPlausible(time(1e12))).toBe(false);
  });
  test('includes a bound on tokens', () => {
    const tokens = (unit: 'audio_input_token' | 'output_token', amount: number): Billable => ({
      ...{ quantities: [{ unit, amount }], source: 'reported' },
    });
    const { inputTokens, outputTokens } = sizeOf().plausible();
    expect(sizeOf().isPlausible(tokens('audio_input_token', inputTokens))).toBe(true);
    expect(sizeOf().isPlausible(tokens('audio_input_token', inputTokens + 1))).toBe(false);
    expect(sizeOf().isPlausible(tokens('output_token', outputTokens))).toBe(true);
    expect(sizeOf().isPlausible(tokens('output_token', outputTokens + 1))).toBe(false);
  });
});

describe('the usage', () => {
  const ms = (transcript: Partial<UsedTranscript>, size?: AudioSize) =>
    amountOf(billed(transcript, size), 'millisecond');

  test('is the upstream’s: the billed duration, else the reported one', () => {
    expect([ms({ billedSeconds: 61, duration: 60.2 }), billed({ billedSeconds: 61 }).source]).toEqual([
      61_000,
      'reported',
    ]);
    expect(ms({ duration: 60.2345 })).toBe(60_235);
    expect(ms({ billedSeconds: 0 })).toBe(0);
    expect(ms({ billedSeconds: 1e300 })).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('is measured if the upstream reports none', () => {
    expect([ms({}), billed({}).source]).toEqual([60_000, 'estimated']);
    const unknown = sizeOf({ durationMs: null });
    const word = { start: 1, end: 7.5, word: 'a', speaker: null };
    expect(ms({ words: [word] }, unknown)).toBe(7_500);
    expect(ms({}, unknown)).toBe(120_000);
  });

  test('extends to the last word, but not beyond the file', () => {
    const word = (end: number) => ({ start: 1, end, word: 'a', speaker: null });
    expect(ms({ words: [word(59)] })).toBe(60_000);
    expect(ms({ words: [word(75.5)] })).toBe(75_500);
    expect(ms({ words: [word(1e9)] })).toBe(Math.ceil((480_000 / 750) * 1_000) + 2_000);
  });

  test('of tokens is itemized', () => {
    const tokens = { textInput: 5, audioInput: 20, output: 4 };
    const { quantities, source } = billed({ tokens });
    expect(source).toBe('reported');
    expect(Object.fromEntries(quantities.map(({ unit, amount }) => [unit, amount]))).toEqual({
      ...{ input_token: 5, audio_input_token: 20, output_token: 4, millisecond: 60_000, request: 1 },
    });
    expect(amountOf(billed({ text: 'a'.repeat(400) }), 'output_token')).toBe(100);
    expect(amountOf(billed({ text: 'a'.repeat(400), duration: 1 }), 'output_token')).toBe(0);
  });

  test('has a variant for what is billed separately: speakers and custom words', () => {
    const variant = (more: Partial<TranscriptionRequest>) => sizeOf(more).certain().pieces?.[0]?.variant;
    expect(variant({})).toBeUndefined();
    expect(variant({ format: 'diarized_json' })).toBe('diarized');
    expect(variant({ keywords: ['a'] })).toBe('keywords');
    expect(variant({ format: 'diarized_json', keywords: ['a'] })).toBe('diarized/keywords');
  });
});
