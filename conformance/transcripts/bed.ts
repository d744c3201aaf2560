import path from 'node:path';
import { isObject, parseJson } from '../shared/json.ts';
import { transcriptionUpstreams, translationUpstreams } from '../strict/audio/index.ts';
import { refusedBy } from '../strict/audio/refused.ts';

/* Recordings, and an upstream that receives them. */

const AUDIO = path.join(import.meta.dir, '..', '..', 'src', 'domain', 'media', 'testing', 'audio');

/** A tone of 2.5 seconds in one of the formats. */
export async function tone(format: string): Promise<File> {
  const bytes = await Bun.file(path.join(AUDIO, `tone.${format}`)).bytes();
  return new File([bytes], `tone.${format}`);
}

/** A recording of silence: 16,000 samples a second, of one byte each. */
export function wave(seconds: number): Uint8Array<ArrayBuffer> {
  return waveOf(Math.round(seconds * 16_000));
}

/** Returns a WAV file with `dataBytes` bytes of samples. */
export function waveOf(dataBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(44 + dataBytes).fill(0x80);
  const view = new DataView(bytes.buffer);
  const text = (at: number, word: string) => bytes.set(Buffer.from(word, 'latin1'), at);
  text(0, 'RIFF');
  view.setUint32(4, 36 + dataBytes, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 16_000, true);
  view.setUint32(28, 16_000, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  text(36, 'data');
  view.setUint32(40, dataBytes, true);
  return bytes;
}

export interface ReceivedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface ReceivedAudio {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The parts of a form in order; empty if the body is no form. */
  readonly parts: readonly (readonly [name: string, value: string | ReceivedFile])[];
  /** The body's object; empty if it is not JSON. */
  readonly json: Readonly<Record<string, unknown>>;
}

export type AudioAnswering = (request: ReceivedAudio) => Response | Promise<Response>;

export interface AudioUpstream {
  readonly origin: string;
  readonly requests: readonly ReceivedAudio[];
  readonly stop: () => Promise<void>;
}

export function startAudioUpstream(answer: AudioAnswering): AudioUpstream {
  const requests: ReceivedAudio[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const { method, headers } = request;
      const { pathname, searchParams } = new URL(request.url);
      const bytes = new Uint8Array(await request.arrayBuffer());
      const contentType = headers.get('content-type') ?? '';
      const json = contentType.includes('json') ? parseJson(new TextDecoder().decode(bytes)) : null;
      const received: ReceivedAudio = {
        ...{ method, path: pathname, query: searchParams, headers, bytes },
        parts: contentType.startsWith('multipart/') ? await partsOf(bytes, contentType) : [],
        json: isObject(json) ? json : {},
      };
      requests.push(received);
      return answer(received);
    },
  });
  return { origin: `http://127.0.0.1:${server.port}`, requests, stop: () => server.stop(true) };
}

async function partsOf(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<ReceivedAudio['parts']> {
  const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData();
  const parts: (readonly [string, string | ReceivedFile])[] = [];
  for (const [name, value] of form.entries()) {
    const file = value instanceof File ? { name: value.name, type: value.type, bytes: await value.bytes() } : null;
    parts.push([name, file ?? String(value)]);
  }
  return parts;
}

/** Returns the text parts of a form; of duplicates, the last. */
export function textsOf({ parts }: ReceivedAudio): Readonly<Record<string, string>> {
  return Object.fromEntries(parts.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}

export function fileOf({ parts }: ReceivedAudio): ReceivedFile | null {
  const [, value] = parts.find(([name]) => name === 'file') ?? [];
  return value === undefined || typeof value === 'string' ? null : value;
}

/**
 * Resolves to the error with which a provider would refuse a request to a channel address that ends in `/v1`;
 * `null` if it accepts it.
 */
export function refusedAt(
  provider: string,
  { method, path: whole, query, headers, bytes }: ReceivedAudio,
): Promise<Response | null> {
  const upstreams = whole.endsWith('/translations') ? translationUpstreams : transcriptionUpstreams;
  const target = `${whole.replace(/^\/v1(?=\/)/, '')}?${query}`;
  return refusedBy(upstreams, provider, { method, target, headers, bytes: new Uint8Array(bytes) });
}
