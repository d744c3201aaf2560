import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { MemoryFile } from '../../../domain/media/memory-file.ts';
import {
  decodedOver,
  jsonOver,
  refusalOver,
  SAMPLE_BYTES,
  transcriptionOf,
} from '../../shared/testing/transcription-samples.ts';
import { geminiTranscriptions as wire } from './index.ts';

interface Sent {
  readonly contents: readonly [{ readonly parts: readonly [{ readonly text: string }, unknown] }];
  readonly generationConfig: Readonly<Record<string, unknown>>;
}

const sent = async (...args: Parameters<typeof transcriptionOf>) => {
  const { body, lost } = await jsonOver(wire, transcriptionOf(...args));
  // The test below checks the body.
  return { body: body as Sent, lost };
};

test('a request has an instruction and the recording', async () => {
  const { body, lost } = await sent({ temperature: 0.5, language: 'de', keywords: ['k'], prompt: 'p' });
  expect(body).toMatchObject({
    contents: [{ role: 'user', parts: [{}, { inlineData: { mimeType: 'audio/mp3', data: SAMPLE_BYTES.toBase64() } }] }],
    generationConfig: { temperature: 0.5 },
  });
  const [{ text }] = body.contents[0].parts;
  for (const said of ['word for word', 'german', 'k', 'p']) expect(text).toContain(said);
  expect(body.generationConfig.responseSchema).toBeUndefined();
  expect(lost).toEqual(['language', 'prompt', 'keywords']);
});

test('a request with timestamps demands JSON output', async () => {
  for (const format of ['srt', 'vtt', 'verbose_json', 'diarized_json'] as const) {
    const { body } = await sent({ format });
    expect(body.generationConfig).toMatchObject({ responseMimeType: 'application/json' });
    expect(JSON.stringify(body.generationConfig).includes('speaker')).toBe(format === 'diarized_json');
  }
  const translation = await sent({ kind: 'translation' });
  expect(translation.body.contents[0].parts[0].text).toContain('into English');
});

test('what cannot be carried is refused', () => {
  expect(refusalOver(wire, { format: 'verbose_json', granularities: ['word'] })?.param).toBe('timestamp_granularities');
  expect(refusalOver(wire, { logprobs: true })?.param).toBe('include');
  const sized = (size: number) => refusalOver(wire, { file: new MemoryFile(new Uint8Array(size)) })?.param;
  expect([sized(14 * 1024 * 1024), sized(14 * 1024 * 1024 + 1)]).toEqual([undefined, 'file']);
});

const answer = (text: string, more: object = {}) => ({
  candidates: [{ content: { parts: [{ text: 'thinking', thought: true }, { text }] }, finishReason: 'STOP' }],
  modelVersion: 'gemini-x',
  ...more,
});

test('the text and the tokens of audio and text are read', () => {
  const promptTokensDetails = [
    { modality: 'TEXT', tokenCount: 40 },
    { modality: 'AUDIO', tokenCount: 320 },
  ];
  const usageMetadata = { promptTokenCount: 360, candidatesTokenCount: 9, thoughtsTokenCount: 3, promptTokensDetails };
  expect(decodedOver(wire, answer(' Hi.\n', { usageMetadata }))).toMatchObject({
    ...{ text: 'Hi.', tokens: { textInput: 40, audioInput: 320, output: 12 }, model: 'gemini-x', segments: null },
  });
  const undivided = { usageMetadata: { promptTokenCount: 5 } };
  expect(decodedOver(wire, answer('', undivided))).toMatchObject({ text: '', tokens: { audioInput: 5, output: 0 } });
});

test('segments are read', () => {
  const told = {
    language: 'de',
    segments: [
      { start: 0, end: 1.5, text: 'Hallo.', speaker: 'A' },
      { start: 2, end: 3, text: 'Ja.' },
    ],
  };
  expect(decodedOver(wire, answer(JSON.stringify(told)), { format: 'srt' })).toMatchObject({
    ...{
      text: 'Hallo. Ja.',
      language: 'de',
      segments: [
        { end: 1.5, speaker: 'A' },
        { start: 2, speaker: null },
      ],
    },
  });
  for (const wrong of ['no JSON', '{}', '{"segments":[{"start":"00:01","end":1,"text":"a"}]}']) {
    expect(decodedOver(wire, answer(wrong), { format: 'srt' })).toBeInstanceOf(Failure);
  }
});

test('a refused or truncated response is a failure', () => {
  const kind = (body: unknown) => {
    const decoded = decodedOver(wire, body);
    return decoded instanceof Failure ? [decoded.kind, decoded.side] : decoded;
  };
  expect(kind({ promptFeedback: { blockReason: 'SAFETY' } })).toEqual(['content_refused', 'client']);
  expect(kind({ candidates: [{ finishReason: 'RECITATION' }] })).toEqual(['content_refused', 'client']);
  expect(kind({ candidates: [{ finishReason: 'MAX_TOKENS', content: { parts: [{ text: 'H' }] } }] })).toEqual([
    ...['garbage', 'upstream'],
  ]);
  expect(kind({ candidates: [] })).toEqual(['garbage', 'upstream']);
});
