import { wavHeader } from '../../src/domain/audio/wav.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import { speechUpstreams } from '../strict/audio/index.ts';
import { refusedBy } from '../strict/audio/refused.ts';

/* Imitations of providers that speak, after their published documents. */

/** A silent frame of MPEG-2 layer III: 24 kHz, one channel, 32 kbit/s, 24 ms. */
const FRAME = Uint8Array.from([0xff, 0xf3, 0x44, 0xc4, ...new Array<number>(92).fill(0)]);
export const FRAMES = 125;
export const MP3 = new Uint8Array(Buffer.concat(Array.from({ length: FRAMES }, () => FRAME)));
export const MP3_MS = 3_000;
/** One second of samples. */
export const PCM = Uint8Array.from({ length: 48_000 }, (_, index) => (index * 7) % 256);
export const WAV = new Uint8Array(Buffer.concat([wavHeader(PCM.length), PCM]));

export interface SpeechCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

export type Speaker = (call: SpeechCall) => Response | Promise<Response>;

export interface SpeechUpstream {
  readonly baseUrl: string;
  readonly calls: readonly SpeechCall[];
  stop(): Promise<void>;
}

export function startSpeaker(speaker: Speaker): SpeechUpstream {
  const calls: SpeechCall[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const url = new URL(request.url);
      const text = await request.text();
      const { method, headers, signal } = request;
      const call = { method, path: url.pathname + url.search, headers, text, body: asObject(parseJson(text)), signal };
      calls.push(call);
      return speaker(call);
    },
  });
  return { baseUrl: `http://127.0.0.1:${server.port}`, calls, stop: () => server.stop(true) };
}

export function audio(bytes: Uint8Array, type: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(new Uint8Array(bytes), { headers: { ...headers, 'content-type': type } });
}

export function events(...list: readonly (object | string)[]): Response {
  const text = list.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

const TYPES: Readonly<Record<string, readonly [string, Uint8Array]>> = {
  mp3: ['audio/mpeg', MP3],
  wav: ['audio/wav', WAV],
  pcm: ['audio/pcm', PCM],
  raw: ['application/octet-stream', PCM],
};

function inFormat(format: unknown, usual: string): Response {
  const [type, bytes] = TYPES[String(format ?? usual)] ?? ['audio/mpeg', MP3];
  return audio(bytes, type);
}

export const TOKENS = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };

/** The formats that this imitation has are mp3, wav and pcm. */
export function openaiSpeaker({ body }: SpeechCall): Response {
  if (body.stream_format !== 'sse') return inFormat(body.response_format, 'mp3');
  const [, bytes] = TYPES[String(body.response_format ?? 'mp3')] ?? ['', MP3];
  return events(
    { type: 'speech.audio.delta', audio: bytes.subarray(0, 1_001).toBase64() },
    { type: 'speech.audio.delta', audio: bytes.subarray(1_001).toBase64() },
    { type: 'speech.audio.done', usage: TOKENS },
  );
}

/** Answers each path as its provider does, and refuses what that refuses. */
export async function strictSpeaker(call: SpeechCall): Promise<Response> {
  const [, provider = '', target = '/'] = /^\/([^/?]+)(.*)$/.exec(call.path) ?? [];
  const raw = { method: call.method, target, headers: call.headers, bytes: new TextEncoder().encode(call.text) };
  return (await refusedBy(speechUpstreams, provider, raw)) ?? anySpeaker(call);
}

