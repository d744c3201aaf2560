import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { asArray, asObject, isObject } from '../../conformance/shared/json.ts';
import { readRecording, recordedExchanges } from '../../conformance/shared/recordings.ts';
import { tone } from '../../conformance/transcripts/bed.ts';
import { TranscriptProviders, testTranscripts } from '../../conformance/transcripts/providers.ts';
import { publishedDocument } from './documents.ts';

/* Transcripts from each provider's recorded response, and requests validated against its document. */

setDefaultTimeout(600_000);

/** The prefix of the file name of each provider's recorded response. */
const RECORDED: readonly (readonly [provider: string, file: string])[] = [
  ['openai', 'openai/transcriptions/002'],
  ['azure-openai', 'openai/transcriptions/023'],
  ['groq', 'groq/transcriptions/003'],
  ['openai-compatible', 'venice/transcriptions/001'],
  ['mistral', 'mistral/transcriptions/003'],
  ['deepgram', 'deepgram/transcriptions/003'],
  ['elevenlabs', 'elevenlabs/transcriptions/001'],
  ['openrouter', 'openrouter/transcriptions/001'],
  ['fal', 'fal/transcriptions/002'],
];

/** The document of each provider that publishes one, with the schema of the request. */
const DOCUMENTS: readonly (readonly [provider: string, file: string, schema: string])[] = [
  ['openai', 'openai.openapi.json', 'CreateTranscriptionRequest'],
  ['azure-openai', 'openai.openapi.json', 'CreateTranscriptionRequest'],
  ['groq', 'groq.openapi.yaml', 'CreateTranscriptionRequest'],
  ['together', 'together.openapi.yaml', 'AudioTranscriptionRequest'],
  ['mistral', 'mistral.openapi.yaml', 'AudioTranscriptionRequest'],
  ['elevenlabs', 'elevenlabs.openapi.json', 'Body_Speech_to_Text_v1_speech_to_text_post'],
  ['openrouter', 'openrouter.openapi.yaml', 'STTRequest'],
];

let bed: TranscriptProviders;
beforeAll(async () => {
  bed = await TranscriptProviders.start();
});
afterAll(() => bed?.stop());

const rows = recordedExchanges();

testTranscripts(
  () => bed,
  RECORDED.map(([provider, begin]) => {
    const row = rows.find(({ file }) => file.startsWith(begin));
    if (row === undefined) throw new Error(`there is no recording ${begin}`);
    return [provider, readRecording(row).responseBody];
  }),
);

test.each(DOCUMENTS)('every member sent to %s is in its document', async (provider, file, schema) => {
  const playing = bed.play(provider);
  await bed.client().audio.transcriptions.create({
    ...{ file: await tone('mp3'), model: `by-${provider}`, language: 'en', prompt: 'p', temperature: 0.5 },
    response_format: 'verbose_json',
  });
  const { parts, json } = bed.sentTo(playing);
  const names = [...parts.map(([name]) => name.replace(/\[.*\]$/, '')), ...Object.keys(json)];
  const { properties, required } = asObject(publishedDocument(file).components.schemas[schema]);
  const known = asObject(properties);
  expect(names.filter((name) => !Object.hasOwn(known, name))).toEqual([]);
  const needed = asArray(required).filter((name) => typeof name === 'string');
  expect(needed.filter((name) => !names.includes(name))).toEqual([]);
  for (const [name, value] of parts) {
    const property = asObject(known[name]);
    const choices = isObject(property) ? asArray(property.enum) : [];
    if (choices.length > 0) expect(choices).toContain(value);
  }
});

test('the Deepgram request matches its document', async () => {
  const playing = bed.play('deepgram');
  await bed.client().audio.transcriptions.create({
    ...{ file: await tone('mp3'), model: 'by-deepgram', language: 'en', prompt: 'p', temperature: 0.5 },
    response_format: 'verbose_json',
  });
  const { parameters } = publishedDocument('deepgram.openapi.yml').paths['/v1/listen'].post;
  const known = asArray(parameters).map((one) => asObject(one).name);
  expect([...bed.sentTo(playing).query.keys()].filter((name) => !known.includes(name))).toEqual([]);
});
