import { z } from 'zod';
import { charactersOf, SPEECH_SAMPLE_RATE } from '../../../domain/audio/speech.ts';
import { wavHeader } from '../../../domain/audio/wav.ts';

const LONGEST_INPUT = 4_096;
/** Fifteen letters per second, like a speaker. */
const MS_PER_CHARACTER = 67;
const FRAME_MS = 24;
const TONE_HZ = 440;
const LOUDNESS = 8_000;
const LETTERS_PER_TOKEN = 4;
const TOKENS_PER_SECOND = 25;
const PIECE_BYTES = 16 * 1024;

const request = z.object({
  model: z.string(),
  input: z.string().min(1).max(LONGEST_INPUT),
  voice: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
  response_format: z.enum(['mp3', 'wav', 'pcm']).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  stream_format: z.enum(['sse', 'audio']).nullish(),
});

export interface WrongSpeech {
  readonly message: string;
  readonly param: string | null;
}

/** Returns speech like OpenAI's: a tone as long as the text would take; silence for mp3, which would need a codec. */
export function speech(body: unknown): Response | WrongSpeech {
  const parsed = request.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { message: issue?.message ?? 'Invalid request.', param: issue?.path.join('.') || null };
  }
  const { input, response_format: format, speed, stream_format: delivery } = parsed.data;
  const durationMs = Math.ceil((charactersOf(input) * MS_PER_CHARACTER) / (speed ?? 1));
  const [type, audio] = fileOf(format ?? 'mp3', durationMs);
  if (delivery !== 'sse') return new Response(audio, { headers: { 'content-type': type } });
  const inputTokens = Math.ceil(input.length / LETTERS_PER_TOKEN);
  const outputTokens = Math.ceil((durationMs * TOKENS_PER_SECOND) / 1_000);
  const usage = { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
  const events = [...piecesOf(audio), { type: 'speech.audio.done', usage }];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

function fileOf(format: 'mp3' | 'wav' | 'pcm', durationMs: number): readonly [string, Uint8Array<ArrayBuffer>] {
  if (format === 'mp3') return ['audio/mpeg', silentMp3(durationMs)];
  const samples = tone(durationMs);
  if (format === 'pcm') return ['audio/pcm', samples];
  return ['audio/wav', new Uint8Array(Buffer.concat([wavHeader(samples.length), samples]))];
}

function tone(durationMs: number): Uint8Array<ArrayBuffer> {
  const count = Math.ceil((durationMs * SPEECH_SAMPLE_RATE) / 1_000);
  const bytes = new Uint8Array(count * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < count; index++) {
    const wave = Math.sin((2 * Math.PI * TONE_HZ * index) / SPEECH_SAMPLE_RATE);
    view.setInt16(index * 2, Math.round(LOUDNESS * wave), true);
  }
  return bytes;
}

/** A frame of MPEG-2 layer III, 24 kHz, one channel, 32 kbit/s, without data, which decodes to silence. */
const SILENT_FRAME = Uint8Array.from([0xff, 0xf3, 0x44, 0xc4, ...new Array<number>(92).fill(0)]);

function silentMp3(durationMs: number): Uint8Array<ArrayBuffer> {
  const frames = Math.max(1, Math.ceil(durationMs / FRAME_MS));
  const bytes = new Uint8Array(frames * SILENT_FRAME.length);
  for (let index = 0; index < frames; index++) bytes.set(SILENT_FRAME, index * SILENT_FRAME.length);
  return bytes;
}

function piecesOf(audio: Uint8Array): readonly object[] {
  const pieces: object[] = [];
  for (let at = 0; at < audio.length; at += PIECE_BYTES) {
    pieces.push({ type: 'speech.audio.delta', audio: audio.subarray(at, at + PIECE_BYTES).toBase64() });
  }
  return pieces;
}
