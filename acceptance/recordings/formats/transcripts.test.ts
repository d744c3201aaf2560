import { describe, expect, test } from 'bun:test';
import { segmentsOf } from '../../../src/domain/audio/segments.ts';
import { EMPTY_TRANSCRIPT, type TranscriptionRequest } from '../../../src/domain/audio/transcription.ts';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { falTranscriptions } from '../../../src/formats/hosts/fal-transcriptions/index.ts';
import { decodedOver, transcriptionOf } from '../../../src/formats/shared/testing/transcription-samples.ts';
import { deepgramListen } from '../../../src/formats/transcription/deepgram-listen/index.ts';
import { elevenlabsTranscriptions } from '../../../src/formats/transcription/elevenlabs-transcriptions/index.ts';
import { mistralTranscriptions } from '../../../src/formats/transcription/mistral-transcriptions/index.ts';
import { openaiTranscriptions } from '../../../src/formats/transcription/openai-transcriptions/index.ts';
import { encodeAnswer } from '../../../src/formats/transcription/openai-transcriptions/response.ts';
import { openrouterTranscriptions } from '../../../src/formats/transcription/openrouter-transcriptions/index.ts';
import { recordedFile } from '../documents.ts';

/* Recorded transcripts of each provider, decoded by its wire. */

const bodyOf = (file: string) => recordedFile(file).response.body;

test('OpenRouter', () => {
  const recorded = bodyOf('openrouter/transcriptions/001-transcription-smoke.json');
  const transcript = decodedOver(openrouterTranscriptions, recorded, {}, { upstreamModel: 'openai/whisper-1' });
  expect(transcript).toMatchObject({ billedSeconds: 6, tokens: null, own: JSON.parse(recorded) });
});

test('fal, with its queue', () => {
  const next = (body: string) => {
    const bytes = new TextEncoder().encode(body);
    return falTranscriptions.next?.({ bytes, headers: new Headers() }, { upstreamModel: 'fal-ai/wizper' });
  };
  const queued = bodyOf('fal/transcriptions/001-fal-transcription-queue.json');
  const result = bodyOf('fal/transcriptions/002-fal-transcription-result.json');
  expect(next(queued)).toMatchObject({ method: 'GET', url: '/fal-ai/wizper/requests/test-id/status' });
  expect(next(result)).toBeNull();
  expect(decodedOver(falTranscriptions, result)).toMatchObject({
    ...{ text: 'Hello from the Versal AISDK.', language: 'en', segments: [{ start: 0, end: 2.508 }], words: null },
  });
});

test('Mistral', () => {
  const recorded = bodyOf('mistral/transcriptions/003-mistral-transcription.json');
  const transcript = decodedOver(mistralTranscriptions, recorded, { format: 'verbose_json' });
  if (transcript instanceof Failure) throw new Error(transcript.message);
  const { segments, tokens, billedSeconds, model, words, own } = transcript;
  expect(segments).toHaveLength(4);
  expect(segments?.[0]).toMatchObject({ start: 0.1, end: 8.2, speaker: 'speaker_1' });
  expect({ tokens, billedSeconds, model, words, own }).toEqual({
    ...{ tokens: { textInput: 0, audioInput: 13, output: 151 }, billedSeconds: 36, model: 'voxtral-mini-latest' },
    ...{ words: null, own: null },
  });
});

test.each(['001-elevenlabs-transcription', '002-speech-to-text-base64-1'])('ElevenLabs: %s', (name) => {
  const transcript = decodedOver(elevenlabsTranscriptions, bodyOf(`elevenlabs/transcriptions/${name}.json`));
  if (transcript instanceof Failure) throw new Error(transcript.message);
  expect(transcript.language).toBe('eng');
  expect(transcript.words?.every(({ word }) => word.trim() !== '')).toBe(true);
  // Segments made from words keep the whole text, including sounds.
  const made = segmentsOf(transcript, null);
  const text = made.map((segment) => segment.text).join(' ');
  expect(text.replaceAll(/\s+/g, ' ')).toBe(transcript.text.trim().replaceAll(/\s+/g, ' '));
});

test('Deepgram', () => {
  const transcript = decodedOver(deepgramListen, bodyOf('deepgram/transcriptions/003-deepgram-transcription.json'));
  if (transcript instanceof Failure) throw new Error(transcript.message);
  expect(transcript).toMatchObject({ language: 'en', duration: 36.744, segments: null });
  expect(transcript.text).toStartWith('galileo was an american robotic space program');
  expect(transcript.words?.[0]).toEqual({ word: 'galileo', start: 0.16, end: 0.79999995, speaker: '0' });
  const made = segmentsOf(transcript, null);
  expect(made.map(({ text }) => text).join(' ')).toBe(transcript.text);
});

describe('OpenAI and compatible providers', () => {
  const whisper = { upstreamModel: 'whisper-1' };
  const written = (transcript: object, request: Partial<TranscriptionRequest>) =>
    encodeAnswer({ ...EMPTY_TRANSCRIPT, ...transcript }, transcriptionOf(request), { json: '{"r":1}' });
  const json = (transcript: object, request: Partial<TranscriptionRequest>): unknown =>
    JSON.parse(written(transcript, request).body);

  test('with segments, and as subtitles', () => {
    const answer = bodyOf('openai/transcriptions/002-verbose-json-still-reports-duration-usage.json');
    const transcript = decodedOver(openaiTranscriptions, answer, { format: 'verbose_json' }, whisper);
    if (transcript instanceof Failure) throw new Error(transcript.message);
    expect(transcript).toMatchObject({
      ...{ language: 'english', duration: 5.489999771118164, billedSeconds: 6, tokens: null },
    });
    expect(json(transcript, { format: 'verbose_json' })).toEqual({ ...JSON.parse(answer), _routing: { r: 1 } });
    const subtitles = decodedOver(openaiTranscriptions, answer, { format: 'srt' }, whisper);
    if (subtitles instanceof Failure) throw new Error(subtitles.message);
    expect(written(subtitles, { format: 'srt' })).toEqual({
      body: '1\n00:00:00,000 --> 00:00:04,800\nThe sun was setting slowly, casting long shadows across the empty field.\n\n',
      contentType: 'text/plain; charset=utf-8',
    });
  });

  test.each([
    'openai/transcriptions/005-audio-whisper-1-transcribe.json',
    'openai/transcriptions/020-openai-audio-transcriptions-post-173af3e5.json',
    'openai/transcriptions/021-openai-audio-transcriptions-post-71305a25.json',
    'openai/transcriptions/022-test-voice-pipeline.json',
    'openai/transcriptions/023-openai-transcription.json',
    'openai/translations/001-audio-whisper-1-translate.json',
    'openai/translations/003-openai-audio-translations-post-4205779c.json',
    'groq/transcriptions/002-speech-to-text-complex-1.json',
    'groq/transcriptions/003-speech-to-text-verbose-1.json',
    'venice/transcriptions/001-transcription-smoke.json',
  ])('%s is decoded without a loss', (file) => {
    const body = bodyOf(file);
    const format = body.includes('segments') || body.includes('words') ? 'verbose_json' : 'json';
    const transcript = decodedOver(openaiTranscriptions, body, { format });
    if (transcript instanceof Failure) throw new Error(transcript.message);
    expect(json(transcript, { format })).toMatchObject({ ...JSON.parse(body), _routing: { r: 1 } });
  });
});
