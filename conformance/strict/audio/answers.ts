import { asObject } from '../../shared/json.ts';
import { audio, events, MP3, PCM, WAV } from '../../speech/upstreams.ts';
import { memberOf } from '../media/rules.ts';
import type { ReceivedRequest } from '../rule.ts';

/* Default responses of audio services: audio in the requested format, and a transcript of one sentence. */

export const SPOKEN_TEXT = 'A response from the upstream.';

/** The signature of a file in each format, or a whole file. */
const FILES: Readonly<Record<string, readonly [type: string, bytes: Uint8Array]>> = {
  mp3: ['audio/mpeg', MP3],
  wav: ['audio/wav', WAV],
  pcm: ['audio/pcm', PCM],
  opus: ['audio/ogg', Buffer.concat([Buffer.from('OggS\0\x02'), Buffer.alloc(22), Buffer.from('OpusHead')])],
  aac: ['audio/aac', Uint8Array.from([0xff, 0xf1, 0x50, 0x80, 0x01, 0x1f, 0xfc, ...new Array<number>(64).fill(0)])],
  flac: ['audio/flac', Buffer.concat([Buffer.from('fLaC\x80\0\0\x22', 'latin1'), Buffer.alloc(64)])],
};

function file(format: unknown): Response {
  const [type, bytes] = FILES[String(format)] ?? ['application/octet-stream', MP3];
  return audio(bytes, type);
}

function bytesOf(format: unknown): string {
  const [, bytes] = FILES[String(format)] ?? ['', MP3];
  return new Uint8Array(bytes).toBase64();
}

function mistralSpeech({ body }: ReceivedRequest): Response {
  const { response_format: format = 'mp3', stream } = asObject(body);
  if (stream !== true) return Response.json({ audio_data: bytesOf(format) });
  return events(
    { type: 'speech.audio.delta', audio_data: bytesOf(format) },
    { type: 'speech.audio.done', usage: { prompt_tokens: 3, completion_tokens: 0, total_tokens: 3 } },
  );
}

function deepgramSpeech({ query }: ReceivedRequest): Response {
  const encoding = query.get('encoding') ?? 'mp3';
  if (encoding !== 'linear16') return file(encoding);
  return file(query.get('container') === 'wav' ? 'wav' : 'pcm');
}

function geminiSpeech({ path }: ReceivedRequest): Response {
  const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: bytesOf('pcm') };
  const answer = {
    candidates: [{ content: { role: 'model', parts: [{ inlineData }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 25, totalTokenCount: 30 },
  };
  return /stream/i.test(path) ? events(answer) : Response.json(answer);
}

const SEGMENT = { id: 0, start: 0, end: 1, text: SPOKEN_TEXT };
const WORDS = SPOKEN_TEXT.split(' ').map((word, index) => ({ word, start: index / 10, end: (index + 1) / 10 }));

function openaiTranscripts(request: ReceivedRequest): Response {
  const usage = { type: 'duration', seconds: 1 };
  if (memberOf(request, 'stream') === 'true') {
    return events(
      { type: 'transcript.text.delta', delta: SPOKEN_TEXT },
      { type: 'transcript.text.done', text: SPOKEN_TEXT, usage },
    );
  }
  const format = memberOf(request, 'response_format');
  const diarized = { ...SEGMENT, type: 'transcript.text.segment', id: 'seg_0', speaker: 'A' };
  return Response.json({
    text: SPOKEN_TEXT,
    ...(format === 'diarized_json' && { segments: [diarized] }),
    ...(format === 'verbose_json' && { language: 'english', duration: 1, segments: [SEGMENT], words: WORDS }),
    ...(memberOf(request, 'include') !== undefined && { logprobs: [] }),
    usage,
  });
}

function mistralTranscripts(request: ReceivedRequest): Response {
  const usage = { prompt_audio_seconds: 1, prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 };
  const segments = [{ type: 'transcription_segment', text: SPOKEN_TEXT, start: 0, end: 1, speaker_id: 'speaker_1' }];
  const answer = { model: request.model, text: SPOKEN_TEXT, language: null, segments, usage };
  if (memberOf(request, 'stream') !== 'true') return Response.json(answer);
  return events({ type: 'transcription.text.delta', text: SPOKEN_TEXT }, { ...answer, type: 'transcription.done' });
}

function deepgramTranscripts(): Response {
  const words = WORDS.map((one) => ({ ...one, confidence: 1, speaker: 0 }));
  const alternatives = [{ transcript: SPOKEN_TEXT, confidence: 1, words }];
  const utterances = [{ start: 0, end: 1, transcript: SPOKEN_TEXT, speaker: 0 }];
  return Response.json({
    metadata: { duration: 1, channels: 1 },
    results: { channels: [{ alternatives, detected_language: 'en' }], utterances },
  });
}

function wordTranscripts(): Response {
  const words = WORDS.map(({ word, start, end }) => ({
    text: word,
    start,
    end,
    type: 'word',
    speaker: 0,
    speaker_id: 'speaker_0',
  }));
  return Response.json({ text: SPOKEN_TEXT, language_code: 'eng', duration: 1, audio_duration_secs: 1, words });
}

function geminiTranscripts({ body }: ReceivedRequest): Response {
  const isTimed = asObject(asObject(body).generationConfig).responseMimeType === 'application/json';
  const timed = { language: 'en', segments: [{ start: 0, end: 1, speaker: 'A', text: SPOKEN_TEXT }] };
  const text = isTimed ? JSON.stringify(timed) : SPOKEN_TEXT;
  return Response.json({ candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP' }] });
}

export const AUDIO_ANSWERS: Readonly<Record<string, (request: ReceivedRequest) => Response>> = {
  'openai-speech': (request) => file(memberOf(request, 'response_format') ?? 'mp3'),
  'mistral-speech': mistralSpeech,
  'deepgram-speech': deepgramSpeech,
  'elevenlabs-speech': ({ query }) => file((query.get('output_format') ?? 'mp3').split('_')[0]),
  'xai-speech': ({ body }) => file(asObject(asObject(body).output_format).codec ?? 'mp3'),
  'gemini-speech': geminiSpeech,
  'openai-transcriptions': openaiTranscripts,
  'openai-translations': openaiTranscripts,
  'mistral-transcriptions': mistralTranscripts,
  'deepgram-listen': deepgramTranscripts,
  'elevenlabs-transcriptions': wordTranscripts,
  'xai-transcriptions': wordTranscripts,
  'cohere-transcriptions': () => Response.json({ text: SPOKEN_TEXT }),
  'openrouter-transcriptions': openaiTranscripts,
  'gemini-transcriptions': geminiTranscripts,
};