/** Answers each path as its provider does, whatever the request. */
export function anySpeaker(call: SpeechCall): Response {
  const { path, body } = call;
  if (path.startsWith('/mistral')) return mistralSpeaker(body);
  if (path.startsWith('/deepgram')) return deepgramSpeaker(call);
  if (path.startsWith('/elevenlabs')) {
    return path.endsWith('pcm_24000') ? audio(PCM, 'audio/pcm') : audio(MP3, 'audio/mpeg', { 'character-cost': '3' });
  }
  if (path.startsWith('/xai')) return inFormat(asObject(body.output_format).codec, 'mp3');
  if (path.startsWith('/google') || path.startsWith('/vertex')) return geminiAnswer();
  if (path.startsWith('/fal')) return falSpeaker(call);
  if (path.startsWith('/groq')) return audio(WAV, 'audio/wav');
  if (path.startsWith('/together')) return inFormat(body.response_format, 'wav');
  if (path.startsWith('/openrouter')) return inFormat(body.response_format, 'pcm');
  return openaiSpeaker(call);
}

function mistralSpeaker(body: Readonly<Record<string, unknown>>): Response {
  const [, bytes] = TYPES[String(body.response_format)] ?? ['', MP3];
  if (body.stream !== true) return Response.json({ audio_data: bytes.toBase64() });
  return events(
    { type: 'speech.audio.delta', audio_data: bytes.toBase64() },
    { type: 'speech.audio.done', usage: { prompt_tokens: 3, completion_tokens: 0, total_tokens: 3 } },
  );
}

/** The end of the path of a file that fal keeps. */
export const FAL_FILE = '/files/b/speech.wav';

/** fal's queue: it accepts a job, works for a while, and returns the URL of the file, which is public. */
function falSpeaker({ method, path, headers }: SpeechCall): Response {
  if (path.endsWith(FAL_FILE)) return audio(WAV, 'audio/wav');
  const job = { request_id: 'job-1', response_url: 'https://queue.fal.run/fal-ai/kokoro/requests/job-1' };
  if (method === 'POST') return Response.json({ status: 'IN_QUEUE', ...job });
  if (path.endsWith('/status')) return Response.json({ status: 'COMPLETED', ...job });
  const url = `http://${headers.get('host')}/fal${FAL_FILE}`;
  return Response.json({ audio: { url, content_type: 'audio/wav', file_size: WAV.length } });
}

function deepgramSpeaker({ path, body }: SpeechCall): Response {
  const query = new URL(path, 'http://a.example').searchParams;
  const isSamples = query.get('encoding') === 'linear16';
  const format = isSamples ? (query.get('container') === 'wav' ? 'wav' : 'pcm') : 'mp3';
  const [type, bytes] = TYPES[format] ?? ['audio/mpeg', MP3];
  return audio(bytes, type, { 'dg-char-count': String(String(body.text).length) });
}

function geminiAnswer(): Response {
  const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: PCM.toBase64() };
  return Response.json({
    candidates: [{ content: { parts: [{ inlineData }], role: 'model' }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 25, totalTokenCount: 30 },
  });
}

/** The audio of the events that the gateway has sent, and its last event. */
export function heard(text: string): { readonly audio: Uint8Array; readonly last: Readonly<Record<string, unknown>> } {
  const list = text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => asObject(parseJson(event.slice(6))));
  // Each piece is decoded by itself, as a player would.
  const pieces = list
    .filter(({ type }) => type === 'speech.audio.delta')
    .map(({ audio: piece }) => Buffer.from(String(piece), 'base64'));
  return { audio: new Uint8Array(Buffer.concat(pieces)), last: asArray(list).length === 0 ? {} : (list.at(-1) ?? {}) };
}

/** A server whose every byte a test decides, and which can cut its connections. */
export interface RawUpstream {
  readonly baseUrl: string;
  stop(): void;
}

type Script = readonly (Uint8Array | string | 'stall')[];

export function startRaw(script: Script | (() => Script), isCut: boolean): RawUpstream {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      async data(socket, request) {
        if (!request.includes('\r\n\r\n')) return;
        for (const piece of typeof script === 'function' ? script() : script) {
          if (piece === 'stall') return;
          socket.write(piece);
          socket.flush();
          await Bun.sleep(5);
        }
        if (isCut) socket.end();
      },
    },
  });
  return { baseUrl: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) };
}

export function chunk(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

export const CHUNKED_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\ntransfer-encoding: chunked\r\n\r\n';
