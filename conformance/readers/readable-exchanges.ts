import { expect, test } from 'bun:test';
import { asObject, isObject, parseJson } from '../shared/json.ts';
import { type Recording, type RecordingRow, readRecording } from '../shared/recordings.ts';
import type { Usage } from './expected-answer.ts';
import { failureInside } from './failure-inside.ts';
import { readableApi, readRecordedAnswer } from './recorded-answer.ts';
import { readRecordedRequest } from './recorded-request.ts';
import { streamedJson } from './server-sent-events.ts';

/** Recordings that are filed under a text API although they belong to another one. */
const NOT_TEXT = new Set([
  'groq/chat/062-audio-from-base64-1.json',
  'mistral/chat/076-audio-from-base64-1.json',
  'mistral/chat/078-ocr-response-1.json',
  'mistral/chat/079-speech-to-text-complex-1.json',
  'openai/responses/214-audio-from-base64-1.json',
]);

/**
 * Defines the tests that the readers understand every text exchange; `failed` lists those that fail under
 * status 200.
 */
export function testReaders(exchanges: readonly RecordingRow[], failed: readonly string[]): void {
  const readable = exchanges.filter((row) => row.status === 200 && readableApi(row) !== undefined).map(readRecording);

  test('every text exchange can be read, except other model families under `invoke`', () => {
    const unread = readable.filter((one) => readRecordedAnswer(one) === null);
    const unexpected = unread.filter(({ api, file }) => !api.startsWith('invoke') && !NOT_TEXT.has(file));
    expect(unexpected.map(({ file }) => file)).toEqual([]);
  });

  test("the parts of the usage add up to the provider's total", () => {
    const counted = readable.flatMap((one) => {
      const usage = readRecordedAnswer(one)?.usage ?? null;
      const total = totalOf(one);
      return usage === null || total === undefined ? [] : [{ file: one.file, sum: sumOf(usage), total }];
    });
    expect(counted.length).toBeGreaterThan(readable.length / 2);
    expect(counted.filter(({ sum, total }) => sum !== total)).toEqual([]);
  });

  test('no part of a usage is negative', () => {
    const negative = readable.filter((one) =>
      Object.values(readRecordedAnswer(one)?.usage ?? {}).some((count) => count < 0),
    );
    expect(negative.map(({ file }) => file)).toEqual([]);
  });

  test('exactly the successes that contain an error are found', () => {
    const found = readable.filter((one) => failureInside(one) !== null).map(({ file }) => file);
    expect(found.sort()).toEqual([...failed].sort());
  });

  test('requests of all four client formats are recognized', () => {
    const formats = new Set(readable.map((one) => readRecordedRequest(one)?.format));
    expect([...formats].filter(Boolean).sort()).toEqual([
      'anthropic-messages',
      'gemini',
      'openai-chat',
      'openai-responses',
    ]);
  });
}

function sumOf(usage: Usage): number {
  return usage.input + usage.cachedInput + usage.cacheWrite + usage.output + usage.reasoning;
}

/** Returns the last total in a textual body. */
function totalOf(recording: Recording): number | undefined {
  const whole = parseJson(recording.responseBody);
  const events = whole === undefined ? streamedJson(recording.responseBody) : Array.isArray(whole) ? whole : [whole];
  const totals = events.map(asObject).flatMap((event) => {
    const usage = [event.usage, event.usageMetadata, asObject(event.x_groq).usage, asObject(event.response).usage];
    const counted = usage.find(isObject);
    const total = counted?.total_tokens ?? counted?.totalTokens ?? counted?.totalTokenCount;
    return typeof total === 'number' ? [total] : [];
  });
  return totals.at(-1);
}
